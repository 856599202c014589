#!/bin/sh
# cb_oneway over ofi, method message, against fi_pingpong (Debian: libfabric-bin), an independent program: five runs
# of each, in turn, at each size. fi_pingpong sleeps or yields while it waits, where it can: perf_ofi compares with a
# loop that polls.
#
# COMBENCH_PERF_PROVIDERS (shm tcp;ofi_rxm) are the providers, COMBENCH_PERF_SIZES the sizes.
set -eu

here=${srcdir:?}/tests/perf
sizes=${COMBENCH_PERF_SIZES:-8 64 1024 65536}
providers=${COMBENCH_PERF_PROVIDERS:-shm tcp;ofi_rxm}
runs=5
port=${COMBENCH_PERF_PORT:-13347}

if ! command -v fi_pingpong >/dev/null; then
    echo "skipped: fi_pingpong is not there; install the package libfabric-bin"
    exit 0
fi

results=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$results"' EXIT

# pingpong PROVIDER SIZE FILE: each end on a core of its own, as launch.sh binds ours.
pingpong() {
    options="-e rdm -m tagged -I 10000"
    # shellcheck disable=SC2086 # several options
    taskset -c 0 fi_pingpong -p "$1" $options -S "$2" -B "$port" >"$results/log" 2>&1 &
    server=$!
    tries=0
    # shellcheck disable=SC2086
    until taskset -c 1 fi_pingpong -p "$1" $options -S "$2" -P "$port" 127.0.0.1 >"$3" 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -ge 50 ]; then
            cat "$3" "$results/log" >&2
            exit 1
        fi
        sleep 0.1
    done
    wait "$server"
    server=
}

# combench PROVIDER SIZE FILE
combench() {
    sh "$here/launch.sh" 2 "${builddir:?}/cb_oneway" --technology ofi --parameter "method=message,provider=$1" \
        --mode pingpong --touch none --buffers hot --max-time 0.6 --precision 0.01 --sizes "$2" --format json >"$3"
}

for provider in $providers; do
    for size in $sizes; do
        run=1
        while [ "$run" -le "$runs" ]; do
            pingpong "$provider" "$size" "$results/pingpong-$provider-$size-$run.txt"
            combench "$provider" "$size" "$results/combench-$provider-$size-$run.json"
            run=$((run + 1))
        done
    done
done
"${CB_PYTHON:-python3}" "$here/fi_pingpong.py" "$results"
