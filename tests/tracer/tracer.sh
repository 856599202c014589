#!/bin/sh
# The tracer over programs of four ranks: what they send is in the trace, ccmod runs it, and what
# cannot be recorded is said.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=120
export CB_BUILD="$builddir"

# traced WORD...: in trace.cct
traced() {
    case_is "$*"
    rm -f trace.cct
    run 4 "$srcdir/scripts/trace" trace.cct "$builddir/tests/tracer/traced" "$@"
    expect_status 0
}

# What the program said through MPICH's launcher is not sorted out by `settle`.
settle() {
    :
}

# modelled: ccmod runs the trace, and every message that is sent is received
modelled() {
    run 0 "$builddir/ccmod" run --eager-bytes 1MiB --format json --output model.json trace.cct
    expect_status 0
    expect_silence
}

traced wavefront
expect_silence
"$CB_PYTHON" "$srcdir/tests/tracer/check_wavefront.py" trace.cct >faults ||
    failed "the messages of the wavefront" "$(head -n 5 faults)"
modelled
expect_document model.json "d['messages']" 24
expect_true "a sweep takes time" [ "$(document model.json "d['end_us'] > 0")" = True ]

traced calls
expect_silence
for name in Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv \
    Reduce_scatter Reduce_scatter_block Scan Exscan; do
    expect_equal "calls of MPI_$name" 12 "$(grep -c "^# MPI_$name of " trace.cct)"
done
# Of all ranks, in one order and the other, of two halves of them, and of single ranks.
expect_equal "barriers" 16 "$(grep -c '^# MPI_Barrier of 0' trace.cct)"
# Waited for at a time; while others are under way; and those others.
expect_equal "waits" 8 "$(grep -c '^w' trace.cct)"
modelled
mv trace.cct calls.cct

traced started
expect_silence
for name in Ibarrier Ireduce Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv \
    Ialltoallw Ireduce_scatter Ireduce_scatter_block Iscan Iexscan; do
    expect_equal "calls of MPI_$name" 12 "$(grep -c "^# MPI_$name of " trace.cct)"
done
"$CB_PYTHON" "$srcdir/tests/tracer/check_started.py" calls.cct trace.cct >faults ||
    failed "the messages of collectives that wait" "$(head -n 5 faults)"
# Of four ranks: five rounds of two messages by MPI_Startall, one of them synchronous, and one by MPI_Start.
expect_equal "messages of persistent requests" 24 "$(grep -c '^is [0-3] 4 ' trace.cct)"
expect_equal "synchronous ones" 20 "$(grep -c '^iss [0-3] 4 ' trace.cct)"
# What was probed came to rank 0, waited for and not.
expect_equal "messages that were found" 6 "$(grep -c '^\(r\|ir\) [1-3] [24][1-3]' trace.cct)"
modelled

traced threads
if [ ! -s out ]; then
    expect_error "calls of MPI began while another thread of their rank was in one"
    expect_equal "messages" 160 "$(grep -c '^is [0-3] 4 ' trace.cct)"
    modelled
fi

# Received in another order than sent: messages started in advance, and those that the library kept.
traced tags
expect_silence
expect_equal "notes on the order" 1 "$(grep -c '^# .* receives stand in the order of the sends' trace.cct)"
expect_equal "messages of 100 bytes" 8 "$(grep -c '^\(s\|r\|is\|ir\) [0-3] 100\( \|$\)' trace.cct)"
modelled
expect_equal "receives in order elsewhere" 0 "$(grep -c 'in the order of the sends' calls.cct)"

traced unrecorded
expect_error "the trace is incomplete" "MPI_Neighbor_allgather (4)" "MPI_Ineighbor_alltoall (4)"

# A rank that sleeps computes by the real clock only.
slept_us=200000
# shellcheck disable=SC2016 # the fields are awk's
computed='/^c /{ if ($2 > most) most = $2 } END { printf "%.0f", most }'
traced sleeping
expect_true "real time while asleep" [ "$(awk "$computed" trace.cct)" -ge $slept_us ]
export COMBENCH_TRACE_CLOCK=cpu
traced sleeping
expect_silence
expect_true "no processor time while asleep" [ "$(awk "$computed" trace.cct)" -lt $slept_us ]
expect_equal "calls with a time" 0 "$(grep -c -e ' t=' -e '^#.* us$' trace.cct)"
modelled

case_is "the processor time of several threads"
run 4 "$srcdir/scripts/trace" none.cct "$builddir/tests/tracer/traced" threads
if [ ! -s out ]; then
    expect_failure
    expect_error "COMBENCH_TRACE_CLOCK=cpu" "MPI_THREAD_MULTIPLE"
    expect_true "no trace" [ ! -e none.cct ]
fi

case_is "an unknown clock"
export COMBENCH_TRACE_CLOCK=sun
run 4 "$srcdir/scripts/trace" none.cct "$builddir/tests/tracer/traced" wavefront
unset COMBENCH_TRACE_CLOCK
expect_failure
expect_error "COMBENCH_TRACE_CLOCK='sun'" "real or cpu"
expect_true "no trace" [ ! -e none.cct ]

case_is "a limit of records"
export COMBENCH_TRACE_RECORDS=50
traced many 1000
unset COMBENCH_TRACE_RECORDS
expect_error "the trace is cut" "COMBENCH_TRACE_RECORDS"
expect_true "no more than allowed" [ "$(grep -c '^[rs] ' trace.cct)" -le 100 ]

case_is "more than fits into memory"
traced many 20000
expect_silence
expect_equal "messages" 40000 "$(grep -c '^[rs] [01] 1 ' trace.cct)"
modelled
expect_document model.json "d['messages']" 20000

case_is "a file that cannot be written"
for file in nowhere/trace.cct /dev/null .; do
    run 4 "$srcdir/scripts/trace" $file "$builddir/tests/tracer/traced" wavefront
    expect_failure
    expect_error "cannot write the trace .*${file#.}'*: " "COMBENCH_TRACE"
done

case_is "a library that is not there"
export COMBENCH_TRACER=nothing.so
run 0 "$srcdir/scripts/trace" trace.cct true
expect_status 2
expect_error "cannot read the tracer nothing.so"

finish
