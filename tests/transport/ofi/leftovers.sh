#!/bin/sh
# What the technology ofi leaves in /dev/shm over the provider shm: nothing after its end, after a signal that can be
# caught, and after SIGKILL of a rank, whose file the others remove.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# The files that the ranks of this test have now.
files() {
    for pid in $(marked); do
        sed -n 's|.* \(/dev/shm/combench-ofi[^ ]*\)$|\1|p' "/proc/$pid/maps" 2>/dev/null
    done | sort -u
}

# shellcheck disable=SC2317 # await calls it
both_open() {
    [ "$(files | wc -l)" -eq 2 ]
}

left() {
    for file in $opened; do
        [ ! -e "$file" ] || echo "$file"
    done
}

# opened_by METHOD: a run of two ranks, whose files are in $opened
opened_by() {
    start 2 cb_oneway --technology ofi --parameter "provider=shm,method=$1" --sizes 64 --max-time 50 \
        --output result.json
    await "$limit_s" both_open || failed "two files" "$(files)"
    opened=$(files)
}

# ended_by SIGNAL WHO METHOD: `launcher`, or a rank
ended_by() {
    case_is "SIG$1 to $2, method $3"
    opened_by "$3"
    pid=$launcher_pid
    [ "$2" = launcher ] || pid=$(pid_of_rank "${2#rank }")
    kill "-$1" "$pid"
    collect
    expect_all_gone
    expect_true "no file left" test -z "$(left)"
}

case_is "a regular end"
run 2 cb_oneway --technology ofi --parameter provider=shm --sizes 64 --max-time 0.02
expect_status 0
expect_true "no file of the job" test -z "$(files)"

ended_by TERM launcher message
ended_by TERM "rank 1" write

# The other rank finds that its peer has gone, or gets the launcher's SIGTERM before.
case_is "a rank that is killed"
opened_by message
kill -KILL "$(pid_of_rank 1)"
collect
expect_failure
expect_all_gone
expect_valid result.json
expect_equal "files left" "" "$(left)"

thorough || finish

for signal in TERM INT; do
    for who in launcher "rank 0" "rank 1"; do
        ended_by $signal "$who" message
        ended_by $signal "$who" write
    done
done

finish
