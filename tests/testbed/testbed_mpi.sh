#!/bin/sh
# Over a testbed, mpirun spreads its ranks over the hosts without further options, and their messages pass
# the switch. MPICH 4.0 over UCX's TCP does its work and then may hang in MPI_Finalize: of it only
# the launcher is tested, and how a signal ends its ranks.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=120

run 0 "$builddir/combench-testbed" --hosts 1 -- true
[ "$status" -ne 77 ] || skip "$(cat err)"

hosts=5
quiet=
[ "$MPI_KIND" != openmpi ] || quiet=-q

# among OPTIONS... -- PROGRAM...: as many ranks as hosts
among() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # they are several words
    run 0 "$builddir/combench-testbed" --hosts "$hosts" $options -- "$MPIRUN" $quiet -np "$hosts" "$@"
}

# MPICH's launcher forwards the end of its standard input to rank 0; if that has ended by then, as it may on a busy
# machine, SIGPIPE ends the launcher. So its input does not end here.
case_is "a rank on each host"
mkfifo open
# shellcheck disable=SC2086 # no quiet is no word
run 0 "$builddir/combench-testbed" --hosts "$hosts" -- sh -c 'exec "$@" <>open' sh "$MPIRUN" $quiet -np "$hosts" \
    hostname
expect_status 0
expect_equal "hosts" "$hosts" "$(sort -u out | wc -l)"

# A status of its own says that the launcher has ended: each has another for this.
cat >signalled.sh <<'END'
set -eu
"$@" &
until grep -qs '"size_bytes"' result.json; do sleep 0.05; done
kill -TERM $!
wait $! || true
exit 3
END
case_is "SIGTERM to the launcher ends the ranks on all hosts"
# shellcheck disable=SC2086 # no quiet is no word
run 0 "$builddir/combench-testbed" --hosts 2 -- sh signalled.sh "$MPIRUN" $quiet -np 2 "$builddir/cb_oneway" \
    --mode pingpong --sizes "$(seq -s , 64 127)" --precision 0.01 --max-time 0.5 --output result.json
expect_status 3
expect_all_gone
expect_valid result.json
expect_document result.json "d['complete'], d['reason'] in ('SIGTERM', 'running')" "(False, True)"

[ "$MPI_KIND" = openmpi ] || finish

case_is "roles are on the hosts that --placement says"
for placement in packed spread; do
    run 0 "$builddir/combench-testbed" --hosts 2 --slots 3 -- "$MPIRUN" -q -np 5 --map-by node "$builddir/cb_pushfarm" \
        --sources 2 --destinations 2 --sizes 64 --algorithm 0 --in-flight 2 --max-time 0.05 \
        --placement "$placement" --output "$placement.json"
    expect_status 0
    expect_valid "$placement.json"
done
expect_document packed.json "d['results'][0]['placement']" \
    "{'supervisor': [1, 0], 'source': [0, 2], 'destination': [2, 0]}"
expect_document spread.json "d['results'][0]['placement']" \
    "{'supervisor': [1, 0], 'source': [1, 1], 'destination': [1, 1]}"
# What each rank is stands beside its host.
expect_document packed.json \
    "sorted((r['host'], r['role']) for r in d['environment']['ranks']) == [(0, 'destination')] * 2 + [(0, 'supervisor')] + [(1, 'source')] * 2" \
    True

case_is "packets of 64 KiB between hosts, on cables of 100 Mbit/s"
among --rate 100mbit --delay 50us --statistics statistics -- "$builddir/cb_funnel" --mode event \
    --sources $((hosts - 1)) --sizes 64KiB --max-time 0.2 --output result.json
expect_status 0
expect_valid result.json
expect_document result.json "len(d['environment']['hosts'])" "$hosts"
# The hosts share the machine's cores.
expect_document result.json \
    "all(r['oversubscribed'] == (r['processors'] > d['environment']['hosts'][0]['cores']) for r in d['results'])" True
# 100 Mbit/s are 12.5 MB/s with all headers: more cannot pass the one cable, however fast the machine.
expect_rows "r['wait']['effective'] == 'yield'"
expect_rows "0 < r['throughput_MBps'] < 12.5"

# Cards of 1500 bytes; `cut` lets IP make fragments.
mkdir cut
echo 'UDP { fragment = 1 }' >cut/network.conf
printf 'node a { id = 1 }\nnode b { id = 2 }\n' >cut/nodes.conf
: >cut/machines.conf
hosts=2
case_is "datagrams larger than a packet of the path are skipped"
among -- "$builddir/cb_oneway" --technology udp --sizes 64,4000 --mode pingpong --max-time 0.02 --output result.json
expect_status 0
expect_valid result.json
expect_document result.json "[r['size_bytes'] for r in d['results']]" "[64]"
expect_document result.json "d['skipped'][0]['what']" "pingpong, 4000 bytes"

case_is "they are cut where the Context says so"
among -- "$builddir/cb_oneway" --technology udp --config cut --sizes 64,4000 --mode pingpong --max-time 0.02 --output result.json
expect_status 0
expect_valid result.json
expect_document result.json "[r['size_bytes'] for r in d['results']]" "[64, 4000]"
expect_rows "r['datagrams']['received'] > 0"

finish
