#!/bin/sh
# Event building (cb_evb): all schedules measure and verify, with units of one process and of two; the
# accounts of events add up, also where messages are lost; a killed builder ends the run.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# refused NAME STATUS RANKS OPTIONS TEXT...
refused() {
    case_is "$1"
    status_wanted=$2
    ranks_wanted=$3
    shift 3
    refuse "$status_wanted" "$ranks_wanted" cb_evb "$@"
}

refused "an unknown schedule" 2 0 "--schedule ring" "--schedule 'ring'" "none, offset, shift, barrier"
refused "no credits" 2 0 "--schedule credits:0" "--schedule 'credits:0'" "credits:4"
refused "an unknown folding" 2 0 "--folding three" "--folding" "one or two"
refused "an empty message" 2 0 "--pack 0" "--pack" "use 1 to"
refused "half a unit" 2 3 "--folding two --processors 3" "--processors 3" "use 2 or 4"
case_is "credits over a technology that loses messages"
run 2 cb_evb --schedule credits:2 --technology udp --sizes 64
expect_status 77
expect_error "--schedule credits" "reliable"

case_is "messages that do not fit"
run 2 cb_evb --technology udp --sizes 1KiB --pack 65536
expect_status 77
expect_error "larger"

# measured RANKS OPTION...
measured() {
    ranks=$1
    shift
    case_is "$*"
    rm -f result.json
    run "$ranks" cb_evb --max-time 0.05 --output result.json "$@"
    expect_status 0
    expect_all_gone
    expect_valid result.json
    expect_rows "r['issued'] == r['complete'] + r['lost'] > 0"
}

launcher_options="--oversubscribe"
[ "$MPI_KIND" = openmpi ] || launcher_options="-bind-to none"
for folding in one two; do
    for schedule in none offset shift barrier credits:3; do
        measured 4 --processors 4 --schedule "$schedule" --folding "$folding" --sizes 0,1000 --verify
        expect_rows "r['schedule'] == '$schedule' and r['folding'] == '$folding' and r['pack'] == 1"
        expect_rows "r['lost'] == 0 and sum(r['verify'].values()) == r['verify']['messages'] > 0"
        expect_rows "0 < r['builder_fairness'] <= 1.000001 and 0 < r['source_fairness'] <= 1.000001"
        expect_rows "r['event_latency_us']['samples'] > 0"
    done
done

case_is "figures follow from the time of a turn"
measured 3 --processors 3 --sizes 64 --pack 5
expect_rows "abs(r['frequency_Hz'] * rate_us(r) / (3 * 5 * 1e6) - 1) < 1e-6"
expect_rows "abs(r['throughput_MBps'] * rate_us(r) / (3 * 3 * 5 * 64) - 1) < 1e-6"
expect_rows "abs(r['per_link_MBps'] / r['per_node_MBps'] - 2 / 3) < 1e-6"

# fragments OPTION...: of varying size, verified, with the figures of the bytes that arrived
fragments() {
    measured 4 --processors 4 --verify --fragments "$@"
    expect_rows "0 < r['fragment_mean_bytes'] <= r['fragment_largest_bytes'] and r['fragments'] == '$1'"
    expect_rows "r['lost'] == 0 and sum(r['verify'].values()) == r['verify']['messages'] > 0"
    expect_rows "abs(r['throughput_MBps'] / (r['frequency_Hz'] * 1e-6 * r['fragment_mean_bytes'] * \
        (4 if r['folding'] == 'one' else 2)) - 1) < 1e-6"
}
fragments uniform:100-3000
fragments gamma:1KiB,2 --schedule none --pack 3 --correlation 0.5
fragments lognormal:1KiB,0.5 --schedule credits:2 --folding two --technology tcp
# Event e is built by unit e modulo 2, so builder 0 gets the sizes of lines 1 and 3, builder 1 those of 2 and 4.
printf '10 1000\n20 2000\n10 1000\n20 2000\n' >four.txt
case_is "sizes of a file by event and source"
run 0 cb_evb --processors 2 --fragments file:four.txt --trace-steps 2 --emit-trace trace.cct
expect_status 0
expect_equal "messages of both sources" "20 1000" \
    "$(sed -n 's/^is [01] \([1-9][0-9]*\)$/\1/p' trace.cct | sort -u | sort -n | tr '\n' ' ' | sed 's/ $//')"
