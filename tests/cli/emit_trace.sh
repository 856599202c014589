#!/bin/sh
# --emit-trace of every program: the trace has the messages that a job sends with the same options, ccmod
# runs it, and options that a trace cannot represent are refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=120

# compare RANKS NAME OPTIONS...: a trace, a job, and their messages, of which there are some
compare() {
    job_ranks=$1
    name=$2
    shift 2
    case_is "$name $*"
    rm -f sent.* trace.cct
    run 0 "cb_$name" --emit-trace trace.cct --trace-steps 70 "$@"
    expect_status 0
    # The sanitizer warns that it does not support coroutines.
    sed -i '/makecontext.swapcontext/d' err
    expect_silence
    run "$job_ranks" "counting_$name" --trace-steps 70 "$@"
    expect_status 0
    expect_silence
    "$CB_PYTHON" "$srcdir/tests/cli/compare_sent.py" trace.cct sent.* >compared 2>&1 ||
        failed "the messages that are sent" "$(head -n 5 compared)"
    expect_true "messages to compare" test "$(tail -n 1 compared)" -ge 70
    run 0 "$builddir/ccmod" info trace.cct
    expect_status 0
    run 0 "$builddir/ccmod" run --format json --output model.json trace.cct
    expect_status 0
    expect_silence
    expect_document model.json "len(d['processors'])" "$job_ranks"
}

# Every mode of every program; in `make check` one of each that has steps of its own.
describe_benchmarks traces >every_mode
if ! thorough; then
    awk '$2 !~ /^(bare|twoway|comms[12])$/ && !seen[$2]++' every_mode >one_mode
    mv one_mode every_mode
fi
while read -r ranks name options <&3; do
    # shellcheck disable=SC2086 # options are several words
    compare "$ranks" "$name" $options
done 3<every_mode

# Fragments of varying size, of which none has the size of a control message.
compare 4 funnel --sources 3 --mode event --fragments uniform:17-900 --correlation 0.5
compare 7 pipeline --topology 4-2-1 --algorithm 0 --fragments gamma:1KiB,200
compare 6 pullfarm --sources 3 --destinations 2 --algorithm 0 --fragments uniform:17-900+fixed:50

case_is "algorithms"
run 0 cb_pushfarm --emit-trace trace.cct --sizes 64 --sources 3 --destinations 2 --algorithm 20 --trace-steps 10
expect_status 0
expect_equal "packets that are worked on, in a loop of 3" 1 "$(grep -c '^c 20$' trace.cct)"

case_is "standard output"
run 0 cb_pushfarm --emit-trace - --sizes 64 --sources 3 --destinations 2 --algorithm 20 --trace-steps 10
expect_status 0
expect_true "the same trace" cmp out trace.cct

case_is "full standard output"
if [ -e /dev/full ]; then
    status=0
    "$builddir/cb_oneway" --emit-trace - --sizes 64 --mode pingpong >/dev/full 2>err || status=$?
    expect_status 1
    expect_one_error "standard output" "--emit-trace"
fi

case_is "a farm larger than any job on this machine"
run 0 cb_pushfarm --emit-trace trace.cct --sizes 1024 --sources 300 --destinations 300 --algorithm 0 --trace-steps 300
expect_status 0
run 0 "$builddir/ccmod" run --format json --output model.json trace.cct
expect_status 0
expect_document model.json "d['messages']" $((300 * (300 + 300 + 1)))

# refused WORD OPTIONS...: refused with this word, and no file is written
refused() {
    word=$1
    shift
    case_is "$*"
    rm -f trace.cct
    run 0 "$@" --emit-trace trace.cct
    expect_status 2
    expect_one_error "--emit-trace" "$word"
    expect_true "no trace" [ ! -e trace.cct ]
}

refused "options select" cb_oneway
refused "--rate" cb_pushfarm --sizes 64 --sources 2 --destinations 2 --algorithm 0 --rate 1kHz
refused "--rate" cb_pipeline --sizes 64 --topology 2-1 --algorithm 0 --rate 1kHz
refused "--find-rate" cb_pullfarm --sizes 64 --sources 2 --destinations 2 --algorithm 0 --find-rate --deadline-us 100
refused "--compute" cb_twoway --sizes 64 --compute both
refused "--output" cb_oneway --sizes 64 --mode pingpong --output result.json
refused "--verify" cb_oneway --sizes 64 --mode pingpong --verify

case_is "a missing folder"
run 0 cb_oneway --sizes 64 --mode pingpong --emit-trace missing/trace.cct
expect_status 2
expect_one_error "missing/trace.cct" "make its directory" "--emit-trace"
refused "ranks" cb_funnel --sizes 64 --sources 20000 --mode free

thorough || finish

# Variants by other options.
compare 2 oneway --sizes 1000 --mode stream
compare 2 twoway --sizes 64 --mode stream --window 8
compare 4 pairs --sizes 64 --processors 4 --window 3
compare 3 outfarm --sizes 0 --destinations 2 --mode round
compare 4 multicast --sizes 64 --destinations 3 --list fixed --multicast technology
compare 4 multicast --sizes 64 --destinations 3 --list random --multicast loop
compare 5 multicast --sizes 64 --destinations 2 --list rotate --multicast technology --trace-ranks 5
compare 5 multicast --sizes 64 --destinations 2 --list new --multicast loop --trace-ranks 5
compare 4 multicast --sizes 64 --destinations 3 --list fixed --multicast loop --trace-blocks 3
compare 4 funnel --sizes 64 --sources 3 --mode event --trace-blocks 3
compare 6 pushfarm --sizes 64 --sources 3 --destinations 2 --algorithm 0 --in-flight 5 --supervisor multicast
compare 5 alltoall --sizes 64 --processors 5 --trace-shifts 2
compare 5 pullfarm --sizes 8 --sources 2 --destinations 2 --algorithm 0 --in-flight 3
compare 7 pullfarm --sizes 8 --sources 4 --destinations 2 --algorithm 0 --in-flight 3 --fetch 2
compare 7 pullfarm --sizes 8 --sources 4 --destinations 2 --algorithm 0 --in-flight 3 --accept 0.5
compare 7 pullfarm --sizes 64 --sources 4 --destinations 2 --algorithm 0 --in-flight 3 --supervisor multicast
compare 36 pullfarm --sizes 64 --sources 34 --destinations 1 --algorithm 0 --in-flight 2

finish
