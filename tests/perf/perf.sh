#!/bin/sh
# make perf: measure the project against bare references, print all figures, and at the end each target with
# the figure reached. Fails if something could not be run, never because of a figure.
#
# COMBENCH_PERF_STARTS (3) is how often the comparison with bare MPI is started: where the data of a
# process lies in memory differs from start to start.
set -eu

here=${srcdir:?}/tests/perf
starts=${COMBENCH_PERF_STARTS:-3}
# shellcheck source=/dev/null
. "${builddir:?}/tests/environment.sh"
export MPI_KIND CB_PYTHON
python=${CB_PYTHON:-python3}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=

# part TITLE COMMAND...: run, print the output, and keep it for the summary.
part() {
    echo
    echo "== $1"
    shift
    status=0
    "$@" >"$results/part" 2>&1 || status=$?
    cat "$results/part"
    cat "$results/part" >>"$results/all"
    if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
        echo "failed with status $status: $*"
        failed=yes
    fi
}

# harness TOUCH: the figures of the harness, in a file.
harness() {
    sh "$here/launch.sh" 2 "$builddir/cb_oneway" --technology null --touch "$1" --sizes 0,1024 \
        --max-time 1 --format json >"$results/harness-$1.json" &&
        "$python" "$here/harness.py" "$results/harness-$1.json"
}

# load_curve: how well the load generator follows its schedule.
load_curve() {
    sh "$here/launch.sh" 3 "$builddir/cb_pushfarm" --sizes 64 --algorithm 0 --max-time 1 \
        --load-curve 5%,10%,25%,50%,75%,90%,110% --format json >"$results/curve.json" &&
        "$python" "$here/generator.py" "$results/curve.json"
}

part "what the cores share" "$builddir/tests/perf/perf_cores"
start=1
while [ "$start" -le "$starts" ]; do
    part "bare MPI, start $start of $starts" sh "$here/launch.sh" 2 "$builddir/tests/perf/perf_thin"
    start=$((start + 1))
done
part "Parkbench's programs beside those of the note" \
    sh "$here/launch.sh" 2 "$builddir/tests/perf/perf_parkbench"
part "the harness, no touching" harness none
part "the harness, with touching" harness all
start=1
while [ "$start" -le "$starts" ]; do
    part "a farm against plain MPI, start $start of $starts" \
        sh "$here/launch.sh" 3 "$builddir/tests/perf/perf_farm"
    start=$((start + 1))
done
part "the supervisor" sh "$here/launch.sh" 1 "$builddir/tests/perf/perf_supervisor"
part "the load generator" load_curve
part "libsisci-shm against bare shared memory" "$builddir/tests/perf/perf_sisci"
part "the model" sh "$here/model.sh"
part "the model beside SimGrid's replay" sh "$here/replay.sh"
part "routes" "$builddir/tests/perf/perf_routes"
if [ -x "$builddir/tests/perf/perf_sci" ]; then
    part "sci against bare shared memory" "$builddir/tests/perf/perf_sci"
    part "sci over a faulty wire" "$builddir/tests/perf/perf_sci_faults"
    part "table 1 of the SCI note" "$python" "$here/table1.py"
    part "idle peers over sci" "$builddir/tests/perf/perf_sci_idle"
fi
part "rma against MPI windows by hand" sh "$here/launch.sh" 2 "$builddir/tests/perf/perf_rma"
part "tcp against a bare socket" "$builddir/tests/perf/perf_tcp"
part "iperf3" sh "$here/iperf.sh"
if [ -x "$builddir/tests/perf/perf_ofi" ]; then
    part "ofi against libfabric by hand" "$builddir/tests/perf/perf_ofi"
    part "fi_pingpong" sh "$here/fi_pingpong.sh"
fi
if [ -x "$builddir/tests/perf/perf_ucx" ]; then
    for transports in posix,cma tcp; do
        part "ucx against UCX by hand, $transports" \
            sh "$here/launch.sh" 2 "$builddir/tests/perf/perf_ucx" "$transports"
    done
    part "ucx_perftest" sh "$here/ucx_perftest.sh"
fi
part "the driver of the suite" "$python" "$here/suite.py" "$srcdir" "$builddir" "$MPIRUN"
part "comparing runs" "$python" "$here/compare.py" "$srcdir"
part "a farm of a thousand to a thousand" "$python" "$here/predict.py" "$srcdir" "$builddir"
part "a report" "$python" "$here/report.py" "$srcdir"
part "beside OMB, IMB and NetPIPE" "$python" "$here/peers.py"

echo
echo "== targets"
"$python" "$here/summary.py" "$results/all"
[ -z "$failed" ]
