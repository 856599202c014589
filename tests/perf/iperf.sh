#!/bin/sh
# The stream of cb_oneway over tcp against iperf3 (Debian: iperf3), an independent program, over
# loopback with one stream: five runs of each, in turn. No data are referred to on either side.
set -eu

here=${srcdir:?}/tests/perf
runs=${COMBENCH_PERF_RUNS:-5}
size=65536

if ! command -v iperf3 >/dev/null; then
    echo "skipped: iperf3 is not there; install the package iperf3"
    exit 0
fi

results=$(mktemp -d)
server=
leave() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$results"
}
trap leave EXIT

iperf() {
    # -1 ends the server after its one client. A client that finds no server yet says so in its
    # document, and may exit with 0.
    iperf3 -s -1 -B 127.0.0.1 -p "$port" >"$results/server.log" 2>&1 &
    server=$!
    tries=0
    until iperf3 -c 127.0.0.1 -p "$port" -t 1 -l "$size" -J >"$1" 2>/dev/null &&
        grep -q '"sum_received"' "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 50 ] || {
            cat "$1" "$results/server.log" >&2
            exit 1
        }
        sleep 0.1
    done
    wait "$server" || true
    server=
}

combench() {
    sh "$here/launch.sh" 2 "${builddir:?}/cb_oneway" --technology tcp --interface lo --mode stream \
        --touch none --buffers hot --max-time 1 --precision 0.01 --sizes "$size" --format json >"$1"
}

port=$((20000 + $$ % 20000))
run=1
while [ "$run" -le "$runs" ]; do
    iperf "$results/iperf-$run.json"
    combench "$results/combench-$run.json"
    run=$((run + 1))
done
"${CB_PYTHON:-python3}" "$here/iperf.py" "$results"
