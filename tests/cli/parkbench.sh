#!/bin/sh
# Parkbench's programs: times, rates and fits are what their definitions say, and nothing is measured
# with a clock that fails TICK1 or TICK2.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# measured RANKS PROGRAM OPTIONS...: the document is in result.json, the text in out
measured() {
    case_is "$*"
    rm -f result.json
    run "$@" --max-time 0.02 --precision 100 --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
    wrong=$("$CB_PYTHON" "$srcdir/tests/cli/check_parkbench.py" result.json 2>&1) ||
        failed "what the definitions say" "$wrong"
}

expect_verified() {
    expect_rows "r['verify']['messages'] > 0 and r['verify']['messages'] == sum(r['verify'].values())"
}

for number in 1 2; do
    measured 2 cb_comms$number --verify --sizes 4096,0,64,1024
    expect_verified
    expect_document result.json "d['id'], [r['size_bytes'] for r in d['results']]" \
        "('COMMS$number', [0, 64, 1024, 4096])"
    expect_document result.json "[(f['from_bytes'], f['to_bytes']) for f in d['fit']]" "[(0, 4096)]"
    expect_true "TICK1 and TICK2 in the text" grep -q 'TICK1 .* ns, TICK2 off by .* %' out
    expect_true "the maximum in the text" grep -q '^    maximum .* MB/s, at .* bytes$' out
done

measured 2 cb_comms1 --sizes 0,64,512,1024,4096,8192 --breakpoint 1KiB
expect_document result.json "[(f['from_bytes'], f['to_bytes']) for f in d['fit']]" \
    "[(0, 512), (1024, 8192)]"
expect_document result.json "d['parameters']['breakpoint_bytes']" 1024

measured 3 cb_comms3 --sizes 0,64,1024 --verify
expect_verified
expect_document result.json "[f['processors'] for f in d['fit']]" "[3]"
# bad CLOCK RANKS TEXT...
bad() {
    case_is "a clock that is $1, in rank ${CB_CLOCK_RANK:-0} of $2"
    export CB_CLOCK="$1"
    ranks=$2
    shift 2
    rm -f result.json
    run_refused "$ranks" faulty_clock --sizes 64 --max-time 0.02 --output result.json
    expect_status 2
    expect_one_error "$@"
    expect_equal "lines on stdout:" 0 "$(wc -l <out)"
    expect_true "no document" test ! -e result.json
    expect_all_gone
}

case_is "the same program with a true clock"
run 2 faulty_clock --sizes 64 --max-time 0.02
expect_status 0
bad still 2 "TICK1 failed" "rank 0" "stands still" "clocksource"
bad coarse 2 "TICK1 failed" "moves in steps of [1-9][0-9]*0000 us"
bad back 2 "TICK1 failed" "goes back"
bad processor 2 "TICK2 failed" "differs by -"
export CB_CLOCK_RANK=2
bad fast 3 "TICK2 failed" "rank 2" "differs by [01]" "time of day"

thorough || finish
unset CB_CLOCK CB_CLOCK_RANK

measured 2 cb_comms2 --sizes 64,1024
expect_document result.json "['three sizes' in f['refusal'] for f in d['fit']]" "[True]"
expect_true "the reason in the text" grep -q 'none: fewer than three sizes' out

measured 5 cb_comms3 --sizes 0,64,1024 --processors 2,5
expect_document result.json "[f['processors'] for f in d['fit']]" "[2, 5]"
expect_true "the share of a processor in the text" grep -q ', per processor .* MB/s' out
measured 17 cb_comms3 --sizes 0,64,1024 --processors 17
expect_document result.json "d['id'], [f['processors'] for f in d['fit']]" "('COMMS3', [17])"

finish
