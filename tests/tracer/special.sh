#!/bin/sh
# The tracer over programs that need care: kinds of sends, polls, windows, ranks that are started later, recording
# that is switched off, and ends without MPI_Finalize, which leave a trace that no program takes for a whole one.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=120
export CB_BUILD="$builddir"
program=$builddir/tests/tracer/special

# traced RANKS OPTIONS WORD...: in trace.cct
traced() {
    case_is "$*"
    rm -f trace.cct
    ranks=$1
    options=$2
    shift 2
    # shellcheck disable=SC2086 # options are words
    run "$ranks" "$srcdir/scripts/trace" $options trace.cct "$program" "$@"
}

# What the tracer said through MPICH's launcher is not sorted out by `settle`.
settle() {
    :
}

# modelled: ccmod runs the trace, and every message that is sent is received
modelled() {
    run 0 "$builddir/ccmod" run --eager-bytes 1MiB --format json --output model.json trace.cct
    expect_status 0
    expect_silence
}

# lines PATTERN RANK: how many of the rank's section
lines() {
    sed -n "/^$2:/,/^[0-9]*:\$/p" trace.cct | grep -c "$1" || true
}

# The computing of a rank.
computed_us() {
    sed -n "/^$1:/,/^[0-9]*:\$/p" trace.cct | awk '/^c /{ sum += $2 } END { printf "%.0f", sum }'
}

# refused PROGRAM WORD...
refused() {
    run 0 "$@"
    expect_status 2
    expect_error "the trace is cut"
}

traced 4 "" modes
expect_status 0
expect_silence
for words in "ss:100" "bs:100" "s:100" "iss:200" "bs:200" "is:200" "iss:300" "bs:300"; do
    expect_equal "sends $words" 4 "$(grep -c "^${words%:*} [0-3] ${words#*:}\\( \\|\$\\)" trace.cct)"
done
modelled

# A barrier costs what its messages cost, whether all ranks are in it or not.
traced 4 "" barriers
expect_status 0
expect_silence
expect_equal "barriers" 80 "$(grep -c '^# MPI_Barrier of 0' trace.cct)"
expect_equal "barriers without messages" 0 "$(grep -c '^b' trace.cct)"
modelled
expect_document model.json "d['messages']" 120

traced 2 "" polling
expect_status 0
expect_true "few lines of computing" [ "$(lines '^c ' 0)" -le 10 ]
expect_true "polls are no computing" [ "$((2 * $(computed_us 0)))" -lt "$(tail -n 1 out)" ]
modelled

late_us=200000
traced 2 "--clock cpu" windows
expect_status 0
expect_error "the trace is incomplete" "MPI_Put (2)" "MPI_Win_fence (4)"
expect_equal "notes on what is missing" 1 "$(grep -c '^# Incomplete.*MPI_Put (2)' trace.cct)"
expect_true "a fence is no computing" [ "$(computed_us 0)" -lt $late_us ]

# Some launchers start no further ranks.
run 1 "$program" spawn
if [ "$status" -eq 0 ]; then
    traced 1 "" spawn
    expect_status 0
    expect_error "the trace is incomplete" "messages of ranks outside of MPI_COMM_WORLD (3)"
    expect_equal "messages with other ranks" 0 "$(grep -c '^i*[rs] ' trace.cct)"
fi

traced 4 "--paused" paused
expect_status 0
expect_silence
expect_equal "messages under way" 8 "$(grep -c '^i[rs] [0-3] 10\( \|$\)' trace.cct)"
expect_equal "their waits" 4 "$(grep -c '^w' trace.cct)"
expect_equal "messages while it was off" 0 "$(grep -c '^[a-z]* [0-3] 20\( \|$\)' trace.cct)"
expect_equal "messages afterwards" 8 "$(grep -c '^\(is\|r\) [0-3] 30\( \|$\)' trace.cct)"
expect_equal "collectives" 0 "$(grep -c '^# MPI_' trace.cct)"
modelled

for how in abort exit terminated fault; do
    traced 2 "" ends $how
    expect_failure
    expect_error "the trace is cut: rank [01] .* without MPI_Finalize"
    expect_equal "marks" 1 "$(sed -n 2p trace.cct | grep -c '^%cut ')"
    expect_equal "messages of rank 1" 1 "$(lines '^r 0 40 ' 1)"
    expect_equal "files" trace.cct "$(echo trace.cct*)"
done

case_is "readers of a trace that is cut"
for verb in run knee info "convert --to matrix" "convert --to goal"; do
    # shellcheck disable=SC2086 # options are words
    refused "$builddir/ccmod" $verb trace.cct
done
run 2 cb_replay trace.cct
expect_failure
expect_error "the trace is cut"
grep -v '^%cut' trace.cct >rest.cct
run 0 "$builddir/ccmod" info rest.cct
expect_status 0

traced 4 "--records 20" barriers
expect_status 0
expect_error "the trace is cut" "COMBENCH_TRACE_RECORDS"
refused "$builddir/ccmod" run trace.cct

traced 2 "" nothing
expect_status 0
expect_error "the trace has no message"

traced 2 "" hidden
expect_status 0
expect_error "no trace is written: the program used MPI"
expect_equal "lines on stderr" 1 "$(grep -c combench-trace err)"
expect_true "no trace" [ ! -e trace.cct ]

case_is "one program of two that is traced"
export COMBENCH_TRACE_JOIN_S=1
run 1 "$srcdir/scripts/trace" trace.cct "$program" nothing : -np 1 "$program" nothing
unset COMBENCH_TRACE_JOIN_S
expect_failure
expect_error "not all ranks of MPI_COMM_WORLD have loaded the tracer"

case_is "wrong options"
run 0 "$srcdir/scripts/trace" --shortly trace.cct "$program" nothing
expect_status 2
expect_error "usage:"

finish
