#!/bin/sh
# cb_bare: rows of plain MPI with the ratio to the same pattern through the transport. Figures are not
# judged: they are the machine's.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder
limit_s=120

case_is "a row for each mode and size, with the ratio"
run 2 cb_bare --max-time 0.05 --verify --output result.json
expect_status 0
expect_valid result.json
expect_document result.json "[(r['mode'], r['size_bytes']) for r in d['results']] == \
    [(m, n) for m in ('pingpong', 'stream') for n in (0, 64, 256, 1024)]" True
expect_document result.json "all(r['over_bare'] > 0 for r in d['results'])" True
expect_document result.json "all(r['verify']['messages'] > 0 for r in d['results'])" True
expect_document result.json "all(len(r['blocks_us']) >= 3 for r in d['results'])" True
expect_document result.json "any('harness_us' in r for r in d['results'])" False

case_is "turns end when the figures are precise"
run 2 cb_bare --sizes 64 --mode pingpong --max-time 30 --precision 100 --output result.json
expect_status 0
expect_document result.json "[(len(r['blocks_us']) < 101, r['stopped_by']) for r in d['results']]" \
    "[(True, 'precision')]"

# failing NUMBER RANK NAME: one rank cannot create this buffer, so that the other must not wait for it
failing() {
    case_is "$3 in rank $2"
    export CB_FAULT_BUFFER="$1" CB_FAULT_RANK="$2"
    run 2 faulty_bare --sizes 64 --mode stream --window 4 --max-time 0.05
    unset CB_FAULT_BUFFER CB_FAULT_RANK
    expect_status 1
    expect_error "no memory for buffer $1"
    expect_all_gone
}
failing 7 1 "no memory in a turn"

# refused OPTION VALUE: what plain MPI does not have
refused() {
    case_is "$1 $2"
    run_refused 2 cb_bare "$1" "$2"
    expect_status 2
    expect_error "has no meaning for cb_bare"
}
refused --technology tcp

thorough || finish

refused --buffers rotate
refused --wait block
refused --window 3

case_is "blocks too long for --max-time are few"
run 2 cb_bare --sizes 4MiB --mode stream --window 16 --max-time 0.02 --output result.json
expect_status 0
expect_document result.json "[(3 <= len(r['blocks_us']) < 21, r['stopped_by']) for r in d['results']]" \
    "[(True, 'max-time')]"

case_is "ranks without a part wait"
run 3 cb_bare --sizes 64 --mode pingpong --max-time 0.05 --output result.json
expect_status 0
expect_document result.json "[r['processors'] for r in d['results']]" "[2]"

failing 7 0 "no memory in a turn"
for rank in 0 1; do
    failing 3 $rank "no memory while the pair is opened"
done

finish
