#!/bin/sh
# Start a program as N ranks: launch.sh RANKS PROGRAM [ARGUMENT...]. Each is bound to a core
# where there are as many.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"
ranks=$1
shift
spare=$(($(nproc) - ranks))

if [ "$MPI_KIND" = openmpi ]; then
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    if [ "$spare" -ge 0 ]; then
        exec "$MPIRUN" -q -n "$ranks" --bind-to core "$@"
    fi
    exec "$MPIRUN" -q -n "$ranks" --oversubscribe "$@"
fi
if [ "$spare" -ge 0 ]; then
    exec "$MPIRUN" -n "$ranks" -bind-to core "$@"
fi
exec "$MPIRUN" -n "$ranks" "$@"
