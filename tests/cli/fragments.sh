#!/bin/sh
# --fragments: packets of varying size of funnel, pipeline and farms. They arrive whole, rows say what
# arrived, traces have each size, and a specification or file with an error is refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

# The first event has the largest sizes, so that the shortest pass has them.
printf '# event by event\n500 4096\n20, 3KiB\n\n100 17\n' >two.txt
printf '2000\n16\n300 # quiet\n' >one.txt

# measured RANKS PROGRAM OPTIONS...: verified, and each row has what arrived
measured() {
    case_is "$*"
    ranks=$1
    program=$2
    shift 2
    rm -f result.json
    run "$ranks" "cb_$program" --max-time 0.05 --verify --output result.json "$@"
    expect_status 0
    expect_silence
    expect_valid result.json
    expect_rows "0 < r['fragment_mean_bytes'] <= r['fragment_largest_bytes'] and r['fragments'] == \
        d['parameters']['fragments'] and r['verify']['messages'] > 0"
}

over_all_programs() {
    measured 5 funnel --sources 4 --fragments uniform:0-5000 --technology "$1"
    measured 7 pipeline --topology 4-2-1 --algorithm 0 --fragments gamma:1KiB,2 --technology "$1"
    measured 6 pushfarm --sources 2 --destinations 3 --algorithm 0 --technology "$1" \
        --fragments fixed:100+lognormal:2KiB,0.4
    measured 5 pullfarm --sources 2 --destinations 2 --algorithm 0 --fragments uniform:0-3000 \
        --technology "$1"
}

over_all_programs mpi

case_is "a file is replayed, and the figures are those of its bytes"
measured 3 funnel --sources 2 --mode event --fragments file:two.txt
expect_document result.json "[r['size_bytes'] for r in d['results']]" "[207, 1301]"
expect_document result.json "[r['fragment_largest_bytes'] for r in d['results']]" "[500, 4096]"
expect_rows "abs(r['throughput_MBps'] * rate_us(r) / \
    (r['sources'] * r['fragment_mean_bytes']) - 1) < 1e-6"
measured 5 pushfarm --sources 2 --destinations 2 --algorithm 0 --fragments file:one.txt
expect_rows "r['fragment_largest_bytes'] == 2000 and r['size_bytes'] == 772"

case_is "one fixed size is that of --sizes"
run 3 cb_funnel --sources 2 --mode event --max-time 0.05 --fragments fixed:300 --output result.json
expect_status 0
expect_rows "r['size_bytes'] == 300 and 'fragments' not in r and 'fragment_mean_bytes' not in r"

case_is "the seed determines the sizes, the correlation joins them"
sizes() {
    run 0 cb_pushfarm --sources 2 --destinations 1 --algorithm 0 --emit-trace sizes.cct \
        --trace-steps 400 --fragments lognormal:2KiB,0.5 "$@"
    expect_status 0
    run 0 "$builddir/ccmod" convert sizes.cct
    expect_status 0
    awk '/:$/ { rank = $1 } $1 == "is" && (rank == "1:" || rank == "2:") { print rank, $3 }' out
}
sizes --seed 5 >five
sizes --seed 5 >again
sizes --seed 6 >six
expect_equal "sends of the sources" 800 "$(wc -l <five)"
expect_true "the same sizes" cmp -s five again
expect_true "other sizes" sh -c '! cmp -s five six'
sizes --correlation 1 >joined
expect_equal "sizes of the sources" "$(sed -n 's/^1: //p' joined)" "$(sed -n 's/^2: //p' joined)"

case_is "a trace has each size, and receives of any"
run 0 cb_funnel --sources 2 --mode event --fragments file:two.txt --emit-trace file.cct --trace-steps 4
expect_status 0
expect_equal "sizes of source 2" "0 4096 3072 17 4096" \
    "$(sed -n '/^2:/,$p' file.cct | sed -n 's/^[ir]*[sr] [0-9]* \([0-9]*\)$/\1/p' | head -n 5 | tr '\n' ' ' | sed 's/ $//')"
expect_true "receives of any size" grep -q '^r any \*$' file.cct
for words in "funnel --sources 3 --mode free" "pipeline --topology 4-2-1 --algorithm 3" \
    "pushfarm --sources 2 --destinations 2 --algorithm 3" \
    "pullfarm --sources 3 --destinations 2 --algorithm 0 --fetch 2"; do
    # shellcheck disable=SC2086 # options are words
    run 0 cb_$words --fragments gamma:1KiB,0.5 --emit-trace trace.cct --trace-steps 50
    expect_status 0
    run 0 "$builddir/ccmod" run --check trace.cct
    expect_status 0
    run 0 "$builddir/ccmod" run trace.cct
    expect_status 0
