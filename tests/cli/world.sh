#!/bin/sh
# --model: every program in a model of a network. Figures that follow from the calibration, the messages of
# ccmod, open loops, equal documents of equal seeds, a slow link that is named, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder
limit_s=120

# A message of B bytes takes 0.25 + 1.5 us + B * 0.1 ns.
cat >net.cal <<END
%calibration 1
line overhead_us=0.25 latency_us=1.5 us_per_byte=0.0001
eager_bytes 64KiB
END

calibration=net.cal

# modelled NAME PROGRAM OPTIONS...
modelled() {
    case_is "$1"
    shift
    rm -f result.json
    run 0 "$@" --model "$calibration" --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
    expect_document result.json "(d['source'], d['technology'], d['complete'])" "('model', 'model', True)"
    expect_rows "r.get('lost', 0) == 0 and r.get('errors', 0) == 0 and r.get('in_flight', 0) == 0"
    expect_rows "'verify' not in r or sum(r['verify'].values()) == r['verify']['messages'] > 0"
}

# Every mode of every program, in `make check` one of each; those of which a step is known below.
describe_benchmarks traces >every_mode
thorough || {
    awk '$2 !~ /^bare$/ && !seen[$2]++' every_mode >one_mode
    mv one_mode every_mode
}
while read -r ranks name options <&3; do
    [ "$name" != bare ] || continue
    # shellcheck disable=SC2086 # options are several words
    modelled "$name $options" "cb_$name" --ranks "$ranks" --max-time 0.01 $options
done 3<every_mode

modelled "ping-pong" cb_oneway --sizes 1,1000,10000 --mode pingpong --max-time 0.01
expect_rows "abs(r['latency_us']['median'] - 1.75 - r['size_bytes'] / 1e4) < 0.002"
modelled "ping-pong above the eager size" cb_oneway --sizes 100000 --mode pingpong --max-time 0.01
expect_rows "abs(r['latency_us']['median'] - 11.75) < 0.002"
# The link carries a packet in 1 us, four times as long as its sender needs.
modelled "a stream" cb_oneway --sizes 10000 --mode stream --max-time 0.05
expect_rows "abs(r['round_us']['median'] - 1) < 0.01"
expect_rows "r['limit'].startswith('node ') and r['limit_pct'] > 98 and abs(r['knee_Hz'] / 1e6 - 1) < 0.01"
# Others use half of each link, so that a packet takes twice as long on it.
modelled "a stream beside other traffic" cb_oneway --sizes 10000 --mode stream --max-time 0.05 --background 0.5
expect_rows "abs(r['round_us']['median'] - 2) < 0.02"
expect_document result.json "d['parameters']['background']" 0.5
# 32 sources send 8 KB at a time to a port with room for 16 KiB: frames are dropped, and timeouts show.
for buffer in 16KiB 1GiB; do
    modelled "a buffer of $buffer" cb_funnel --sources 32 --sizes 8000 --mode event --max-time 0.05 --share tcp \
        --switch-buffer "$buffer"
    expect_document result.json "d['parameters']['switch_buffer']" "$buffer"
    "$CB_PYTHON" -c "import json; print(json.load(open('result.json'))['results'][-1]['step_us']['max'])" >>longest
done
expect_true "a longer step with the small buffer" sh -c 'sort -c -g -r longest'
# Of 8 ranks each sends seven packets; the last one arrives 1.5 us after its send, or later, if others come with it.
modelled "all-to-all" cb_alltoall --processors 8 --sizes 1000 --mode round --max-time 0.01
expect_rows "r['processors'] < 8 or 0 <= r['round_us']['median'] - (7 * 0.25 + 1.5 + 0.1) < 0.1"
# A round has 56 messages; blocks and their warm-up may use 70 % of the limit.
modelled "a limit of messages" cb_alltoall --processors 8 --sizes 1000 --mode round --max-time 1 --precision 0.01 --messages 10000
expect_rows "r['processors'] < 8 or r['stopped_by'] == 'messages' and 0.3 < r['steps'] * 56 / 10000 < 0.7"
modelled "a limit of messages in an open loop" cb_pipeline --topology 1-1 --sizes 1000 --algorithm 5 --rate 50kHz \
    --max-time 1 --messages 20000
expect_rows "0.4 * 20000 < r['issued'] <= 20000"
# A link whose directions share its capacity carries ten messages of a round, 0.4 us each, beside a latency of 1.75 us.
{
    cat net.cal
    echo "duplex_contention 2"
} >shared.cal
calibration=shared.cal
modelled "all-to-all on links that both directions share" cb_alltoall --processors 6 --sizes 4000 --mode round \
    --max-time 0.01
