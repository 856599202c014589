#!/bin/sh
# Every technology that delivers, five ranks that yield. With MPICH only those that call the MPI library: conformance_2.sh
# has the others.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

conformance() {
    "${srcdir:?}/tests/common/launch.sh" 5 "$builddir/tests/transport/conformance" yield "$@"
}

if [ "$MPI_KIND" = openmpi ]; then
    conformance
else
    conformance mpi
    conformance rma
fi
