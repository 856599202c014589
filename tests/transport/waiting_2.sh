#!/bin/sh
# A send that waits for its target fails the conformance test, unless the technology declares it.
set -eu

export CK_RUN_CASE=waiting COMBENCH_TEST_IDLE_S=2
launch=${srcdir:?}/tests/common/launch.sh
program=${builddir:?}/tests/transport/conformance_waiting
output=$(mktemp)
trap 'rm -f "$output"' EXIT

"$launch" 2 "$program" yield declared
if "$launch" 2 "$program" yield waiting >"$output" 2>&1; then
    echo "a technology whose sends wait for their target passed as one whose sends do not" >&2
    exit 1
fi
grep -q 'declare TRANSPORT_SEND_WAITS' "$output" || {
    cat "$output" >&2
    echo "the test failed for another reason than a send that waits" >&2
    exit 1
}
