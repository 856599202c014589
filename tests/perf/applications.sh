#!/bin/sh
# Real applications traced, evaluated and replayed:
#   builddir=build srcdir=. tests/perf/applications.sh [RANKS [FOLDER [CALIBRATION]]]
# Traces stay in FOLDER if it is given: NAME.cct, NAME.csv with the bytes between ranks, and NAME.json of the
# replay, which is set beside the evaluation with CALIBRATION, a file of ccmod calibrate. Computing is real
# time if each rank has a core, and processor time otherwise.
set -eu
: "${srcdir:?}" "${builddir:?}"
srcdir=$(cd "$srcdir" && pwd)
builddir=$(cd "$builddir" && pwd)
export srcdir builddir CB_BUILD="$builddir"
# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
# shellcheck source=tests/common/applications.sh
. "$srcdir/tests/common/applications.sh"

ranks=${1:-4}
folder=${2:-}
calibration=${3:+$(realpath "$3")}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
cd "$folder"
[ "$ranks" -le "$(nproc)" ] || export COMBENCH_TRACE_CLOCK=cpu

for name in ${COMBENCH_APPLICATIONS:-$applications}; do
    prepare_application "$name" "$ranks" || {
        echo "$name: skipped: $missing"
        continue
    }
    # shellcheck disable=SC2086 # the words of a command
    sh "$srcdir/tests/perf/launch.sh" "$ranks" "$srcdir/scripts/trace" "$name.cct" $words >"$name.log" 2>&1 || {
        cat "$name.log" >&2
        exit 1
    }
    "$builddir/ccmod" convert --to matrix --records 1000000000 --output "$name.csv" "$name.cct"
    echo "$name, $ranks ranks: $("$builddir/ccmod" info "$name.cct" | sed -n '2p;$p' | paste -sd ';' -)"
    "$builddir/ccmod" run --network fattree --eager-bytes 4KiB "$name.cct" >"$name.txt"
    sed -n 's/^/  /;/ end at /p;$p' "$name.txt"
    sh "$srcdir/tests/perf/launch.sh" "$ranks" "$builddir/cb_replay" --format json --output "$name.json" \
        "$name.cct" >"$name.log" 2>&1 || {
        cat "$name.log" >&2
        exit 1
    }
    "${CB_PYTHON:?}" -c 'import json, sys
row = json.load(open(sys.argv[1]))["results"][0]
print("  replay: a play of %.0f us" % row["play_us"]["median"])' "$name.json"
    [ -z "$calibration" ] || "${CB_PYTHON:?}" "$srcdir/scripts/combench" validate --programs "$builddir" \
        --calibration "$calibration" "$name.json"
done
