#!/bin/sh
# Over a testbed, mpirun spreads its ranks over the hosts without a word more, and their messages pass
# the switch. MPICH 4.0 over UCX's TCP does its work and then may hang in
# MPI_Finalize: of it only the launcher is tested.
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

case_is "a rank on each host"
among -- hostname
expect_status 0
expect_equal "hosts" "$hosts" "$(sort -u out | wc -l)"

[ "$MPI_KIND" = openmpi ] || finish

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

finish
