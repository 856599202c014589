# shellcheck shell=sh
# Functions for tests of the command line: start programs under the launcher that configure found, and
# assertions that print the expected and the actual value. Source this file; a test works in its own
# folder, which is kept when the test fails.
#
# run N PROGRAM [OPTION]...    run to its end; sets $status and writes the files out and err
# run_refused N PROGRAM ...    the same, for ranks that all exit together with an error
# start N PROGRAM [OPTION]...  run in the background; then `await` a condition and `collect`
#
# Programs are cb_NAME, faulty_NAME and lossy_NAME over technologies with defects, alone_NAME, counting_NAME and filling_NAME. N 0 starts one
# without a launcher. Processes are found by a mark in their environment, which the launcher passes on;
# only processes with the mark are signalled.
set -eu

srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$builddir/tests/environment.sh"

limit_s=60
test_name=$(basename "$0" .sh)
mark=$test_name.$$
failures=0
documents=0
case_name=
jobs=
launcher_prefix=
launcher_options=

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}detect_leaks=0"

# Every benchmark that needs no file and no other benchmark, without its cb_, and the ranks that a quick test of it starts.
# shellcheck disable=SC2034 # the tests use it
programs=$(for file in "$srcdir"/benchmarks/cb_*.c; do basename "$file" .c | sed 's/^cb_//'; done |
    grep -vx -e replay -e congest)

# Facts on benchmarks from the build; see tests/cli/benchmarks.py.
describe_benchmarks() {
    "$CB_PYTHON" "$srcdir/tests/cli/benchmarks.py" "$1" "$builddir/benchmarks.json"
}

ranks_of() {
    describe_benchmarks ranks | sed -n "s/^$1 \([0-9]*\) .*/\1/p"
}

# Plain MPI is measured beside the technology mpi alone.
takes_technologies() {
    [ "$1" != bare ]
}

# Set-up and clean-up

# Whether to run the cases that `make check` omits; all other test targets run them. A test has its quick
# cases first: thorough || finish.
thorough() {
    [ -n "${CB_CHECK_FULL:-}" ]
}

skip() {
    echo "skipped: $*"
    exit 77
}

needs_python() {
    [ -n "$CB_PYTHON" ] || skip "configure found no python3 with the module jsonschema"
}

needs_proc() {
    [ -r /proc/self/environ ] || skip "there is no /proc/PID/environ to find the ranks by"
}

leave() {
    for pid in $(marked); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    [ -z "$jobs" ] || wait
}

enter_folder() {
    work=$builddir/tests/cli/work-$test_name
    rm -rf "$work"
    mkdir -p "$work/.documents"
    cd "$work"
    trap leave EXIT
    trap 'exit 1' HUP INT TERM
}

finish() {
    validate_documents
    if [ "$failures" -gt 0 ]; then
        echo "$failures failed; what the last program wrote is in $work"
        exit 1
    fi
    cd "$builddir"
    rm -rf "$work"
    exit 0
}

# Processes

# The live processes of this test, launcher and ranks; a zombie has no environment.
marked() {
    grep -lsz "^CB_TEST_MARK=$mark\$" /proc/[0-9]*/environ | sed 's|^/proc/\([0-9]*\)/.*|\1|'
}

# The process of rank $1.
pid_of_rank() {
    for pid in $(marked); do
        if grep -qsz "^\(OMPI_COMM_WORLD_RANK\|PMI_RANK\)=$1\$" "/proc/$pid/environ"; then
            echo "$pid"
            return
        fi
    done
}

all_gone() {
    [ -z "$(marked)" ]
}

# Whether a command succeeds within $1 s.
await() {
    deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || return 1
        sleep 0.05
    done
}

# Programs

