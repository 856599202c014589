#!/bin/sh
# cb_oneway against NetPIPE (Debian: netpipe-openmpi), an independent program, and beside both the calls
# that NetPIPE makes, MPI_Send and MPI_Recv, timed by perf_thin: five runs of each, in turn, at each
# size. The settings that make them comparable are in docs/development/performance.md.
set -eu

here=${srcdir:?}/tests/perf
sizes=${COMBENCH_PERF_SIZES:-1 64 256 1024 4096 65536 1048576}
runs=5

if [ "${MPI_KIND:?}" != openmpi ]; then
    echo "skipped: NPopenmpi needs Open MPI, and this build has another MPI library"
    exit 0
fi
if ! command -v NPopenmpi >/dev/null; then
    echo "skipped: NPopenmpi is not there; install the package netpipe-openmpi"
    exit 0
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

netpipe() {
    sh "$here/launch.sh" 2 NPopenmpi -l "$1" -u "$1" -p 0 -o "$2" >"$results/log" 2>&1 || {
        cat "$results/log" >&2
        exit 1
    }
}

combench() {
    sh "$here/launch.sh" 2 "${builddir:?}/cb_oneway" --mode pingpong --touch none --buffers hot \
        --max-time 0.6 --precision 0.01 --sizes "$1" --format json >"$2"
}

bare() {
    sh "$here/launch.sh" 2 "${builddir:?}/tests/perf/perf_thin" --mode pingpong --touch none \
        --window 2 --sizes "$1" >"$2"
}

for size in $sizes; do
    run=1
    while [ "$run" -le "$runs" ]; do
        netpipe "$size" "$results/netpipe-$size-$run.txt"
        combench "$size" "$results/combench-$size-$run.json"
        bare "$size" "$results/bare-$size-$run.txt"
        run=$((run + 1))
    done
done
"${CB_PYTHON:-python3}" "$here/netpipe.py" "$results"
