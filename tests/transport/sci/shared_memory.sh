#!/bin/sh
# sci leaves nothing in /dev/shm and names a lock that it cannot take. Runs in a mount namespace with a
# /dev/shm of its own.
if [ -z "${CB_OWN_SHM:-}" ]; then
    namespaces=--mount
    [ "$(id -u)" -eq 0 ] || namespaces="--mount --user --map-root-user"
    # shellcheck disable=SC2086 # several words
    if ! unshare $namespaces mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
        echo "skipped: unshare(1) can make no mount namespace with a /dev/shm of its own"
        exit 77
    fi
    # shellcheck disable=SC2086
    CB_OWN_SHM=$(id -u) exec unshare $namespaces sh "$0"
fi
mount -t tmpfs tmpfs /dev/shm
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
lock=/dev/shm/sisci-shm.0.lock

objects() {
    find /dev/shm -name 'sisci-shm.*' ! -name '*.lock'
}

# Of two ranks: a presence, a segment and an interrupt each.
# shellcheck disable=SC2317 # await calls it
connected() {
    [ "$(objects | wc -l)" -eq 6 ]
}

# shellcheck disable=SC2317
none_left() {
    [ -z "$(objects)" ]
}

# ended_by SIGNAL WHO: `launcher`, or a rank
ended_by() {
    case_is "SIG$1 to $2"
    start 2 cb_oneway --technology sci --sizes 64 --max-time 50 --output result.json
    await "$limit_s" connected || failed "six objects" "$(objects | wc -l)"
    pid=$launcher_pid
    [ "$2" = launcher ] || pid=$(pid_of_rank "${2#rank }")
    kill "-$1" "$pid"
    collect
    expect_all_gone
    expect_true "no object left in /dev/shm" none_left
}

for signal in TERM INT; do
    ended_by $signal launcher
    ended_by $signal "rank 0"
    ended_by $signal "rank 1"
done

# refused TEXT...: the lock cannot be taken
refused() {
    run_refused 2 cb_oneway --technology sci --sizes 64 --max-time 0.02
    expect_status 2
    expect_said "cannot lock $lock" "$@"
    rm -rf "$lock"
}

# MPICH's launcher keeps all lines, `settle` those of the program alone.
expect_said() {
    said=err
    [ ! -s .err.all ] || said=.err.all
    for text in "$@"; do
        grep -q -e "$text" "$said" || failed "a message with '$text'" "none such"
    done
}

rm -f "$lock"
case_is "a folder in place of the lock"
mkdir "$lock"
refused "it is no regular file: remove it"

if [ "$CB_OWN_SHM" -eq 0 ]; then
    case_is "a lock of another user"
    (umask 077 && : >"$lock")
    chown 1 "$lock"
    refused "Permission denied" "belongs to user 1: remove it as that user or as root"
fi

case_is "sisci-shm-clean says the same"
mkdir "$lock"
run 0 "$builddir/sisci-shm-clean"
expect_status 1
expect_error "cannot lock $lock: .*; it is no regular file: remove it"

finish
