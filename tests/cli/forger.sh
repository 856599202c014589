#!/bin/sh
# A process of another user joins the multicast groups of a job over udp, and replays and forges its datagrams: the job
# measures as if it were alone, and its rows are marked.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# expect_marked: a row of the table on standard output has the mark of counters
expect_marked() {
    expect_true "a row with the mark &" grep -q "^ *64 .* \*\?%\?&" out
    expect_true "the meaning of the mark" grep -q "^& .*doubled.*see the counters" out
}

multicast() {
    run 3 cb_multicast --technology udp --interface lo --multicast technology --list fixed --sizes 64 \
        --max-time 1 --verify --output result.json
}

case_is "a forger in the group"
"$CB_PYTHON" "$srcdir/tests/cli/forge.py" forging >forged &
forger=$!
await "$limit_s" test -e forging
multicast
rm -f forging
wait "$forger"
expect_status 0
grep -q '"libsodium"' result.json || skip "this build has no libsodium, so that udp has no multicast"
expect_valid result.json
expect_document result.json "d['complete'], [sum(r['verify'].values()) - r['verify']['messages'] for r in d['results']]" \
    "(True, [0])"
expect_rows "r['datagrams']['foreign'] > 0"
expect_true "datagrams that the forger heard and sent" grep -q "^[1-9][0-9]* [1-9]" forged
expect_marked

case_is "datagrams that the network doubles"
export COMBENCH_UDP_FAULTS=double=0.05
multicast
unset COMBENCH_UDP_FAULTS
expect_rows "r['datagrams']['doubled'] > 0 and r['datagrams']['foreign'] == 0"
expect_marked

finish
