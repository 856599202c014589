#!/bin/sh
# The technology ucx with both methods over transports that are on every machine. make check tries two of them with
# two ranks, since the other conformance tests have the method am over shared memory with up to 17. Thorough: each
# method over each transport, and five ranks: the protocol above both methods is that of rma, which conformance_17.sh
# has. None of it depends on the MPI library, so that one does.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

run() {
    ranks=$1 wait=$2 method=$3 transports=$4 announced=$5
    echo "$ranks ranks that $wait, method $method over $transports"
    COMBENCH_TEST_PARAMETERS="method=$method,transports='$transports'" "${srcdir:?}/tests/common/launch.sh" "$ranks" \
        "$builddir/tests/transport/conformance" "$wait" ucx 65536 "$announced"
}

run 2 yield put posix,cma 50
run 2 block am tcp 50
{ [ -n "${CB_CHECK_FULL:-}" ] && [ "$MPI_KIND" = openmpi ]; } || exit 0

# A flush of puts over tcp waits a second for answers of ranks that do not poll, so that many ranks take minutes.
run 3 block put tcp 50
run 5 yield am tcp 1
run 5 yield put posix,cma 1
run 2 yield put sysv 50
run 3 block am sysv 50
