#!/bin/sh
# The technology ofi with both methods over providers that are on every machine. make check tries two of them with
# two ranks, since the other conformance tests have shm with the method message; thorough: all, with up to 17.
set -eu

run() {
    ranks=$1 wait=$2 method=$3 provider=$4 announced=$5
    echo "$ranks ranks that $wait, method $method over $provider"
    COMBENCH_TEST_PARAMETERS="method=$method,provider=$provider" "${srcdir:?}/tests/common/launch.sh" "$ranks" \
        "${builddir:?}/tests/transport/conformance" "$wait" ofi 65536 "$announced"
}

run 2 yield write shm 50
run 2 block message 'tcp;ofi_rxm' 50
[ -n "${CB_CHECK_FULL:-}" ] || exit 0

# The other conformance tests run method message over shm with 3, 5 and 17 ranks.
run 2 yield write 'tcp;ofi_rxm' 50
run 17 yield write shm 1
for method in message write; do
    run 2 yield "$method" net 50
    run 3 block "$method" net 50
    run 5 yield "$method" 'tcp;ofi_rxm' 50
    run 17 yield "$method" 'tcp;ofi_rxm' 1
done
