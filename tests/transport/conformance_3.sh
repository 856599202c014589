#!/bin/sh
# Every technology that delivers, three ranks that sleep while they wait. With MPICH only those that call the MPI library, as
# partners in an exchange: conformance_2.sh has the others, and streams.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

conformance() {
    "${srcdir:?}/tests/common/launch.sh" 3 "$builddir/tests/transport/conformance" block "$@"
}

if [ "$MPI_KIND" = openmpi ]; then
    conformance
else
    conformance mpi 65536 1
    conformance rma 65536 1
fi
