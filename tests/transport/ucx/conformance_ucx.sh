#!/bin/sh
# The technology ucx with both methods over transports that are on every machine. make check tries two of them with
# two ranks, since the other conformance tests have the method am over shared memory; thorough: all, with up to 17.
set -eu

run() {
    ranks=$1 method=$2 transports=$3 announced=$4
    echo "$ranks ranks, method $method over $transports"
    COMBENCH_TEST_PARAMETERS="method=$method,transports='$transports'" "${srcdir:?}/tests/common/launch.sh" "$ranks" \
        "${builddir:?}/tests/transport/conformance" yield ucx 65536 "$announced"
}

run 2 put posix,cma 50
run 2 am tcp 50
[ -n "${CB_CHECK_FULL:-}" ] || exit 0

# The other conformance tests run method am over shared memory with 3, 5 and 17 ranks.
run 2 put tcp 50
run 17 put posix,cma 1
for method in am put; do
    run 2 "$method" sysv 50
    run 3 "$method" sysv 50
    run 5 "$method" tcp 50
    run 17 "$method" tcp 1
done