calibration=net.cal
expect_rows "r['processors'] < 6 or abs(r['round_us']['median'] - 5.75) < 0.1"
# The supervisor sends one message to each source for an event.
modelled "a push farm" cb_pushfarm --sources 8 --destinations 4 --sizes 1000 --algorithm 0 --max-time 0.02 --verify
expect_rows "abs(r['round_us']['median'] - 8 * 0.25) < 0.01"
# So that is what saturates first.
expect_rows "r['limit'] == 'rank 0' and abs(r['limit_pct'] - 100) < 1 and abs(r['knee_Hz'] / 500e3 - 1) < 0.01"

# The network copies what its sender sends once.
modelled "a multicast" cb_multicast --destinations 4 --sizes 10000 --multicast technology --max-time 0.02 --verify
expect_rows "abs(r['round_us']['median'] - 1) < 0.01"

# A hop takes 1.85 us, and an acknowledgement 1.75.
modelled "a multicast by a tree of sends" cb_multicast --destinations 7,8 --sizes 1000 --multicast technology \
    --list fixed --mode round --group-send tree --max-time 0.02 --verify
expect_rows "abs(r['round_us']['median'] - (3 * 1.85 + 1.75)) < 0.002"
modelled "by trees that change" cb_multicast --ranks 12 --destinations 5 --sizes 1000 --multicast technology \
    --list random --mode stream --group-send tree --share tcp --max-time 0.02 --verify
expect_rows "r['verify']['reordered'] == 0"

modelled "a timeline" cb_evb --ranks 4 --sizes 1000 --max-time 0.02 --timeline timeline.json
expect_true "fragments that arrive 1.85 us after their send, or later" "$CB_PYTHON" -c "
import json
sent, took = {}, []
for event in json.load(open('timeline.json'))['traceEvents']:
    if event['ph'] == 's':
        sent[event['id']] = event['ts']
    elif event['ph'] == 'f':
        took.append(event['ts'] - sent[event['id']])
assert took and abs(min(took) - 1.85) < 0.01, took"

{
    cat net.cal
    echo "share maxmin"
} >maxmin.cal
modelled "the rule of the calibration" cb_pairs --processors 2 --sizes 1000 --max-time 0.01
expect_document result.json "d['parameters']['share']" fifo
run 0 cb_pairs --model maxmin.cal --processors 2 --sizes 1000 --max-time 0.01 --output result.json
expect_document result.json "d['parameters']['share']" maxmin
modelled "a rule that is given" cb_pairs --share bottleneck --processors 2 --sizes 1000 --max-time 0.01
expect_document result.json "d['parameters']['share']" bottleneck

case_is "what was measured in a model is the model"
run 0 cb_calibrate --model net.cal --max-time 0.01 --output measured.json
run 0 "$builddir/ccmod" calibrate --output again.cal measured.json
expect_true "its line" grep -q 'line overhead_us=0.25 latency_us=1.[45][0-9]* us_per_byte=\(0.0001\|1.0*[0-9]*e-04\|9.99[0-9]*e-05\)' again.cal

case_is "as ccmod evaluates the messages"
run 0 cb_alltoall --processors 6 --sizes 4000 --mode round --emit-trace trace.cct --trace-steps 1000
run 0 "$builddir/ccmod" run --calibration net.cal --format json --output model.json trace.cct
modelled "the same rounds" cb_alltoall --processors 6 --sizes 4000 --mode round --max-time 0.01
expect_true "the time of 1000 rounds" "$CB_PYTHON" -c "
import json
rounds = json.load(open('result.json'))['results'][-1]['round_us']['median']
assert abs(json.load(open('model.json'))['end_us'] / 1000 / rounds - 1) < 0.002, rounds"

modelled "an open loop" cb_pushfarm --sources 2 --destinations 4 --sizes 1000 --algorithm 1 --max-time 0.05 \
    --load-curve 50%,90%,120% --arrivals poisson
expect_document result.json "[r['saturated'] for r in d['results'] if r['mode'] == 'open']" "[False, False, True]"
expect_document result.json "sorted(r['event_latency_us']['p50'] for r in d['results'] if r['mode'] == 'open') == [r['event_latency_us']['p50'] for r in d['results'] if r['mode'] == 'open']" True
modelled "a rate at a deadline" cb_pullfarm --sources 2 --destinations 2 --sizes 1000 --algorithm 1 --max-time 0.02 \
    --find-rate --deadline 100us