done
case_is "a trace that would be too long"
run 0 cb_funnel --sources 100 --mode event --fragments uniform:1-9 --emit-trace - --trace-steps 50000
expect_status 2
expect_one_error --trace-steps 4194304

case_is "what is refused"
refused() {
    options=$1
    shift
    refuse 2 3 cb_funnel "--sources 2 --max-time 0.05 $options" "$@"
}
printf '10\n20\nten\n' >word.txt
printf '10 20\n30\n' >ragged.txt
printf '# nothing\n' >empty.txt
refused "--fragments gauss:1,2" --fragments gauss lognormal
refused "--fragments uniform:9-3" --fragments uniform:9-3 exchange
refused "--fragments lognormal:1KiB" "median and sigma"
refused "--fragments lognormal:900MiB,1" "1 GiB"
refused "--fragments uniform:1-9 --correlation 1.5" --correlation
refused "--correlation 0.5" --correlation --fragments
refused "--fragments file:one.txt --correlation 0.5" --correlation
refused "--fragments uniform:1-9 --sizes 8" --fragments --sizes
refused "--fragments uniform:1-9 --sweep" --fragments --sweep
refused "--fragments uniform:1-9 --threads 2" --fragments --threads
refused "--fragments uniform:1-9 --compute both" --fragments --compute
refused "--fragments file:word.txt" word.txt "line 3" ten
refused "--fragments file:ragged.txt" ragged.txt "line 2"
refused "--fragments file:empty.txt" empty.txt
refused "--fragments file:missing.txt" missing.txt
refuse 2 5 cb_funnel "--sources 4 --max-time 0.05 --fragments file:two.txt" two.txt "2 sources" "has 4"
refuse 2 5 cb_pullfarm "--sources 2 --destinations 2 --accept 0.5 --fetch 1 --fragments uniform:1-99" \
    --accept "16 bytes"

thorough || finish

over_all_programs tcp
over_all_programs sci

case_is "larger than the technology sends"
run 3 cb_funnel --technology udp --sources 2 --mode event --max-time 0.05 --fragments uniform:100-100000
expect_status 77
expect_error "fragments of up to 100000 bytes" "larger than the technology"
run 3 cb_funnel --technology udp --sources 2 --mode event --max-time 0.05 --fragments uniform:1-100
expect_status 77
expect_error "16 bytes"

# with_fault FAULT PROGRAM OPTIONS...: of the verification pass
with_fault() {
    case_is "--verify finds $*"
    fault=$1
    program=$2
    shift 2
    export CB_FAULT="$fault" CB_FAULT_WHAT=fragment CB_FAULT_RANK=1 CB_FAULT_VERIFIED=1
    run_refused 5 "lossy_$program" --technology broken --max-time 0.05 --verify \
        --fragments uniform:20-3000 --output result.json "$@"
    unset CB_FAULT CB_FAULT_WHAT CB_FAULT_RANK CB_FAULT_VERIFIED
    expect_status 1
    expect_error "verification failed" "1 corrupted"
}
with_fault cut pushfarm --sources 2 --destinations 2 --algorithm 0
with_fault corrupt pullfarm --sources 2 --destinations 2 --algorithm 0

# found_by_sum FAULT: without --verify
found_by_sum() {
    case_is "the sum of a farm finds that a fragment was $1"
    export CB_FAULT="$1" CB_FAULT_WHAT=fragment CB_FAULT_EVERY=4
    run 5 lossy_pushfarm --technology broken --max-time 0.05 --sources 2 --destinations 2 \
        --algorithm 0 --fragments uniform:20-3000 --output result.json
    unset CB_FAULT CB_FAULT_WHAT CB_FAULT_EVERY
    expect_status 1
    expect_error "varying size" "corrupted or cut"
}
found_by_sum cut
found_by_sum corrupt

case_is "losses are accounted for"
export CB_FAULT=drop,double,reorder CB_FAULT_WHAT=any CB_FAULT_EVERY=30
run 5 lossy_pushfarm --technology lossy --max-time 0.1 --sources 2 --destinations 2 --algorithm 0 \
    --in-flight 4 --fragments uniform:16-3000 --output result.json
unset CB_FAULT CB_FAULT_WHAT CB_FAULT_EVERY
expect_status 0
expect_valid result.json
expect_rows "r['issued'] == r['decided'] + r['lost'] + r['in_flight'] and r['fragment_mean_bytes'] > 0"

finish
