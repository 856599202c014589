#!/bin/sh
# Killed ranks and launchers, signals, full disks, readers that exit: the program ends, no process is left, and
# the rows measured before are a valid document.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
limit_s=120 # of a run that is to end by itself: such a one takes a few seconds

rows() {
    { grep -cs '"size_bytes"' result.json || true; } | grep . || echo 0
}

# shellcheck disable=SC2317 # called by await
some_rows() {
    [ "$(rows)" -ge 2 ]
}

# start_long_run CASE [RANKS]
# A run of which two rows are in the file, and which takes 25 s and more to its end: on a machine that
# is busy it takes a while to find its processes. Packets are large, since the number of steps of a
# block is agreed beforehand: where others take the cores then, each packet costs turns of the
# scheduler, and thousands of small ones would cost minutes.
start_long_run() {
    case_is "$1"
    rm -f result.json
    start "${2:-2}" cb_oneway --sizes "$(seq -s , 1000001 1000070)" --precision 0.01 --max-time 0.2 \
        --output result.json
    await "$limit_s" some_rows || failed "two rows in the file within $limit_s s" "$(rows) rows"
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

# Shared memory files that a killed launcher leaves.
segments_of() {
    for pid in "$@"; do
        sed -n 's|.* \(/dev/shm/[^ ]*\)$|\1|p' "/proc/$pid/maps"
    done | sort -u
}

kill_ranks_and_launchers() {
    # The launcher sends SIGTERM to the others first; a rank that had no core until then may record it.
    start_long_run "a rank that is killed"
    kill -KILL "$(pid_of_rank 1)"
    collect
    expect_interrupted 'running|SIGTERM'

    start_long_run "SIGTERM to the rank that writes"
    kill -TERM "$(pid_of_rank 0)"
    collect
    expect_interrupted SIGTERM
    expect_error "SIGTERM ends the run" "in result.json"

    [ "$MPI_KIND" != openmpi ] || thorough || return 0 # launchers differ in signals

    start_long_run "the rank that writes is killed"
    kill -KILL "$(pid_of_rank 0)"
    collect
    expect_interrupted running

    # What ranks write to a launcher that is gone may be refused before they are ended, by whatever
    # signal is left to end them.
    start_long_run "a launcher that is killed"
    segments=$(segments_of "$(pid_of_rank 0)" "$(pid_of_rank 1)")
    kill -KILL "$launcher_pid"
    collect
    expect_interrupted 'running|SIGTERM|refused .*'
    # shellcheck disable=SC2086 # several files
    rm -rf $segments "${TMPDIR:-/tmp}"/ompi.*/pid."$launcher_pid"

    start_long_run "SIGINT to the rank that writes"
    kill -INT "$(pid_of_rank 0)"
    collect
    expect_interrupted SIGINT
    expect_error "SIGINT ends the run" "in result.json"

    for signal in TERM INT; do
        start_long_run "SIG$signal to the launcher"
        kill -$signal "$launcher_pid"
        collect
        [ "$MPI_KIND" = openmpi ] || status=1 # MPICH's launcher ends with 0
        expect_interrupted 'SIGTERM|SIGINT|running'
    done

    start_long_run "SIGTERM to a rank that does not write"
    kill -TERM "$(pid_of_rank 1)"
    collect
    expect_interrupted 'SIGTERM|running'
    expect_error "rank 1" "SIGTERM" "ends the job"

    start_long_run "SIGTERM to a rank that takes no part" 3
    kill -TERM "$(pid_of_rank 2)"
    collect
    expect_interrupted 'SIGTERM|running'
    expect_error "rank 2" "SIGTERM" "ends the job"
}

# Streams: the broken one is that of the rank itself, since launchers discard output that they cannot write.

write_into_trouble() {
    case_is "a full device as stdout, written to row by row"
    run 2 sh -c "exec $builddir/cb_oneway --sizes 64 --max-time 0.02 --output result.json >/dev/full"
    expect_status 1
    expect_one_error "standard output" "No space left" "free some space"
    expect_valid result.json
    expect_document result.json "d['complete'], len(d['results'])" "(False, 1)"

    thorough || return 0

    case_is "a full device as stdout, written to at the end"
    run 2 sh -c "exec $builddir/cb_oneway --sizes 64 --max-time 0.02 --format json >/dev/full"
    expect_status 1
    expect_one_error "standard output" "No space left" "free some space"

    case_is "a closed stdout"
    run 2 sh -c "exec $builddir/cb_oneway --sizes 64 --max-time 0.02 --format json >&-"
    expect_status 1
    expect_one_error "standard output"

    # Shared memory would exceed the limit.
    if [ "$MPI_KIND" = openmpi ]; then
        case_is "a limit on the size of files"
        launcher_options="--mca btl tcp,self"
        run 2 sh -c "ulimit -f 64
            exec $builddir/cb_oneway --sweep --mode stream --max-time 0.02 --output result.json"
        launcher_options=
        expect_status 1
        expect_error result.json "File too large" "ulimit -f"
        expect_valid result.json
        expect_document result.json "d['complete'], len(d['results']) > 0" "(False, True)"
    fi

    case_is "a reader of the rank exits"
    mkfifo pipe
    timeout "$limit_s" sh -c "head -n 1 <pipe >first" &
    reader=$!
    run 2 sh -c "exec $builddir/cb_oneway --precision 0.01 --max-time 0.2 >pipe"
    expect_status 1
    expect_one_error "standard output" "Broken pipe"
    wait "$reader" || failed "a reader that ends" "status $?"
    expect_equal "what the reader got:" 1.1 "$(cut -d ' ' -f 1 first)"
    expect_all_gone

    case_is "a reader of the launcher exits"
    rm -f result.json
    # shellcheck disable=SC2046 # the launcher is several words
    CB_TEST_MARK=$mark timeout -k 5 "$limit_s" $(launcher 2) "$builddir/cb_oneway" \
        --precision 0.01 --max-time 0.2 --output result.json 2>err </dev/null | head -n 1 >out
    expect_equal "what the reader got:" 1.1 "$(cut -d ' ' -f 1 out)"
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" False
}

# Disks

fill_disk() {
    dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null || true
}

expect_no_room() {
    expect_status "$1"
    expect_one_error "$2" "No space left on device" "free some space"
    expect_all_gone
    expect_equal "files:" result.json "$(ls -I filler disk)"
}

# In a separate mount namespace.
fill_disks() {
    mkdir -p disk

    case_is "the disk fills up during the run"
    mount -t tmpfs -o size=32k none disk
    run 2 cb_oneway --max-time 0.02 --mode stream --sweep --output disk/result.json
    expect_no_room 1 disk/result.json
    expect_valid disk/result.json
    expect_document disk/result.json "d['complete'], d['reason'], len(d['results']) > 0" \
        "(False, 'running', True)"
    umount disk

    thorough || return 0

    case_is "the disk fills up before the first row"
    mount -t tmpfs -o size=4k none disk
    run 2 cb_oneway --max-time 0.02 --sizes 64 --mode stream --output disk/result.json
    expect_no_room 1 disk/result.json
    expect_valid disk/result.json
    expect_document disk/result.json "d['complete'], d['reason'], len(d['results'])" \
        "(False, 'running', 0)"
    umount disk

    case_is "the disk is full at the start"
    mount -t tmpfs -o size=96k none disk
    run 2 cb_oneway --max-time 0.02 --sizes 64 --mode stream --output disk/result.json
    expect_status 0
    cp disk/result.json earlier
    fill_disk disk
    run 2 cb_oneway --max-time 0.02 --sizes 64 --mode stream --output disk/result.json
    expect_no_room 2 disk/result.json
    expect_true "the earlier result as it was" cmp -s earlier disk/result.json
    umount disk

    case_is "the disk is read-only"
    mount -t tmpfs -o ro none disk
    run 2 cb_oneway --output disk/result.json
    expect_status 2
    expect_one_error disk/result.json "Read-only file system" "for writing"
    umount disk
}

# This script again, as the part `fill_disks`, in a mount namespace.
in_own_namespace() {
    for option in -m -rm; do
        if unshare "$option" mount -t tmpfs none "$work" 2>/dev/null; then
            unshare "$option" sh "$srcdir/tests/cli/faults.sh" disks || failures=$((failures + 1))
            return
        fi
    done
    echo "(disks are not filled: this user may not mount a tmpfs in a namespace of its own)"
}

if [ "${1:-}" = disks ]; then
    test_name='faults-disks'
    enter_folder
    fill_disks
else
    enter_folder
    kill_ranks_and_launchers
    write_into_trouble
    in_own_namespace
fi
finish
