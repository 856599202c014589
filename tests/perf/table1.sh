#!/bin/sh
# Table 1 of the SCI note, bandwidth by streaming and latency by half a ping-pong for 8 bytes to 8 KiB: the
# note's figures beside those of the technologies mpi and sci here.
#
# Both are started by turns, COMBENCH_TABLE1_STARTS (3) times, and the best of the starts counts;
# COMBENCH_TABLE1_TIME (0.1) bounds one measurement, in seconds.
set -eu

here=${srcdir:?}/tests/perf
# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

start=1
while [ "$start" -le "${COMBENCH_TABLE1_STARTS:-3}" ]; do
    for technology in mpi sci; do
        sh "$here/launch.sh" 2 "$builddir/cb_oneway" --technology "$technology" \
            --sizes 8,16,32,64,128,256,512,1KiB,2KiB,4KiB,8KiB --format json \
            --max-time "${COMBENCH_TABLE1_TIME:-0.1}" >"$results/$technology-$start.json"
    done
    start=$((start + 1))
done
"${CB_PYTHON:-python3}" "$here/table1.py" "$results"
