#!/bin/sh
# The tracer over programs in Fortran: the messages of all three interfaces are in the trace, each once.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=120
export CB_BUILD="$builddir"

# What the tracer says through MPICH's launcher is not sorted out by `settle`.
settle() {
    :
}

compiler=
for candidate in "${MPIFORT:-}" "mpifort.$MPI_KIND" mpifort; do
    if [ -n "$candidate" ] && "$candidate" -show 2>/dev/null | grep -q "$MPI_KIND"; then
        compiler=$candidate
        break
    fi
done
[ -n "$compiler" ] || skip "no Fortran compiler of $MPI_KIND was found (MPIFORT)"
echo "      end" >empty.f
"$compiler" -o empty empty.f >/dev/null 2>&1 || skip "$compiler compiles no program"

for interface in INCLUDED MODULE MODULE_08; do
    case_is "$interface"
    if ! "$compiler" -w -std=legacy -cpp "-D$interface" -o program "$srcdir/tests/tracer/traced.F90" 2>compiled; then
        echo "  left out: $(grep -m 1 Error compiled)"
        continue
    fi
    programs_traced=$((${programs_traced:-0} + 1))
    run 4 "$srcdir/scripts/trace" trace.cct ./program
    expect_status 0
    expect_silence
    for message in "s:8" "r:8" "is:16" "ir:16" "is:24" "ss:32" "ir:32" "is:40" "r:40"; do
        expect_equal "messages $message" 4 "$(grep -c "^${message%:*} [0-3] ${message#*:}\\( \\|\$\\)" trace.cct)"
    done
    for call in "Barrier of 0" "Allreduce of 8000" "Bcast of 48"; do
        expect_equal "calls of MPI_$call" 4 "$(grep -c "^# MPI_$call bytes" trace.cct)"
    done
    run 0 "$builddir/ccmod" run --eager-bytes 1MiB --format json --output model.json trace.cct
    expect_status 0
    expect_silence
    expect_document model.json "d['messages']" 33
done
[ -n "${programs_traced:-}" ] || skip "no interface of MPI for Fortran was found"

finish
