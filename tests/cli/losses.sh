#!/bin/sh
# Programs over udp where datagrams are lost. Where none arrives nothing is measured, whatever the program: no row,
# the reason, status 1, and thresholds that are not accepted. Where some are lost, rates are what arrived in the time
# that passed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# lossy SHARE RANKS PROGRAM OPTIONS...: with short timeouts; the document is in result.json
lossy() {
    export COMBENCH_UDP_FAULTS="loss=$1"
    shift
    rm -f result.json
    run_refused "$@" --technology udp --parameter timeout_ms=5 --output result.json
    unset COMBENCH_UDP_FAULTS
}

# dead PROGRAM RANKS OPTIONS... A program with many steps may have given up before it could make a row.
dead() {
    program=$1
    ranks=$2
    shift 2
    case_is "no datagram arrives: $program $*"
    lossy 1 "$ranks" "cb_$program" --sizes 64 --max-time 0.05 "$@"
    expect_status 1
    expect_error "arrived, so nothing was measured; see whether a firewall\|nothing received over udp from"
    expect_valid result.json
    expect_document result.json "d['results']" "[]"
    expect_document result.json \
        "not d['complete'] or any('nothing was measured' in one['reason'] for one in d['skipped'])" True
}

dead oneway 2
dead alltoall 3 --processors 2,3
dead pullfarm 3 --sources 1 --destinations 1 --algorithm 0 --in-flight 2
dead evb 2 --processors 2

case_is "a plan with thresholds, where no datagram arrives"
cat >dead.plan <<'END_OF_PLAN'
max-time = 0.05
technologies = udp
repeat = 1
[oneway]
sizes = 64
options = --parameter timeout_ms=5
accept = latency_us <= 1s, frequency_Hz >= 1
[pairs]
processors = 2
sizes = 64
options = --parameter timeout_ms=5
accept = scaling_efficiency >= 0.5
END_OF_PLAN
export COMBENCH_UDP_FAULTS=loss=1
run 0 "$srcdir/scripts/combench" run dead.plan --output dead --mpirun "$MPIRUN" --programs "$builddir"
unset COMBENCH_UDP_FAULTS
expect_status 1
cat out >>err
expect_error "^untested  \[oneway\] latency_us" "^untested  \[oneway\] frequency_Hz" "^untested  \[pairs\]" "^not accepted"

# partly RANKS PROGRAM OPTIONS...: the rates of rows, none of which is clean
partly() {
    case_is "$*: some datagrams are lost"
    lossy 0.1,seed=3 "$@" --sizes 64 --max-time 0.3
    expect_status 0
    expect_valid result.json
    expect_rows "'rates_from' in r or r['datagrams']['lost'] == 0"
    expect_document result.json "any(r['datagrams']['lost'] for r in d['results'])" True
    expect_rows "r['mode'] == 'closed' or 0 < r['throughput_MBps'] * rate_us(r) / \
        ($packets * r['size_bytes']) <= 1.000001"
    expect_true "the mark of losses" grep -q '&<' out
}

packets=1
partly 2 cb_oneway --mode pingpong
partly 2 cb_oneway --mode stream
packets="r['sources']"
partly 3 cb_funnel --sources 2 --mode event

# With a mean loss of an event in three, the closed loop waits for most of its time.
case_is "a farm decides no more events than fit into the time of its blocks"
lossy 0.1,seed=3 3 cb_pullfarm --sources 1 --destinations 1 --algorithm 0 --in-flight 2 --sizes 64 --max-time 0.5
expect_status 0
expect_valid result.json
expect_rows "r['lost'] > 0 and r['rates_from'] == 'totals'"
expect_rows "0 < r['frequency_Hz'] and r['frequency_Hz'] * sum(r.get('blocks_us', ())) * r.get('steps', 0) / \
    r.get('blocks', 1) <= 1e6 * r['decided']"

thorough || finish

dead twoway 2
dead pairs 2 --processors 2
dead funnel 3 --sources 2
dead outfarm 3 --destinations 2
dead multicast 3 --destinations 2 --multicast loop
dead ring 3
dead calibrate 3
dead pushfarm 3 --sources 1 --destinations 1 --algorithm 0 --rate 1kHz
dead evb 2 --processors 2 --rate 1kHz
for number in 1 2 3; do dead comms$number 3; done
dead oneway 2 --compute destination

case_is "a victim of which no datagram arrives"
lossy 1 4 cb_congest --victim "oneway --mode pingpong" --aggressor "oneway --mode pingpong" --rounds 2 --max-time 0.05
expect_status 1
expect_error "arrived, so nothing was measured"
expect_document result.json "d['results']" "[]"

finish
