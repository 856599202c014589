#!/bin/sh
# Faults of a technology are found and named: each kind in the counts of --verify, without a hang, and
# without --verify a wrong byte by the sum over the data that a destination refers to.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# faulty FAULT RANK RANKS PROGRAM OPTIONS...: the second packet of RANK is hit in the verification pass. Of several
# faults, separated by commas, each has a pass, with a size of its own.
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
    [ "${fault##*,}" != drop ] || launch=run
    passes=$(echo "$fault" | tr , '\n' | wc -l)
    $launch "$ranks" "faulty_$program" --technology faulty --verify --max-time 0.03 \
        --sizes "$(seq -s , 64 -8 $((72 - 8 * passes)))" \
        --output result.json "$@"
    expect_all_gone
    expect_valid result.json
}

# expect_counts COMPLETE LOST,DUPLICATE,REORDERED,CORRUPTED...: of each pass, and whether the run completed
expect_counts() {
    complete=$1
    shift
    expect_status 1
    expect_error "verification failed"
    for counts in "$@"; do
        [ "$counts" = 0,0,0,0 ] || expect_error "$(echo "$counts" | sed 's/\(.*\),\(.*\),\(.*\),/\1 lost, \2 duplicate, \3 reordered, /')"
    done
    expect_document result.json \
        "[[r['verify'][kind] for kind in ('lost', 'doubled', 'reordered', 'corrupted')] for r in d['results']]" \
        "[$(printf '[%s], ' "$@" | sed 's/, $//; s/,\([0-9]\)/, \1/g')]"
    expect_document result.json "d['complete']" "$complete"
}

faulty none 0 2 oneway
expect_status 0
expect_silence
expect_document result.json "[sum(r['verify'].values()) - r['verify']['messages'] for r in d['results']]" \
    "[0, 0]"
expect_document result.json "d['complete']" True

# A message too many is left in the network, and a lost one ends a run: these are the last of a run.
faulty reorder,corrupt,double 0 2 oneway --mode stream
expect_counts True 0,0,1,0 0,0,0,1 0,1,0,0
faulty drop 0 2 oneway --mode stream
expect_counts False 1,0,0,0
expect_error "no packet came from rank"

# The technology's own multicast, which every destination misses or gets.
faulty none,corrupt,reorder,double 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts True 0,0,0,0 0,0,0,2 0,0,2,0 0,2,0,0

# Two packets of one round, which have the same source and number: only the destination differs.
faulty swap,swap 0 4 outfarm --destinations 3 --mode stream --sizes 64,16
expect_counts True 0,0,0,2 0,0,0,2
faulty swap 0 4 alltoall --processors 4
expect_status 1
expect_document result.json "[r['verify']['corrupted'] for r in d['results']]" "[0, 2]"

# The source frees the group of a broadcast when all members have answered and left it.
case_is "rounds of new lists"
run 5 cb_multicast --technology mpi --mode round --list new --multicast technology --sizes 64 \
    --destinations 2 --max-time 0.03 --output result.json --verify
expect_status 0
expect_rows "r['mode'] == 'round' and r['list'] == 'new' and sum(r['verify'].values()) == r['verify']['messages'] > 0"

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

# A pong is cut. Then neither side hears of the other any more: a ping is lost, and no pong is sent.
faulty cut,drop 1,0 2 oneway --mode pingpong
expect_counts False 0,0,0,1 2,0,0,0

# Both stream, and only one misses a packet.
faulty drop 0 2 twoway --mode stream
expect_counts False 1,0,0,0

# Packets that are taken from any source.
faulty drop 1 3 funnel --mode event --sources 1
expect_counts False 1,0,0,0
faulty double 2 3 funnel --mode event
expect_status 1
expect_document result.json "[r['verify']['doubled'] for r in d['results']]" "[0, 1]"

# Lists: a broadcast that goes past a destination is no lost one.
faulty double 0 2 multicast --multicast loop --list fixed
expect_counts True 0,1,0,0
faulty drop 0 2 multicast --multicast loop --list fixed
expect_counts False 1,0,0,0
faulty drop 0 3 multicast --multicast loop --list rotate --destinations 1
expect_counts False 1,0,0,0

# The technology's own multicast to one destination.
faulty drop 0 2 multicast --multicast technology --list fixed
expect_counts False 1,0,0,0
expect_error "no packet came from the multicasting rank"
faulty drop 0 3 multicast --multicast technology --list fixed --destinations 2
expect_counts False 2,0,0,0
# A rank that misses the broadcast of a new list goes on: the next group needs it.
faulty drop,corrupt 0 3 multicast --multicast technology --list new --destinations 2
expect_counts True 2,0,0,0 0,0,0,2
faulty drop 0 3 multicast --mode round --multicast technology --list new --destinations 2
expect_counts True 2,0,0,0

finish
