#!/bin/sh
# Farms whose processes are killed or interrupted, in a closed loop and in a late open one: no process is
# left, and the rows measured before are a valid document.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

rows() {
    { grep -cs '"size_bytes"' result.json || true; } | grep . || echo 0
}

# shellcheck disable=SC2317 # called by await
some_rows() {
    [ "$(rows)" -ge 1 ]
}

# start_farm PROGRAM OPTIONS...: rank 0 supervises, 1 and 2 are sources, 3 and 4 destinations. It takes
# more than a minute; returns when at least one row is in the file.
start_farm() {
    rm -f result.json
    program=$1
    shift
    start 5 "$program" --sizes 64,128,256,512,1024,2048,4096 --algorithm 0,1,2,3,4,5,6,7,8,9 \
        --precision 0.01 --max-time 1 --output result.json "$@"
    await "$limit_s" some_rows || failed "a row in the file within $limit_s s" "$(rows) rows"
    rows_before=$(rows)
}

# expect_interrupted REASON: the document is valid and has this reason (a regular expression)
expect_interrupted() {
    expect_failure
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" False
    expect_true "reason $1" grep -q -E "\"reason\": \"($1)\"" result.json
    expect_true "the $rows_before rows of before" test "$(rows)" -ge "$rows_before"
}

# The launcher sends SIGTERM to the others, which the supervisor may have time to record.
# killed NAME RANK PROGRAM OPTIONS...
killed() {
    case_is "$1"
    rank=$2
    shift 2
    start_farm "$@"
    kill -KILL "$(pid_of_rank "$rank")"
    collect
    expect_interrupted 'running|SIGTERM'
}

killed "a destination is killed, closed loop" 4 cb_pushfarm
killed "a source is killed, open loop that falls behind" 2 cb_pushfarm --rate 100MHz

case_is "SIGTERM to the supervisor"
start_farm cb_pushfarm
kill -TERM "$(pid_of_rank 0)"
collect
expect_interrupted SIGTERM

thorough || finish

killed "a source is killed, closed loop" 1 cb_pullfarm
killed "a destination is killed, open loop that falls behind" 3 cb_pullfarm --rate 100MHz
killed "the supervisor is killed" 0 cb_pushfarm

# terminated NAME OPTIONS...
terminated() {
    case_is "SIGTERM to the launcher, $1"
    shift
    start_farm "$@"
    kill -TERM "$launcher_pid"
    collect
    [ "$MPI_KIND" = openmpi ] || status=1 # MPICH's launcher ends with 0
    expect_interrupted 'SIGTERM|running'
}

terminated "closed loop" cb_pullfarm
terminated "open loop that falls behind" cb_pushfarm --rate 100MHz
terminated "open loop that waits for its events" cb_pushfarm --rate 100Hz

finish
