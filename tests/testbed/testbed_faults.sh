#!/bin/sh
# Programs on a faulty network: on the testbed, frames of tcp and udp are lost, duplicated and reordered, a host
# is disconnected during a run, the port is in use, and invalid data arrives. No process hangs or crashes, all
# faults are counted, and results are valid; also with sanitizers.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
[ "$MPI_KIND" = openmpi ] || skip "over the testbed only Open MPI ends in order"
enter_folder
limit_s=120
export peer="$CB_PYTHON $srcdir/tests/testbed/peer.py"

run 0 "$builddir/combench-testbed" --hosts 1 -- true
[ "$status" -ne 77 ] || skip "$(cat err)"

# A short timeout for a lost host, and a fixed port.
configure() { # directory, Contexts
    mkdir "$1"
    echo "$2" >"$1/network.conf"
    printf 'node a { id = 1 }\nnode b { id = 2 }\n' >"$1/nodes.conf"
    : >"$1/machines.conf"
}
configure short "TCP { silence_s = 4 }"
configure known "TCP { port = 5000 } UDP { port = 5000 }"

# In the testbed: a command on each host.
cat >on_hosts.sh <<'END'
set -eu
for host in $(sed -n 's/.* \(host[0-9]*\)$/\1/p' /etc/hosts); do
    "${CB_TESTBED%/*}/agent" "$host" "$1"
done
END

# among RANKS "OPTIONS OF THE TESTBED" COMMAND...: one host per rank
among() {
    hosts=$1
    options=$2
    shift 2
    rm -f result.json
    # shellcheck disable=SC2086 # they are several words
    run 0 "$builddir/combench-testbed" --hosts "$hosts" $options -- "$@"
}

# Where a failure is expected, one of a sanitizer must be distinguished from it.
expect_no_report() {
    reports=$(grep -h -E "Sanitizer|runtime error" out err || true)
    expect_equal "reports of sanitizers" "" "$reports"
}

# The control plane, MPI over TCP, is on the same network: set a short retransmission time in kernels that
# have such a setting.
cat >lossy.sh <<'END'
set -eu
sh on_hosts.sh 'cd /proc/sys/net/ipv4; if [ -w tcp_rto_min_us ]; then echo 5000 >tcp_rto_min_us; fi'
exec "$@"
END

max_time=0.02 # seconds

# measured_under RANKS "FAULTS" PROGRAM OPTION...
measured_under() {
    ranks=$1
    faults=$2
    program=$3
    shift 3
    among "$ranks" "$faults --seed 5" sh lossy.sh "$MPIRUN" -q -np "$ranks" "$builddir/$program" \
        --sizes 64 --max-time $max_time --output result.json "$@"
    expect_status 0
    expect_valid result.json
    expect_document result.json "d['complete']" True
}

case_is "udp where frames are lost, duplicated, late and overtaken"
measured_under 2 "--loss 2% --duplicate 5% --reorder 5% --jitter 100us" cb_oneway --technology udp
expect_rows "r['datagrams']['sent'] > 0"

# That many lost frames would delay the control plane by half a minute, so the sender drops datagrams instead.
case_is "udp where 30 % of the datagrams are lost"
export COMBENCH_UDP_FAULTS=loss=0.3
measured_under 2 "--loss 1% --jitter 100us" cb_oneway --technology udp --parameter timeout_ms=30 --max-time 1
expect_document result.json "sum(r['datagrams']['lost'] for r in d['results']) > 0" True
expect_rows "r['datagrams']['lost'] == 0 or r['rates_from'] == 'totals' and r['frequency_Hz'] * rate_us(r) < 1e6"

case_is "a farm over udp accounts for every event"
export COMBENCH_UDP_FAULTS=loss=0.1
measured_under 3 "--loss 1% --reorder 5%" cb_pushfarm --technology udp --sources 1 --destinations 1 \
    --parameter timeout_ms=30 --algorithm 0 --in-flight 4 --max-time 1
expect_rows "r['issued'] == r['decided'] + r['lost'] + r['in_flight']"
expect_rows "r['decided'] > 0 and r['errors'] == 0"
unset COMBENCH_UDP_FAULTS

# Lost frames are sent again: the kernels' counts are in the row. In a short run all frames may arrive: then a longer one.
case_is "tcp where frames are lost, duplicated, late and overtaken: it tells how often it sent again"
sent_again="sum(r['connections']['retransmitted'] for r in d['results']) > 0"
for max_time in 0.02 0.1 0.5 2; do
    measured_under 2 "--loss 2% --duplicate 5% --reorder 5% --jitter 100us" cb_oneway --technology tcp
    expect_rows "'datagrams' not in r"
    [ "$(document result.json "$sent_again")" != True ] || break
done
expect_document result.json "$sent_again" True
expect_rows "r['connections']['retransmitted'] == 0 or r['rates_from'] == 'totals'"
expect_rows "abs(r['frequency_Hz'] * rate_us(r) - 1e6) < 1"
expect_rows "r['connections']['out_of_order'] >= 0"
expect_rows "0 < r['connections']['least_rtt_us'] <= r['connections']['rtt_us']"
expect_rows "r['connections']['window'] > 0"

