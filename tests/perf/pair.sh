#!/bin/sh
# Start a program as two ranks, each bound to a core: pair.sh PROGRAM [ARGUMENT...].
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

if [ "$MPI_KIND" = openmpi ]; then
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    exec "$MPIRUN" -q -n 2 --bind-to core "$@"
fi
exec "$MPIRUN" -n 2 -bind-to core "$@"