# The launcher command for $1 ranks. One or two ranks are bound to separate cores if there are enough,
# unless the test sets another binding: spinning ranks that share a core, as happens on a busy machine,
# need a time slice for each message.
launcher() {
    placed=$launcher_options
    case $1.$MPI_KIND in
    0.*) ;;
    *.openmpi)
        if [ "$1" -gt 2 ] || [ "$(nproc)" -lt 2 ] || [ -n "$launcher_options" ]; then
            placed="--oversubscribe $launcher_options"
        fi
        echo "$launcher_prefix $MPIRUN -q $placed -np $1"
        ;;
    *)
        if [ "$1" -le 2 ] && [ "$(nproc)" -ge 2 ] && [ -z "$launcher_options" ]; then
            placed="-bind-to core"
        fi
        echo "$launcher_prefix $MPIRUN $placed -np $1"
        ;;
    esac
}

# Words: a program, and for some the name of a benchmark.
program_path() {
    case $1 in
    cb_*) echo "$builddir/$1" ;;
    faulty_clock) echo "$builddir/tests/cli/$1" ;;
    alone_* | counting_* | faulty_* | filling_* | lossy_*) echo "$builddir/tests/cli/${1%%_*} ${1#*_}" ;;
    *) echo "$1" ;;
    esac
}

run() {
    ranks_started=$1
    started=$(launcher "$ranks_started")
    started="$started $(program_path "$2")"
    shift 2
    status=0
    # shellcheck disable=SC2086 # the launcher is several words
    CB_TEST_MARK=$mark timeout -k 5 "$limit_s" $started "$@" >out 2>err </dev/null || status=$?
    settle
}

# After the first rank that fails, Open MPI's launcher gives the others a second before it kills them. Ranks that
# agree on an error have all reported it by then.
run_refused() {
    export OMPI_MCA_odls_base_sigkill_timeout=0
    run "$@"
    unset OMPI_MCA_odls_base_sigkill_timeout
}

start() {
    ranks_started=$1
    started=$(launcher "$ranks_started")
    started="$started $(program_path "$2")"
    shift 2
    # What the last program wrote: a test that awaits a message must not find it there.
    rm -f out err
    # shellcheck disable=SC2086
    CB_TEST_MARK=$mark $started "$@" >out 2>err </dev/null &
    launcher_pid=$!
    jobs=$launcher_pid
}

launcher_gone() {
    ! grep -qsz "^CB_TEST_MARK=$mark\$" "/proc/$launcher_pid/environ"
}

# The exit status of what was started; 124 when it had to be killed.
collect() {
    status=0
    if await "$limit_s" launcher_gone; then
        wait "$launcher_pid" 2>/dev/null || status=$?
    else
        kill -KILL "$launcher_pid"
        status=124
    fi
    jobs=
    settle
}

# Remove the messages of the launcher; those of the program stay. MPICH's are about failed ranks; Open MPI may add
# lines that begin with [HOST:PID] or its name, even with -q. A program without ranks has no launcher.
settle() {
    [ "$ranks_started" -gt 0 ] || return 0
    mv err .err.all
    case $MPI_KIND in
    mpich) grep '^cb_[a-z0-9]*: ' .err.all >err || true ;;
    *) grep -v -e '^\[[^]]*:[0-9]*\]' -e '^mpirun' .err.all >err || true ;;
    esac
}

# Assertions

case_is() {
    case_name=$*
    echo "- $case_name"
}

failed() {
    failures=$((failures + 1))
    echo "FAILED: $test_name: $case_name"
    echo "  expected: $1"
    echo "  came:     $2"
    said=err
    [ ! -s .err.all ] || said=.err.all
    if [ -s "$said" ]; then
        sed 's/^/  stderr:   /' "$said" | head -n 20
    fi
}

expect_status() {
    case $status in
    "$1") ;;
    124 | 137) failed "exit status $1" "no end within $limit_s s (status $status)" ;;
    *) failed "exit status $1" "$status" ;;
    esac
}

expect_failure() {
    case $status in
    0) failed "an exit status other than 0" 0 ;;
    124) failed "an end" "none within $limit_s s" ;;
    esac
}

