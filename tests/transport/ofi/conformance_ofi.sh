#!/bin/sh
# The technology ofi with both methods over providers that are on every machine. make check tries two of them with
# two ranks, since the other conformance tests have shm with the method message and up to 17. Thorough: each method
# over each provider, shm and tcp;ofi_rxm with five ranks too: the protocol above both methods is that of rma, which
# conformance_17.sh has. None of it depends on the MPI library, so that one does.
set -eu

# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"

run() {
    ranks=$1 wait=$2 method=$3 provider=$4 announced=$5
    echo "$ranks ranks that $wait, method $method over $provider"
    COMBENCH_TEST_PARAMETERS="method=$method,provider=$provider" "${srcdir:?}/tests/common/launch.sh" "$ranks" \
        "$builddir/tests/transport/conformance" "$wait" ofi 65536 "$announced"
}

run 2 yield write shm 50
run 2 block message 'tcp;ofi_rxm' 50
{ [ -n "${CB_CHECK_FULL:-}" ] && [ "$MPI_KIND" = openmpi ]; } || exit 0

run 5 yield write shm 1
run 2 yield write net 50
run 3 block message net 50
run 2 yield write 'tcp;ofi_rxm' 50
run 5 yield message 'tcp;ofi_rxm' 50
run 5 yield write 'tcp;ofi_rxm' 1
