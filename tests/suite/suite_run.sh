#!/bin/sh
# The driver with the real mpirun: a plan with every benchmark, whose manifest and documents are valid. In
# `make check` it has one benchmark of each kind of count.
set -eu

srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"
python=${CB_PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plan=$srcdir/tests/suite/rows.plan
if [ -z "${CB_CHECK_FULL:-}" ]; then
    awk 'BEGIN { kept = 1 } /^\[/ { kept = /^\[(oneway|multicast|pushfarm|pipeline|comms3)\]$/ } kept' "$plan" >"$work/rows.plan"
    plan=$work/rows.plan
fi
status=0
"$python" "$srcdir/scripts/combench" run "$plan" --output "$work/run" \
    --mpirun "$MPIRUN" --programs "$builddir" || status=$?
if [ "$status" -ne 0 ]; then
    tail -n 20 "$work"/run/logs/* || true
    exit 1
fi

# Without jsonschema all but the schema is checked.
schema=
results=
if [ -n "$CB_PYTHON" ]; then
    schema=$srcdir/docs/combench-run-1.schema.json
    results=$(echo "$work"/run/results/*.json)
fi
# shellcheck disable=SC2086 # no schema is no argument; results are several
{
    "$python" "$srcdir/tests/suite/check_run.py" "$work/run" $schema
    [ -z "$results" ] ||
        "$python" "$srcdir/tests/cli/validate.py" "$srcdir/docs/combench-result-1.schema.json" $results
}

# Two launches of two variants, and what they say: the control is no figure.
cat >"$work/two.plan" <<END
max-time = 0.02
[oneway]
sizes = 64
options = --mode pingpong
END
"$python" "$srcdir/scripts/combench" run "$work/two.plan" --output "$work/two" --repeat 2 \
    --variant plain --variant eager:OMPI_MCA_btl_vader_eager_limit=8192,MPIR_CVAR_CH4_SHM_EAGER=1 \
    --max-time 0.02 --mpirun "$MPIRUN" --programs "$builddir" >/dev/null
# shellcheck disable=SC2086 # as above
"$python" "$srcdir/tests/suite/check_run.py" "$work/two" $schema
if [ -n "$CB_PYTHON" ]; then
    "$python" "$srcdir/scripts/combench" compare "$work/two" --all >"$work/said"
    grep -q "^against  eager: 2 runs" "$work/said"
    grep -q "figures compared: " "$work/said"
    grep -q "cannot affect\|the control" "$work/said"
    ! grep -q "oneway null.*latency_us" "$work/said" || grep -q "the control differs" "$work/said"
fi

# What is complete is not measured again.
"$python" "$srcdir/scripts/combench" run --resume --output "$work/run" --mpirun "$MPIRUN" \
    --programs "$builddir" 2>"$work/said"
grep -q "0 starts" "$work/said"
