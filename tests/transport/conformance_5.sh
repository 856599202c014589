#!/bin/sh
# Every technology that delivers, five ranks that yield. With MPICH, whose ranks spin for minutes over rma, only
# mpi: conformance_3.sh has rma, and farm_technologies.sh farms of five ranks over it.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

only=
[ "$MPI_KIND" = openmpi ] || only="mpi 65536 1"
# shellcheck disable=SC2086 # several words or none
exec "${srcdir:?}/tests/common/launch.sh" 5 "$builddir/tests/transport/conformance" yield $only
