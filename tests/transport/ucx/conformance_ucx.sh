#!/bin/sh
# The technology ucx with both methods over transports that are on every machine. make check tries two of them with
# two ranks, since the other conformance tests have the method am over shared memory; thorough: all, with up to 17.
set -eu

run() {
    ranks=$1 wait=$2 method=$3 transports=$4 announced=$5
    echo "$ranks ranks that $wait, method $method over $transports"
    COMBENCH_TEST_PARAMETERS="method=$method,transports='$transports'" "${srcdir:?}/tests/common/launch.sh" "$ranks" \
        "${builddir:?}/tests/transport/conformance" "$wait" ucx 65536 "$announced"
}

run 2 yield put posix,cma 50
run 2 block am tcp 50
[ -n "${CB_CHECK_FULL:-}" ] || exit 0

# The other conformance tests run method am over shared memory with 3, 5 and 17 ranks.
run 2 block put tcp 50
run 17 yield put posix,cma 1
for method in am put; do
    run 2 yield "$method" sysv 50
    run 3 block "$method" sysv 50
    run 5 yield "$method" tcp 50
    run 17 yield "$method" tcp 1
done
