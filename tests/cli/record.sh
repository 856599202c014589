#!/bin/sh
# --emit-trace of a run in a model: ccmod says of the trace what the run took, cb_replay plays it, and what is
# not written is an error.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder
limit_s=120

cat >net.cal <<END
%calibration 1
line overhead_us=0.25 latency_us=1.5 us_per_byte=0.0001
eager_bytes 64KiB
END

# recorded TITLE PROGRAM OPTIONS...
recorded() {
    case_is "$1"
    shift
    rm -f trace.cct result.json
    run 0 "$@" --model net.cal --max-time 0.01 --emit-trace trace.cct --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
    run 0 "$builddir/ccmod" run --calibration net.cal --format json --output model.json trace.cct
    expect_status 0
    took_us=$(sed -n 's/^# The run took \(.*\) us\.$/\1/p' trace.cct)
    expect_document model.json "abs(d['end_us'] / $took_us - 1) < 0.01" True
}

# played RANKS: the last trace, by real processes
played() {
    [ -n "$MPIRUN" ] || return 0
    run "$1" cb_replay trace.cct --max-time 0.05 --output played.json
    expect_status 0
    messages=$("$CB_PYTHON" -c "import json; print(json.load(open('model.json'))['messages'])")
    expect_document played.json "d['results'][0]['replay']['messages']" "$messages"
}

recorded "a stream" cb_oneway --sizes 1000 --mode stream
recorded "a ping-pong" cb_oneway --sizes 64 --mode pingpong
played 2
recorded "messages that wait for no receive" cb_oneway --sizes 64KiB --mode stream
expect_true "buffered sends" grep -q '^bs 1 65536$' trace.cct
recorded "all-to-all" cb_alltoall --processors 4 --sizes 4000 --mode round
played 4
recorded "a push farm" cb_pushfarm --sources 3 --destinations 2 --sizes 1000 --algorithm 5
expect_true "the algorithm" grep -q '^c 5$' trace.cct
played 6
recorded "event building" cb_evb --ranks 4 --sizes 1000 --schedule shift
recorded "a pipeline" cb_pipeline --topology 4-2-1 --sizes 1000 --algorithm 3
recorded "an open loop" cb_pullfarm --sources 2 --destinations 2 --sizes 1000 --algorithm 5 --rate 50kHz \
    --arrivals poisson
recorded "a multicast of the network" cb_multicast --destinations 4 --sizes 1000 --multicast technology --mode round
expect_true "one record" grep -q '^m 1-4 1000$' trace.cct
recorded "a multicast by a tree" cb_multicast --destinations 4 --sizes 1000 --multicast technology --mode round \
    --group-send tree
expect_equal "a message of the tree is sent on" "is 3 1000" "$(awk '/:$/ { rank = $0; next }
    rank == "1:" { if (before == "r 0 *" && $1 == "is") { print; exit } before = $0 }' trace.cct)"

case_is "standard output"
run 0 cb_oneway --model net.cal --sizes 64 --mode pingpong --max-time 0.01 --emit-trace trace.cct --output result.json
run 0 cb_oneway --model net.cal --sizes 64 --mode pingpong --max-time 0.01 --emit-trace - --output result.json
expect_status 0
expect_true "the same trace" cmp out trace.cct
expect_true "the text of the result elsewhere" grep -q "not measured" err

case_is "full standard output"
if [ -e /dev/full ]; then
    status=0
    "$builddir/cb_oneway" --model net.cal --sizes 64 --max-time 0.01 --emit-trace - --output result.json \
        >/dev/full 2>messages || status=$?
    grep 'error:' messages >err
    expect_status 1
    expect_one_error "standard output" "No space left" "--emit-trace"
fi

case_is "a file that grows too large"
status=0
(ulimit -f 8 && "$builddir/cb_oneway" --model net.cal --sizes 64 --max-time 0.01 --emit-trace large.cct) >out 2>err ||
    status=$?
expect_status 1
expect_one_error "large.cct" "too large" "--emit-trace"
expect_true "no file" [ ! -e large.cct ]

case_is "an interrupted run"
rm -f result.json
start 0 cb_oneway --model net.cal --sizes 64,128,256,512,1024 --precision 0.01 --max-time 20 --emit-trace cut.cct \
    --mode stream --output result.json
await "$limit_s" grep -qs '"size_bytes"' result.json || failed "a row in the file within $limit_s s" "none"
kill -INT "$launcher_pid"
collect
expect_status 1
expect_true "no trace and no temporary file" [ -z "$(find . -name '*.tmp' -o -name cut.cct)" ]

case_is "a missing folder"
refuse 2 0 cb_oneway "--model net.cal --emit-trace missing/trace.cct" "missing/trace.cct" "make its directory"
case_is "the calibration"
refuse 2 0 cb_oneway "--model net.cal --emit-trace net.cal" "would replace" "--model"
finish