measured 2 --processors 2 --fragments file:four.txt --verify
expect_rows "r['fragment_largest_bytes'] == 2000"
case_is "empty fragments look like acknowledgements"
run 4 cb_evb --processors 4 --fragments uniform:0-9 --schedule none
expect_status 77
expect_error "fragments of 0 bytes" "--schedule shift"
refused "sizes of too few sources" 2 4 "--processors 4 --fragments file:four.txt" "2 sources" "has 4"

# at_rate OPTION...: all events that were issued are complete, and their latencies count from due times
at_rate() {
    measured 4 --processors 4 --max-time 0.3 "$@"
    expect_rows "r['mode'] == 'open' and r['due'] == r['issued'] + r['not_issued']"
    expect_rows "r['event_latency_us']['samples'] == r['complete'] == r['issued'] and r['lost'] == 0"
}
at_rate --rate 200 --sizes 64
expect_rows "r['offered_Hz'] == 200 and r['arrivals'] == 'periodic' and r['issued'] % 4 == 0"
# The first event of a turn waits for the last: three intervals of 5 ms.
expect_rows "r['event_latency_us']['max'] >= 15000"
at_rate --rate 200 --schedule none --arrivals poisson --fragments gamma:1KiB,4
at_rate --sizes 64 --rate 200 --schedule credits:2 --folding two --arrivals bursts:10,0 --pack 2 --verify
refused "a rate that is too low" 2 2 "--processors 2 --rate 1Hz --max-time 1" "--max-time"

case_is "a builder counts events with lost fragments as lost"
export COMBENCH_UDP_FAULTS=loss=0.2
for schedule in none shift barrier; do
    measured 2 --schedule "$schedule" --technology udp --parameter timeout_ms=30 --sizes 64 --processors 2 \
        --max-time 1
    expect_rows "r['lost'] > 0 and 0 < r['incomplete'] <= r['lost']"
done
unset COMBENCH_UDP_FAULTS

# shellcheck disable=SC2317 # called by await
some_rows() {
    [ "$(grep -cs '"size_bytes"' result.json || true)" -ge 2 ] 2>/dev/null
}

case_is "a builder that is killed"
rm -f result.json
start 2 cb_evb --sizes "$(seq -s , 1000001 1000070)" --precision 0.01 --max-time 0.2 --output result.json
await "$limit_s" some_rows || failed "two rows in the file within $limit_s s" "fewer"
kill -KILL "$(pid_of_rank 1)"
collect
expect_failure
expect_all_gone
expect_valid result.json
expect_document result.json "d['complete']" False
expect_document result.json "len(d['results']) >= 2" True

# Two turns of four nodes: 24 messages with fragments, and as many acknowledgements or requests; of shift
# grants as well; of a barrier two messages of each node in each of three phases.
for messages in none:48 offset:48 shift:72 barrier:72 credits:2:48; do
    case_is "messages of a trace, ${messages%:*}"
    run 0 cb_evb --processors 4 --sizes 1000 --schedule "${messages%:*}" --trace-steps 2 --emit-trace trace.cct
    expect_status 0
    run 0 "$builddir/ccmod" run --overhead-us 1 --latency-us 2 --bandwidth-MBps 10 --format json \
        --output model.json trace.cct
    expect_status 0
    expect_document model.json "d['messages']" "${messages##*:}"
done

case_is "the order of messages in a trace is drawn from the seed"
for name in one:1 same:1 other:2; do
    run 0 cb_evb --processors 6 --sizes 64KiB --schedule none --trace-steps 8 --seed "${name#*:}" --emit-trace "${name%:*}.cct"
    expect_status 0
done
cmp -s one.cct same.cct || failed "the same trace with the same seed" "another one"
cmp -s one.cct other.cct && failed "another trace with another seed" "the same one"

finish