# MPI does not count what was sent again: it shows as blocks that wait for a retransmission.
case_is "mpi where frames are lost: the waits are in the rates"
waited="any('rates_from' in r for r in d['results'])"
for max_time in 0.1 0.5 2; do
    measured_under 2 "--loss 2%" cb_oneway --technology mpi
    [ "$(document result.json "$waited")" != True ] || break
done
expect_document result.json "$waited" True
expect_rows "abs(r['frequency_Hz'] * rate_us(r) - 1e6) < 1"
expect_rows "'rates_from' not in r or r['frequency_Hz'] * (r.get('round_us') or r['latency_us'])['median'] < 0.81e6"

# At the port of the destination 4 x 8 KiB do not fit into 8 KiB. A segment that was lost has not arrived.
case_is "incast: what the buffer of a port holds passes, and more is lost"
among 5 "--rate 10mbit --queue 8KiB" "$MPIRUN" -q -np 5 "$builddir/cb_funnel" --technology tcp --wait block \
    --mode event --sources 4 --window 1 --sizes 64,8KiB --max-time 0.3 --output result.json
expect_status 0
expect_valid result.json
expect_document result.json \
    "[r['synchronised_bytes'] for r in d['results'] if r['sources'] == 4]" "[256, 32768]"
expect_document result.json \
    "[r['connections']['retransmitted'] > r['connections']['spurious'] for r in d['results'] if r['sources'] == 4][1]" \
    True

case_is "tcp that is paced"
among 2 "" "$MPIRUN" -q -np 2 "$builddir/cb_oneway" --technology tcp --wait block --parameter pacing_Bps=200kB \
    --mode stream --sizes 8KiB --window 16 --max-time 4 --output result.json
expect_status 0
# A block that begins while the receiver is stopped by other work may end at once, so a few would not do.
expect_document result.json "True if 0 < d['results'][0]['throughput_MBps'] < 2 else d['results'][0]['blocks_us']" True

# What was measured before stands; who misses the host first, the technology or the launcher, is open.
# Many sizes are left when the first row is there: the host is lost long before the last of them.
cat >cut.sh <<'END'
set -eu
sh on_hosts.sh 'echo 3 >/proc/sys/net/ipv4/tcp_retries2'
export OMPI_MCA_oob_tcp_keepalive_time=2 OMPI_MCA_oob_tcp_keepalive_intvl=1 OMPI_MCA_oob_tcp_keepalive_probes=3
"$@" &
until grep -qs '"size_bytes"' result.json; do sleep 0.05; done
"$CB_TESTBED" --tell "cut host02"
wait $!
END
for technology in tcp udp; do
    case_is "a host that is cut off in the middle, over $technology"
    among 2 "" sh cut.sh "$MPIRUN" -q -np 2 "$builddir/cb_oneway" --technology $technology --config short \
        --mode pingpong --sizes "$(seq -s , 64 127)" --precision 0.01 --max-time 0.5 --output result.json
    expect_failure
    expect_no_report
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete'], len(d['results']) > 0" "(False, True)"
done

# In the testbed: `sh with_peer.sh VERB COMMAND...`, beside the peer's doings, once those have begun.
cat >with_peer.sh <<'END'
set -eu
"${CB_TESTBED%/*}/agent" host02 "$peer $1 host01 5000" >begun &
until grep -q ready begun; do sleep 0.05; done
shift
exec "$@"
END

# pestered TECHNOLOGY EXPRESSION: measured in peace all the same, and what came is counted. The port
# of tcp is open for some milliseconds, in which the peer may have had no core: then once more.
pestered() {
    for _ in 1 2 3 4 5; do
        among 2 "--delay 1ms" sh with_peer.sh pester "$MPIRUN" -q -np 2 "$builddir/cb_oneway" --technology "$1" \
            --config known --sizes 64 --max-time 0.05 --verify --output result.json
        expect_status 0
        expect_valid result.json
        expect_document result.json "d['complete']" True
        [ "$(document result.json "$2 > 0")" != True ] || return 0
    done
    failed "$2 above 0" "0 in each of five runs"
}

for technology in tcp udp; do
    case_is "a port in use, over $technology"
    among 2 "" sh with_peer.sh hold "$MPIRUN" -q -np 2 "$builddir/cb_oneway" --technology $technology \
        --config known --sizes 64 --output result.json
    expect_status 1
    expect_no_report
    expect_error "cannot bind an address for $technology at 10.77.0.2:5000" "configure another port"
done

case_is "rubbish and wrong keys at the port, over tcp"
pestered tcp "sum(rank.get('strangers', 0) for rank in d['environment']['ranks'])"

case_is "rubbish and wrong keys at the port, over udp"
pestered udp "sum(r['datagrams']['foreign'] for r in d['results'])"

finish
