#!/bin/sh
# cb_oneway over ucx against ucx_perftest (Debian: ucx-utils), an independent program: five runs of each, in
# turn, at each size. ucp_am_lat stands beside method am. ucp_put_lat, whose receiver polls the memory that
# is written and gets no notification, is the limit of method put.
#
# COMBENCH_PERF_TRANSPORTS (posix,cma) are the transports of both, COMBENCH_PERF_SIZES the sizes.
set -eu

here=${srcdir:?}/tests/perf
sizes=${COMBENCH_PERF_SIZES:-8 64 1024 65536}
transports=${COMBENCH_PERF_TRANSPORTS:-posix,cma}
runs=5
port=${COMBENCH_PERF_PORT:-13337}

if ! command -v ucx_perftest >/dev/null; then
    echo "skipped: ucx_perftest is not there; install the package ucx-utils"
    exit 0
fi

results=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$results"' EXIT

# perftest TEST SIZE FILE: each end on a core of its own, as launch.sh binds ours.
perftest() {
    export UCX_TLS="$transports,self" UCX_LOG_LEVEL=fatal
    taskset -c 0 ucx_perftest -p "$port" >"$results/log" 2>&1 &
    server=$!
    tries=0
    until taskset -c 1 ucx_perftest localhost -p "$port" -t "$1" -s "$2" -n 50000 -w 5000 >"$3" 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -ge 50 ]; then
            cat "$3" "$results/log" >&2
            exit 1
        fi
        sleep 0.1
    done
    wait "$server"
    server=
    unset UCX_TLS UCX_LOG_LEVEL
}

# combench METHOD SIZE FILE
combench() {
    sh "$here/launch.sh" 2 "${builddir:?}/cb_oneway" --technology ucx \
        --parameter "method=$1,transports='$transports'" --mode pingpong --touch none --buffers hot \
        --max-time 0.6 --precision 0.01 --sizes "$2" --format json >"$3"
}

for size in $sizes; do
    run=1
    while [ "$run" -le "$runs" ]; do
        for method in am put; do
            perftest "ucp_${method}_lat" "$size" "$results/perftest-$method-$size-$run.txt"
            combench "$method" "$size" "$results/combench-$method-$size-$run.json"
        done
        run=$((run + 1))
    done
done
"${CB_PYTHON:-python3}" "$here/ucx_perftest.py" "$results"
