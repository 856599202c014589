#!/bin/sh
# The map of links (cb_linkmap): invalid options, maps of four and five ranks in all modes and over several
# technologies, their matrices, and the comparison of two maps.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# refused NAME RANKS OPTIONS TEXT...
refused() {
    case_is "$1"
    ranks_wanted=$2
    shift 2
    refuse 2 "$ranks_wanted" cb_linkmap "$@"
}

refused "an unknown choice of ranks" 0 "--per-host two" "--per-host" "one or all"
refused "no packets" 0 "--packets 0" "--packets" "use 1 to"
refused "no cycles" 0 "--cycles 0" "--cycles" "use 1 to"
refused "a factor below 1" 0 "--factor 0.9" "--factor"
refused "a stall without a time" 0 "--stall soon" "--stall"
refused "a negative timeout" 0 "--timeout -1" "--timeout"
refused "a map of one rank" 1 "" "start it with mpirun -np 2"

launcher_options="--oversubscribe"
[ "$MPI_KIND" = openmpi ] || launcher_options="-bind-to none"

# measured RANKS OPTION...
measured() {
    ranks=$1
    shift
    case_is "$ranks ranks, $*"
    rm -f result.json
    run "$ranks" cb_linkmap --max-time 0.1 --cycles 3 --output result.json "$@"
    expect_status 0
    expect_all_gone
    expect_valid result.json
}

for ranks in 4 5; do
    measured "$ranks" --sizes 0,64 --verify
    expect_document result.json "sorted({r['mode'] for r in d['results']})" "['bisection', 'one-to-all', 'pairs']"
    expect_rows "r['processors'] == $ranks == len(r['linkmap']['hosts'])"
    expect_rows "r['linkmap']['cycles'] >= 3 and r['round_us']['median'] > 0"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
    expect_rows "('pair_latency_us' in r) == ('latency_us' in r['linkmap']) == (r['mode'] == 'pairs')"
    expect_rows "('one_way_MBps' in r) == (r['mode'] == 'pairs' and r['size_bytes'] > 0)"
    expect_rows "('bisection_MBps' in r) == (r['mode'] == 'bisection' and r['size_bytes'] > 0)"
    expect_rows "('one_to_all_MBps' in r) == (r['mode'] == 'one-to-all' and r['size_bytes'] > 0)"
    expect_rows "r['mode'] != 'pairs' or all((v is None) == (i == k) and (i == k or v > 0)
        for i, line in enumerate(r['linkmap']['one_way_us']) for k, v in enumerate(line))"
done

case_is "a map beside itself"
cp result.json before.json
PYTHONPATH=$srcdir/python "$CB_PYTHON" "$srcdir/scripts/combench" compare before.json result.json >out 2>err ||
    failed "status 0 of combench compare" "$(cat err)"
grep -q "^links: 0 changes in 2 maps" out || failed "no change of links" "$(grep links out)"

thorough || finish

for technology in mpi tcp; do
    case_is "a rank that is killed during a map over $technology"
    rm -f result.json
    start 4 cb_linkmap --technology $technology --mode pairs --sizes 64 --max-time 60 --output result.json
    await "$limit_s" grep -qs "first cycle of the map" err || failed "a first cycle within $limit_s s" none
    kill -KILL "$(pid_of_rank 2)"
    collect
    expect_failure
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" False
done

for technology in tcp udp; do
    measured 4 --technology $technology --sizes 64 --mode pairs
    expect_rows "r['linkmap']['cycles'] >= 3"
done

finish
