#!/bin/sh
# Farms and pipelines as users start them, with 3 to 17 ranks on whatever cores there are: closed and
# open loads, all kinds of sizes. The documents are valid and hold the laws of farms, and rows that
# had more busy ranks than cores are marked. Over MPICH, whose ranks find turns on shared cores less
# easily, it is what has the most ranks: farm_small.sh has three.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

# measured NAME RANKS PROGRAM OPTIONS...
measured() {
    case_is "$1"
    shift
    rm -f result.json
    run_search "$@" --output result.json
    expect_valid result.json
    expect_document result.json "d['complete']" True
    if gave_way_to_others; then
        echo "(no rate was found: others took the machine)"
        return
    fi
    expect_status 0
    expect_silence
    expect_rows "r['oversubscribed'] or r['processors'] <= d['environment']['hosts'][0]['cores']"
    expect_rows "$may_lose or r.get('lost', 0) == r.get('errors', 0) == r.get('in_flight', 0) == 0"
}

# A datagram that comes later than its timeout, as on a busy machine, is lost.
may_lose="d['technology'] == 'udp'"

farm_of_17_ranks() {
    measured "$1 of 17 ranks, 8 to 8" 17 "cb_$1" --sources 8 --sizes 8,1024 --algorithm 0 \
        --max-time 0.05
    expect_rows "r['destinations'] == 8 and r['processors'] == 17"
}

# Where others take the cores, the other destination may be the slower one; then once more.
slow_destination() {
    piled_up="r['per_destination'][0]['in_flight_mean'] > r['per_destination'][1]['in_flight_mean']"
    for _ in 1 2 3; do
        measured "events pile up at a destination that is slow" 4 cb_pushfarm --sources 1 \
            --destinations 2 --sizes 64 --algorithm 0 --slow-us 5000 --max-time 0.2 --in-flight 4
        [ "$(document result.json "all($piled_up for r in d['results'])")" != True ] || break
    done
    expect_rows "$piled_up"
}

# Sources issue on a schedule of their own rank, so the accounts are those of the latest source.
pipeline_at_a_rate() {
    measured "a pipeline at a rate" 7 cb_pipeline --sizes 0,64 --algorithm 0 --max-time 0.2 \
        --rate 400Hz --arrivals poisson --seed 7 --verify
    expect_document result.json "[r['mode'] for r in d['results']]" "['open', 'open']"
    expect_rows "r['offered_Hz'] == 400 and r['arrivals'] == 'poisson' and r['issued'] >= 20"
    expect_rows "r['due'] == r['issued'] + r['not_issued']"
    expect_rows "r['event_latency_us']['samples'] == r['issued'] and r['event_latency_us']['max'] > 0"
    expect_rows "r['verify']['messages'] > 0 and sum(r['verify'].values()) == r['verify']['messages']"
}

# 2 ms of work on each event: whatever else the machine does, it cannot be faster.
pipeline_that_is_too_slow() {
    measured "a pipeline that is too slow for its rate" 3 cb_pipeline --topology 1-1-1 --sizes 64 \
        --algorithm 2ms --max-time 1 --rate 20kHz --window 4
    expect_rows "r['saturated'] and r['not_issued'] > 0 and r['frequency_Hz'] < 510"
    expect_rows "r['event_latency_us']['max'] > 2000"
}

verified_pipeline() {
    measured "a pipeline's packets, verified" 7 cb_pipeline --sizes 0,5,64 --algorithm 0 \
        --max-time 0.02 --verify
    expect_rows "r['verify']['messages'] > 0 and sum(r['verify'].values()) == r['verify']['messages']"
}

# told_by_multicast FARM: in a pull farm the destinations tell. Rows of a loop have no key for it.
told_by_multicast() {
    for technology in mpi sci udp; do
        measured "sources told by a multicast over $technology, $1" 5 "cb_$1" --sources 2 \
            --technology "$technology" --sizes 16,1024 --algorithm 0 --max-time 0.05 --verify \
            --supervisor multicast
        expect_document result.json "len(d['results']), d['parameters']['supervisor']" \
            "(2, 'multicast')"
        expect_rows "r['multicast'] == 'technology' and r['verify']['messages'] > 0"
        expect_rows "$may_lose or sum(r['verify'].values()) == r['verify']['messages']"
        expect_rows "sum(each['decided'] for each in r.get('per_destination', [])) in (0, r['decided'])"
    done
    measured "and at a rate" 5 "cb_$1" --sources 2 --sizes 1024 --algorithm 0 --max-time 0.1 \
        --supervisor multicast --rate 400Hz
    expect_rows "r['multicast'] == 'technology' and r['issued'] >= 20"
    measured "by a loop" 3 "cb_$1" --sizes 64 --algorithm 0 --max-time 0.02 --supervisor loop
    expect_rows "'multicast' not in r"
    case_is "a technology without a group send"
    run_refused 3 "cb_$1" --technology tcp --sizes 64 --algorithm 0 --supervisor multicast
    expect_status 77
    expect_error "no multicast" "--supervisor loop"
}

