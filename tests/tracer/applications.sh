#!/bin/sh
# Real programs are traced: every message that they send is received in the trace, in an order that ends.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"
# shellcheck source=tests/common/applications.sh
. "$srcdir/tests/common/applications.sh"

needs_python
needs_proc
[ "${MPI_KIND:-}" = openmpi ] || skip "the packages of applications are built with Open MPI"
enter_folder
limit_s=200
export CB_BUILD="$builddir" COMBENCH_TRACE_CLOCK=cpu

# traced NAME RANKS MESSAGES: NAME.cct has at least that number
traced() {
    case_is "$1"
    if ! prepare_application "$1" "$2"; then
        echo "  left out: $missing"
        return
    fi
    applications_traced=$((applications_traced + 1))
    # shellcheck disable=SC2086 # the words of a command
    run "$2" "$srcdir/scripts/trace" "$1.cct" $words
    expect_status 0
    run 0 "$builddir/ccmod" run --eager-bytes 64KiB --format json --output model.json "$1.cct"
    expect_status 0
    expect_silence
    expect_true "messages" [ "$(document model.json "d['messages'] >= $3")" = True ]
    run 0 "$builddir/ccmod" convert --to matrix "$1.cct"
    expect_status 0
    expect_equal "rows of the matrix" "$2" "$(grep -vc '^#' out)"
}

applications_traced=0
traced lammps 4 500
if thorough; then
    traced gromacs 4 1000
    traced hpcc 8 10000
fi
[ "$applications_traced" -gt 0 ] || skip "no application is installed"
if [ -f hpcc.cct ]; then
    expect_equal "notes on the order" 1 "$(grep -c '^# .* receives stand in the order of the sends' hpcc.cct)"
fi

finish