# Except the warnings that a busy machine delayed an algorithm, or a link of a map, which are correct.
expect_silence() {
    said=$(grep -c -v -e "calibration drifted" -e "warning: .*; see what else uses the cores" -e "warning: .*; see its cable" err || true)
    [ "$said" -eq 0 ] || failed "nothing on stderr" "$said lines"
}

# Whether a search for a rate failed as it does where other processes use the machine: because of them, as its
# message says, or for want of time.
search_found_nothing() {
    [ "$status" -eq 1 ] && grep -q -e "other work [a-z]* the machine" -e "no rate was confirmed in" err
}

# `run`, repeated if a search found no rate: a busy machine may be free a moment later.
run_search() {
    run "$@"
    for _ in 1 2; do
        ! search_found_nothing || run "$@"
    done
}

# The noise probe before such a run has detected the other processes.
gave_way_to_others() {
    search_found_nothing || return 1
    [ "$(document result.json "d['environment']['noise']['stolen_pct'] > 10")" = True ]
}

# One line on stderr, from one rank, with all these texts in it.
expect_one_error() {
    [ "$(wc -l <err)" -eq 1 ] || failed "one line on stderr" "$(wc -l <err) lines"
    expect_error "$@"
}

# Expect each of these texts in a message.
expect_error() {
    for text in "$@"; do
        grep -q -e "$text" err || failed "a message with '$text'" "none such"
    done
}

expect_all_gone() {
    await 30 all_gone || failed "no rank left" "$(marked | tr '\n' ' ')"
}

# refuse STATUS RANKS PROGRAM OPTIONS TEXT...: OPTIONS is one word list; the texts are in the one message, and
# nothing is measured
refuse() {
    wanted=$1
    ranks=$2
    program=$3
    options=$4
    shift 4
    # shellcheck disable=SC2086 # options are words
    run_refused "$ranks" "$program" $options
    expect_status "$wanted"
    expect_one_error "$@"
    expect_equal "lines on stdout:" 0 "$(wc -l <out)"
    expect_all_gone
}

expect_equal() { # what, expected, came
    [ "$2" = "$3" ] || failed "$1 $2" "$3"
}

expect_true() { # what, command...
    what=$1
    shift
    "$@" || failed "$what" "it does not hold"
}

# A value of a document: document FILE EXPRESSION, with the document as d. rate_us(row) is the time per step that
# the rates of a row are made from if nothing was lost.
document() {
    "$CB_PYTHON" -I -S -c 'import json, sys; d = json.load(open(sys.argv[1]))
def rate_us(row):
    blocks = row["blocks_us"]
    return sum(blocks) / len(blocks) if "rates_from" in row else (row.get("round_us") or row["latency_us"])["median"]
print(eval(sys.argv[2]))' "$1" "$2" 2>&1 | tail -n 1
}

expect_document() { # file, expression, expected
    expect_equal "$2 to be" "$3" "$(document "$1" "$2")"
}

# Expect that an expression over r holds for all rows.
expect_rows() {
    expect_document result.json "len(d['results']) > 0 and all($1 for r in d['results'])" True
}

# Expect that documents are valid. They are copied now and checked together at the end: starting the
# validator takes longer than checking a document.
expect_valid() {
    for file in "$@"; do
        documents=$((documents + 1))
        cp "$file" "$work/.documents/$documents $(echo "$case_name" | tr / - | cut -c 1-100)" ||
            failed "the document $file" "no such file"
    done
}

validate_documents() {
    [ "$documents" -gt 0 ] || return 0
    case_name="the documents of all cases"
    rm -f err .err.all
    faults=$("$CB_PYTHON" "$srcdir/tests/cli/validate.py" \
        "$srcdir/docs/combench-result-1.schema.json" "$work/.documents"/* 2>&1) ||
        failed "valid documents" "$faults"
}