# Events with other sources overtake each other, also where packets carry no event number.
fetched_in_part() {
    for technology in mpi sci udp; do
        sizes=0,8,64
        [ "$technology" != udp ] || sizes=64
        measured "data of some sources over $technology" 7 cb_pullfarm --sources 4 --destinations 2 \
            --technology "$technology" --sizes $sizes --algorithm 0 --max-time 0.05 --verify --fetch 2
        expect_document result.json "d['parameters']['fetch']" 2
        expect_rows "r['fetched'] == 2 and r['sources'] == 4"
        expect_rows "abs(r['throughput_MBps'] - 2e-6 * r['size_bytes'] * r['frequency_Hz']) <= 1e-6 * r['throughput_MBps']"
        expect_rows "r['verify']['messages'] > 0 and r['verify']['messages'] % 2 == 0"
        expect_rows "$may_lose or sum(r['verify'].values()) == r['verify']['messages']"
        expect_rows "sum(each['decided'] for each in r['per_destination']) == r['decided']"
    done
    measured "of a fraction, at a rate" 7 cb_pullfarm --sources 4 --destinations 2 --sizes 64 \
        --algorithm 0 --max-time 0.1 --rate 400Hz --fetch 0.25
    expect_rows "r['fetched'] == 1"
    measured "of all" 3 cb_pullfarm --sizes 64 --algorithm 0 --max-time 0.02 --fetch all
    expect_rows "'fetched' not in r"
}

if [ "$MPI_KIND" != openmpi ]; then
    told_by_multicast pushfarm
    farm_of_17_ranks pushfarm
    farm_of_17_ranks pullfarm
    slow_destination
    verified_pipeline
    pipeline_at_a_rate
    finish
fi

for farm in pushfarm pullfarm; do
    measured "$farm of 3 ranks, all sizes, closed" 3 cb_$farm --sizes 0,8,15,16,64,1024,70000 \
        --algorithm 0,50 --max-time 0.05 --verify
    expect_document result.json "len(d['results'])" 14
    expect_rows "r['verify']['messages'] > 0"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages']"
    expect_rows "('algorithm_true_us' in r) == (r['algorithm_us'] > 0)"

    measured "$farm of 9 ranks at a rate" 9 cb_$farm --sizes 0,64 --algorithm 50 --max-time 0.1 \
        --rate 400Hz --arrivals poisson --seed 7
    expect_rows "r['mode'] == 'open' and r['offered_Hz'] == 400 and 20 <= r['issued'] <= 36"
    expect_rows "r['arrivals'] == 'poisson' and len(r['per_destination']) == 4"

    measured "$farm of 9 ranks along a curve" 9 cb_$farm --sources 4 --destinations 3 --sizes 16 \
        --algorithm 0 --max-time 0.3 --load-curve 2kHz,50%,300% --in-flight 6
    expect_document result.json "[r['mode'] for r in d['results']]" \
        "['closed', 'open', 'open', 'open']"
    expect_document result.json "d['results'][1]['offered_Hz']" 2000
    expect_rows "r['in_flight_limit'] == 6"

    measured "$farm of 3 ranks in search of a rate" 3 cb_$farm --sizes 64 --algorithm 0 \
        --max-time 0.05 --find-rate --deadline-us 1e7 --quantile p50
    if ! gave_way_to_others; then
        expect_document result.json "[r['mode'] for r in d['results']]" "['closed', 'open']"
        expect_document result.json "'found_Hz' in d['results'][1]" True
    fi

    farm_of_17_ranks $farm

    measured "$farm of as many shapes as fit" 9 cb_$farm --sources 4,2,6 --destinations 1,3,2 \
        --sizes 64 --algorithm 0 --max-time 0.02
    expect_document result.json "[(r['sources'], r['destinations']) for r in d['results']]" \
        "[(4, 1), (2, 3), (6, 2)]"
done

slow_destination
told_by_multicast pushfarm
told_by_multicast pullfarm
fetched_in_part

measured "addresses in two messages" 35 cb_pullfarm --sources 33 --destinations 1 --sizes 0,64 \
    --algorithm 0 --max-time 0.02 --verify
expect_rows "r['verify']['messages'] % 33 == 0 and 'fetched' not in r"

measured "more in flight than there is time for" 3 cb_pushfarm --sizes 64 --algorithm 500 \
    --in-flight 1048576 --rate 1kHz --max-time 0.05
expect_rows "r['in_flight_limit'] == 1048576 and r['issued'] < 1000"

measured "pipelines of all kinds" 15 cb_pipeline --topology 4-2-1,9-3-1,2-1,3-3-3,8-4-2-1 \
    --sizes 0,64,70000 --algorithm 0,50 --max-time 0.05
expect_document result.json "len(d['results'])" 30
expect_rows "('algorithm_true_us' in r) == (r['algorithm_us'] > 0)"
expect_document result.json "sorted({(r['topology'], r['processors']) for r in d['results']})" \
    "[('2-1', 3), ('3-3-3', 9), ('4-2-1', 7), ('8-4-2-1', 15), ('9-3-1', 13)]"

verified_pipeline
pipeline_at_a_rate
pipeline_that_is_too_slow

measured "a pipeline along a curve" 5 cb_pipeline --topology 2-2-1 --sizes 16 --algorithm 0,50 \
    --max-time 0.3 --load-curve 1kHz,20%,1000%
expect_document result.json "len(d['results'])" 6
expect_rows "r['mode'] == 'open' and r['issued'] >= 20"
expect_document result.json "d['results'][0]['offered_Hz']" 1000
expect_document result.json "d['results'][2]['offered_Hz'] / d['results'][1]['offered_Hz'] > 49" True

measured "a pipeline in search of a rate" 3 cb_pipeline --topology 1-1-1 --sizes 64 --algorithm 0 \
    --max-time 0.05 --find-rate --deadline-us 1e7 --quantile p50
if ! gave_way_to_others; then
    expect_document result.json "'found_Hz' in d['results'][0]" True
fi

case_is "a pipeline's search for a deadline that none can meet"
run_refused 3 cb_pipeline --topology 1-1-1 --sizes 64 --algorithm 50 --max-time 0.05 --find-rate \
    --deadline-us 0.01 --quantile p50 --output result.json
expect_status 1
expect_error "--find-rate" "topology 1-1-1"
expect_valid result.json
expect_document result.json "len(d['skipped'])" 1

finish
