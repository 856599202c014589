#!/bin/sh
# Start a test program under mpirun: launch.sh RANKS PROGRAM [ARGUMENT...], with the launcher that
# configure found. The program learns how many ranks it must have.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

ranks=$1
shift
export COMBENCH_TEST_RANKS="$ranks"
if [ -n "$SANITIZER_CFLAGS" ]; then
    # The MPI library leaks.
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
fi
if [ "$MPI_KIND" = openmpi ]; then
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    set -- -q --oversubscribe --bind-to none -n "$ranks" "$@"
else
    set -- -n "$ranks" "$@"
fi
exec "$MPIRUN" "$@"
