#!/bin/sh
# Faults of a technology are found and named: each kind in the counts of --verify, without a hang, and
# without --verify a wrong byte by the sum over the data that a destination refers to.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# faulty FAULT RANK RANKS PROGRAM OPTIONS...: the second packet of RANK is hit in the verification pass
faulty() {
    fault=$1
    export CB_FAULT="$1" CB_FAULT_RANK="$2" CB_FAULT_VERIFIED=1
    ranks=$3
    program=$4
    shift 4
    case_is "$fault: faulty_$program $*"
    rm -f result.json
    # A rank that misses a packet ends the job; after other faults all ranks end together.
    launch=run_refused
    [ "$fault" != drop ] || launch=run
    $launch "$ranks" "faulty_$program" --technology faulty --verify --sizes 64 --max-time 0.03 \
        --output result.json "$@"
    expect_all_gone
    expect_valid result.json
}

# Numbers of lost, duplicate, reordered and corrupted packets, and whether the run completed.
expect_counts() {
    expect_status 1
    expect_error "verification failed" "$1 lost, $2 duplicate, $3 reordered, $4 corrupted"
    expect_document result.json \
        "[[r['verify'][kind] for kind in ('lost', 'doubled', 'reordered', 'corrupted')] for r in d['results']]" \
        "[[$1, $2, $3, $4]]"
    expect_document result.json "d['complete']" "$5"
}

faulty none 0 2 oneway
expect_status 0
expect_silence
expect_document result.json "[sum(r['verify'].values()) - r['verify']['messages'] for r in d['results']]" \
    "[0, 0]"
expect_document result.json "d['complete']" True

faulty drop 0 2 oneway --mode stream
expect_counts 1 0 0 0 False
expect_error "no packet came from rank"
faulty double 0 2 oneway --mode stream
expect_counts 0 1 0 0 True
faulty reorder 0 2 oneway --mode stream
expect_counts 0 0 1 0 True
faulty corrupt 0 2 oneway --mode stream
expect_counts 0 0 0 1 True

faulty corrupt 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts 0 0 0 2 True

# Two packets of one round, which have the same source and number: only the destination differs.
faulty swap 0 4 outfarm --destinations 3 --mode stream
expect_counts 0 0 0 2 True
faulty swap 0 4 alltoall --processors 4
expect_status 1
expect_document result.json "[r['verify']['corrupted'] for r in d['results']]" "[0, 2]"

# The source frees the group of a broadcast when all members have answered and left it.
for verify in "" --verify; do
    [ -n "$verify" ] || thorough || continue
    case_is "rounds of new lists $verify"
    # shellcheck disable=SC2086 # without an option there is no word
    run 5 cb_multicast --technology mpi --mode round --list new --multicast technology --sizes 64 \
        --destinations 2 --max-time 0.03 --output result.json $verify
    expect_status 0
    expect_rows "r['mode'] == 'round' and r['list'] == 'new' and ('verify' in r) == ('$verify' != '')"
    expect_rows "sum(r.get('verify', {}).values()) == r.get('verify', {}).get('messages', 0)"
done

# Every packet: on a busy machine a timed pass may hold only a few of them.
for fault in corrupt cut; do
    [ "$fault" = cut ] || thorough || continue
    case_is "$fault, without --verify"
    export CB_FAULT=$fault CB_FAULT_RANK=0 CB_FAULT_EVERY=1
    run 2 faulty_oneway --technology faulty --sizes 64 --max-time 0.03 --mode stream
    expect_status 1
    expect_error "packets of .* at rank 1 has the sum" "corrupted or cut" "--verify"
    expect_all_gone
done

thorough || finish
unset CB_FAULT_EVERY

# A stage that gives up leaves the run to the others: the counts are summed, and no rank waits.
faulty drop 0 5 pipeline --topology 2-2-1 --algorithm 0 --rate 2kHz
expect_status 1
expect_error "no packet came from" "verification failed" "lost"
expect_document result.json "d['complete']" False

faulty swap 0 4 outfarm --destinations 3 --mode stream --sizes 16
expect_counts 0 0 0 2 True

# Neither side hears of the other any more: a ping is lost, and no pong is sent.
faulty drop 0 2 oneway --mode pingpong
expect_counts 2 0 0 0 False
faulty cut 1 2 oneway --mode pingpong
expect_counts 0 0 0 1 True

# Both stream, and only one misses a packet.
faulty drop 0 2 twoway --mode stream
expect_counts 1 0 0 0 False

# Packets that are taken from any source.
faulty drop 1 3 funnel --mode event --sources 1
expect_counts 1 0 0 0 False
faulty double 2 3 funnel --mode event
expect_status 1
expect_document result.json "[r['verify']['doubled'] for r in d['results']]" "[0, 1]"

# Lists: a broadcast that goes past a destination is no lost one.
faulty drop 0 2 multicast --multicast loop --list fixed
expect_counts 1 0 0 0 False
faulty double 0 2 multicast --multicast loop --list fixed
expect_counts 0 1 0 0 True
faulty drop 0 3 multicast --multicast loop --list rotate --destinations 1
expect_counts 1 0 0 0 False

# The technology's own multicast, which every destination misses or gets.
faulty none 0 3 multicast --multicast technology --list fixed --destinations 2
expect_status 0
expect_document result.json "d['complete']" True
faulty drop 0 2 multicast --multicast technology --list fixed
expect_counts 1 0 0 0 False
expect_error "no packet came from the multicasting rank"
faulty drop 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts 2 0 0 0 False
# A rank that misses the broadcast of a new list goes on: the next group needs it.
faulty drop 0 3 multicast --multicast technology --list new --destinations 2
expect_counts 2 0 0 0 True
faulty drop 0 3 multicast --mode round --multicast technology --list new --destinations 2
expect_counts 2 0 0 0 True
faulty corrupt 0 3 multicast --multicast technology --list new --destinations 2
expect_counts 0 0 0 2 True
faulty double 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts 0 2 0 0 True
faulty reorder 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts 0 0 2 0 True

finish
