#!/bin/sh
# --timeline: of farms and event building, with few ranks and with many, in closed and open loops, every event that
# was asked for stands in the trace from its issue to its decision, with all messages, in order.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# recorded RANKS PROGRAM EVENTS OPTIONS...: it is measured, and the timeline is sound. Twenty events
# are noted however slow the machine is; of more it depends on --max-time.
recorded() {
    ranks=$1
    program=$2
    events=$3
    shift 3
    rm -f trace.json result.json
    run "$ranks" "$program" --sizes 64 --max-time 0.05 --timeline-events "$events" \
        --timeline trace.json --output result.json "$@"
    expect_status 0
    expect_valid result.json
    faults=$("$CB_PYTHON" "$srcdir/tests/cli/validate_trace.py" trace.json 2>&1) ||
        failed "a valid timeline" "$faults"
    expect_document trace.json 'd["otherData"]["messages_unmatched"]' 0
    expect_document result.json 'd["timeline"]["notes_dropped"]' 0
    expect_document result.json 'd["timeline"]["cost_least_pct"] <= d["timeline"]["cost_pct"] <= \
        d["timeline"]["cost_most_pct"]' True
    [ "$events" -gt 20 ] || expect_document trace.json 'd["otherData"]["events"]' "$events"
}

for program in cb_pushfarm cb_pullfarm; do
    case_is "$program, 3 ranks"
    recorded 3 "$program" 20 --algorithm 0
done

# A turn of three events. Each of the two others sends a fragment.
case_is "event building, 3 ranks"
recorded 3 cb_evb 3 --processors 3
expect_document trace.json 'd["otherData"]["messages"]' 6

# What is wrong before the first measurement

# refused NAME OPTIONS TEXT...
refused() {
    case_is "$1"
    shift
    refuse 2 5 cb_pushfarm "$@"
}

refused "a timeline in a missing folder" "--timeline missing/trace.json" "missing/trace.json" \
    "No such file" "--timeline"
refused "a timeline that is a folder" "--timeline $work" "$work" "no regular file" "--timeline"
refused "a timeline in the file of the result" "--output both.json --timeline ./both.json" \
    "./both.json" "--output" "--timeline"
refused "a number of events without a timeline" "--timeline-events 5" "--timeline-events" \
    "--timeline FILE"
refused "no events" "--timeline trace.json --timeline-events 0" "--timeline-events" "use 1 to"
refused "more notes than rank 0 holds" \
    "--timeline trace.json --timeline-events 65536 --sources 3 --destinations 1" "65536 events" \
    "3 sources" "--timeline-events 52428 or less"

case_is "a timeline of a program that is no farm"
run 0 cb_oneway --timeline trace.json
expect_status 2
expect_one_error "--timeline" "cb_pushfarm"

case_is "a timeline of event building at a rate"
refuse 2 2 cb_evb "--timeline trace.json --rate 100Hz" "--timeline" "--rate"
case_is "a number of events of event building without a timeline"
refuse 2 2 cb_evb "--timeline-events 5" "--timeline-events" "--timeline FILE"

thorough || finish

for schedule in none offset shift barrier credits:2; do
    for folding in one two; do
        case_is "event building, $schedule, folding $folding"
        # Two turns of units of two processes, also on a machine where one takes a tenth of a second.
        recorded 4 cb_evb 8 --processors 4 --schedule "$schedule" --folding "$folding" --pack 2 --max-time 0.3
    done
done

for program in cb_pushfarm cb_pullfarm; do
    case_is "$program, 9 ranks, with an algorithm"
    recorded 9 "$program" 20 --algorithm 20
    expect_document trace.json 'd["otherData"]["sources"], d["otherData"]["destinations"]' "(4, 4)"

    case_is "$program, more ranks than take part"
    recorded 5 "$program" 10 --sources 2 --destinations 1 --algorithm 0
    expect_document trace.json 'sum(e["ph"] == "X" and e["tid"] == 5 for e in d["traceEvents"])' 0

    case_is "$program, open loop"
    recorded 3 "$program" 20 --algorithm 0 --rate 5kHz
    expect_document trace.json 'd["otherData"]["mode"], d["otherData"]["offered_Hz"]' "('open', 5000)"
done

case_is "more notes of a rank than are gathered at a time"
recorded 6 cb_pullfarm 20 --algorithm 20 --sources 4 --destinations 1
expect_document trace.json 'sum(e["ph"] == "X" and e["tid"] == 6 for e in d["traceEvents"])' 280

case_is "a timeline is of the first measurement"
recorded 5 cb_pushfarm 8 --sizes 1024,64 --algorithm 0 --sources 1,2 --destinations 1,2
expect_document result.json 'len(d["results"])' 4
expect_document trace.json \
    '[d["otherData"][key] for key in ("size_bytes", "sources", "destinations")]' "[1024, 1, 1]"

case_is "fewer events than asked for where they take longer than --max-time"
recorded 3 cb_pushfarm 1000 --algorithm 0 --rate 450
expect_document trace.json '20 <= d["otherData"]["events"] <= 22' True
expect_document result.json '20 <= d["timeline"]["events"] <= 22' True

case_is "a destination that is slowed down is seen at work"
recorded 3 cb_pushfarm 5 --algorithm 0 --slow-us 20
expect_document trace.json 'sum(e.get("cat") == "delay" for e in d["traceEvents"])' 5

case_is "without --timeline no word of it"
run 3 cb_pushfarm --sizes 64 --algorithm 0 --max-time 0.05 --output result.json
expect_status 0
expect_document result.json '"timeline" in d' False
expect_true "no word of it in the table" sh -c '! grep -q timeline out'

finish