expect_document result.json "d['results'][-1]['found_Hz']['value'] > 1e5" True
modelled "work takes its time" cb_pipeline --topology 1-1 --sizes 1000 --algorithm 50 --max-time 0.5
expect_rows "abs(r['frequency_Hz'] - 20000) < 20"

case_is "equal seeds"
for run in 1 1 2; do
    modelled "seed $run" cb_funnel --sources 3 --sizes 64 --max-time 0.01 --seed "$run"
    "$CB_PYTHON" -c "
import json
d = json.load(open('result.json'))
print({k: v for k, v in d.items() if k not in ('started', 'elapsed_s', 'command', 'parameters')})" >>documents
done
expect_equal "two documents of three" "2" "$(sort -u documents | wc -l | tr -d ' ')"

# Node 3 has a tenth of the others' bandwidth.
cat >slow.net <<END
%network 1
nodes 6
switch all
link 0-2,4-5 all bandwidth_MBps=10000
link 3 all bandwidth_MBps=1000
END
modelled "a slow link is named" cb_linkmap --ranks 6 --sizes 64KiB --max-time 0.05 --network file:slow.net
expect_document result.json "{(f['kind'], f['host']) for r in d['results'] for f in r.get('link_faults', [])}" "{('slow', 'node3')}"

case_is "an interrupted run"
rm -f result.json
start 0 cb_pushfarm --model net.cal --sources 8 --destinations 8 --sizes 1000 \
    --algorithm 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19 --max-time 0.1 --output result.json
await "$limit_s" grep -qs '"size_bytes"' result.json || failed "a row in the file within $limit_s s" "none"
kill -INT "$launcher_pid"
collect
expect_status 1
expect_valid result.json
expect_document result.json "(d['complete'], d['reason'])" "(False, 'SIGINT')"

# A play takes 2 s of the model's time.
case_is "a long batch is interrupted in its middle"
rm -f result.json
printf '%%cct 1 ranks 2 unit us\n0:\n@ 8000000\ns 1 100\n;\n1:\n@ 8000000\nr 0 100\n;\n' >long.cct
start 0 cb_replay long.cct --model net.cal --ranks 2 --max-time 100 --output result.json
await "$limit_s" test -s result.json || failed "a document within $limit_s s" "none"
kill -TERM "$launcher_pid"
collect
expect_status 1
expect_valid result.json
expect_document result.json "(d['complete'], d['reason'], d['results'])" "(False, 'SIGTERM', [])"
expect_document result.json "d['elapsed_s'] < 2" True

# refused NAME PROGRAM OPTIONS TEXTS...
refused() {
    case_is "$1"
    shift
    program=$1
    options=$2
    shift 2
    refuse 2 0 "$program" "$options" "$@"
}

refused "no calibration" cb_oneway "--model none.cal" "none.cal" "ccmod calibrate"
refused "no network" cb_oneway "--model net.cal --network mesh" "'mesh'" "crossbar"
refused "no rule" cb_oneway "--model net.cal --share fair" "'fair'" "fifo"
refused "too few ranks" cb_funnel "--model net.cal --sources 4 --ranks 3" "5 ranks"
refused "a technology" cb_oneway "--model net.cal --technology tcp" "--technology" "the model is"
refused "reading" cb_oneway "--model net.cal --touch all" "--touch"
refused "a computing task" cb_oneway "--model net.cal --compute both" "--compute" "no cores"
refused "an aggressor that computes" cb_congest "--model net.cal --victim oneway --aggressor busy --ranks 4" \
    "busy" "no cores"
refused "threads" cb_oneway "--model net.cal --threads 2" "--threads"
refused "plain MPI" cb_bare "--model net.cal" "--model has no meaning"
refused "a network without a model" cb_oneway "--network crossbar" "without --model"
refused "messages without a model" cb_oneway "--messages 10000" "without --model"
refused "background without a model" cb_oneway "--background 0.3" "without --model"
refused "a buffer without a model" cb_oneway "--switch-buffer 16KiB" "without --model"
refused "a load that is none" cb_oneway "--model net.cal --background 2" "--background '2'" "0.99"
refused "a buffer that is none" cb_oneway "--model net.cal --share tcp --switch-buffer x" "--switch-buffer 'x'" "64KiB"
refused "a buffer that nothing fills" cb_oneway "--model net.cal --switch-buffer 16KiB" "share rule fifo" "use share rule tcp"
refused "a buffer without room for a frame" cb_oneway "--model net.cal --share tcp --switch-buffer 100" "a frame has"
refused "ranks without a model" cb_oneway "--ranks 4" "without --model"
refused "a tree without a model" cb_multicast "--group-send tree" "without --model"
finish
