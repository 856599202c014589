#!/bin/sh
# What hosts and connections count on a network that loses packets, and ranks of a host on two interfaces.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ "$MPI_KIND" = openmpi ] || skip "of Open MPI only"
enter_folder
limit_s=120

run 0 "$builddir/combench-testbed" --hosts 1 -- true
[ "$status" -ne 77 ] || skip "$(cat err)"

# A few blocks of few steps may lose nothing on a machine that others use; then once more.
case_is "a network that loses packets: each host that sent again, and the connection"
for _ in 1 2 3; do
    run 0 "$builddir/combench-testbed" --hosts 2 --rate 20mbit --loss 10 -- "$MPIRUN" -q -np 2 "$builddir/cb_oneway" \
        --technology tcp --mode stream --sizes 1000 --max-time 2 --output lossy.json
    ! grep -q '"retransmitted": [1-9]' lossy.json || break
done
expect_status 0
expect_valid lossy.json
expect_document lossy.json "[h['host'] for h in d['results'][0]['host_counters']]" "[0, 1]"
expect_document lossy.json "d['results'][0]['connections']['retransmitted'] > 0" True
expect_document lossy.json "d['results'][0]['hosts_with_faults'] > 0" True
# Each segment that a connection of a rank sent again is one of its host.
expect_document lossy.json "[sum(h['retransmitted'] for h in r['host_counters']) >= r['connections']['retransmitted'] \
    for r in d['results']]" "[True]"
expect_document lossy.json "[(w['peer'], w['value'] <= r['connections']['retransmitted']) for r in d['results'] \
    for w in [r['worst_connections']['retransmitted']]] in ([(0, True)], [(1, True)])" True
expect_equal "lines with the meaning of %" 1 "$(grep -c '^% ' out)"

case_is "a host alone has no counters of hosts"
run 2 cb_oneway --technology tcp --mode pingpong --sizes 64 --max-time 0.05 --format json
expect_status 0
cp out alone.json
expect_valid alone.json
expect_document alone.json "'host_counters' in d['results'][0] or 'hosts_with_faults' in d['results'][0]" False
expect_document alone.json "sorted({p['check'] for p in d['environment']['preflight']})" \
    "['duplex', 'governor', 'locality', 'mtu', 'quota', 'speed', 'threads']"

# A second cable between the two hosts, under the same name at both ends. An agent hands its words to a shell.
cat >keep.sh <<END
echo \$\$ >$work/pid
exec sleep 100
END
cat >second.sh <<'END'
set -eu
agent=${CB_TESTBED%/*}/agent
"$agent" host02 sh "$PWD/keep.sh" &
until [ -s pid ]; do sleep 0.05; done
ip link add rail type veth peer name rail netns "$(cat pid)" || exit 77
ip address add 10.99.0.1/24 dev rail
ip link set rail up
"$agent" host02 ip address add 10.99.0.2/24 dev rail
"$agent" host02 ip link set rail up
exec "$@"
END
case_is "the ranks of a host take the interfaces in turn"
run 0 "$builddir/combench-testbed" --hosts 2 --slots 2 -- sh second.sh "$MPIRUN" -q -np 4 --map-by slot \
    "$builddir/cb_alltoall" --technology tcp --interface eth0,rail --processors 4 --sizes 64 --max-time 0.05 --verify --output rails.json
[ "$status" -ne 77 ] || skip "the kernel has no veth interfaces"
expect_status 0
expect_valid rails.json
expect_document rails.json "[r['network'].split()[0] for r in d['environment']['ranks']]" "['eth0', 'rail', 'eth0', 'rail']"
expect_document rails.json "sum(r['verify']['lost'] for r in d['results'])" 0

finish
