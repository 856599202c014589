#!/bin/sh
# Several sending threads (--threads): refused where the technology or the benchmark has one, measured and
# verified where it allows several, counted where cores are, and told in each row.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# refused NAME STATUS RANKS PROGRAM OPTIONS TEXT...
refused() {
    case_is "$1"
    shift
    refuse "$@"
}

refused "no threads" 2 0 cb_pairs "--threads 0 --technology tcp" "--threads" "use 1 to 64"
refused "too many threads" 2 0 cb_pairs "--threads 65 --technology tcp" "--threads" "use 1 to 64"
refused "a benchmark whose steps have an order" 2 0 cb_oneway "--threads 2 --technology tcp" "--threads" \
    "cb_pairs and cb_funnel"
for technology in mpi udp null; do
    refused "$technology" 77 2 cb_funnel "--threads 2 --technology $technology" "--threads 2" "$technology" \
        "--technology" "tcp"
done
refused "beside a computing task" 2 2 cb_pairs "--threads 2 --technology tcp --compute source" "--threads" \
    "--compute source" "one core"
refused "in a trace" 2 0 cb_pairs "--threads 2 --sizes 64 --emit-trace -" "--emit-trace" "--threads"

# measured RANKS PROGRAM OPTION...: a run whose rows are verified
measured() {
    ranks=$1
    program=$2
    shift 2
    case_is "$program $*"
    rm -f result.json
    run "$ranks" "$program" --max-time 0.05 --output result.json --verify "$@"
    expect_status 0
    expect_all_gone
    expect_valid result.json
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
}

built_in=$("$CB_PYTHON" -c "import json, sys; print(*[t['name'] for t in json.load(open(sys.argv[1]))['technologies']])" \
    "$builddir/benchmarks.json")
for technology in tcp sci; do
    case " $built_in " in
    *" $technology "*) ;;
    *) continue ;;
    esac
    launcher_options="--oversubscribe"
    [ "$MPI_KIND" = openmpi ] || launcher_options="-bind-to none"
    measured 2 cb_pairs --technology "$technology" --threads 3 --sizes 0,5,64
    expect_rows "r['threads'] == 3 and r['size_bytes'] in (0, 5, 64)"
    expect_rows "'harness_us' not in r and r['step_us']['samples'] > 0"
    expect_rows "len(r.get('thread_shares', [0] * 3)) == 3"
    expect_rows "abs(sum(r.get('thread_shares', [1])) - 1) < 1e-6"
    expect_document result.json "d['parameters']['threads']" 3
    measured 3 cb_funnel --technology "$technology" --threads 2 --sizes 64 --window 4
    expect_rows "r['threads'] == 2 and r['mode'] in ('event', 'free') and 'harness_us' in r"
done

case_is "a rank with more threads than cores is oversubscribed"
cores=$(nproc)
if [ "$cores" -lt 64 ]; then
    measured 2 cb_pairs --technology tcp --threads "$cores" --sizes 64
    expect_rows "r['oversubscribed'] and r['wait']['effective'] == 'yield'"
fi

case_is "one thread is as before"
measured 2 cb_pairs --technology tcp --threads 1 --sizes 64
expect_rows "'threads' not in r and 'thread_shares' not in r and 'harness_us' in r"
if [ "$MPI_KIND" = openmpi ]; then
    expect_document result.json "d['environment']['mpi_settings']['thread_level']" single
fi

thorough || finish

# Blocks that are long enough have shares.
for wait in spin yield block; do
    measured 2 cb_pairs --technology tcp --threads 2 --sizes 64 --window 2 --max-time 0.3 --wait "$wait"
    expect_rows "('thread_shares' in r) == (r['steps'] / r['blocks'] >= 32)"
done
measured 2 cb_pairs --technology tcp --threads 2 --sizes 1MiB --buffers rotate
measured 3 cb_funnel --technology tcp --threads 64 --sizes 64 --window 1

finish
