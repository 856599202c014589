#!/bin/sh
# sisci-shm-clean lists what there is, removes what a killed process left, keeps what a live one uses, and
# with --dry-run touches nothing.
set -eu
: "${builddir:?}"

clean=$builddir/sisci-shm-clean
leave=$builddir/tests/sisci/leave_objects
folder=$(mktemp -d)
job=clean-$$
SISCI_SHM_JOB=$job
export SISCI_SHM_JOB
trap 'exec 3>&- 4>&-; rm -rf "$folder"' EXIT

fail() {
    echo "sisci_clean: $*" >&2
    exit 1
}

# start NAME: a process whose orders are read from a pipe of that name; its output is NAME.out.
start() {
    mkfifo "$folder/$1"
    "$leave" <"$folder/$1" >"$folder/$1.out" &
}

ready() {
    until grep -qs ready "$folder/$1.out"; do
        kill -0 "$2" 2>/dev/null || fail "$1 has ended early"
    done
}

ours() {
    grep -c "\.${job}[.-]" "$folder/list" || true
}

live_objects() {
    find /dev/shm -name "sisci-shm.*.$job.*" | wc -l
}

killed_objects() {
    find /dev/shm -name "sisci-shm.*.$job-killed.*" | wc -l
}

# Objects of a process that was killed. Any process of this user that starts to use the library removes
# them too, so it may take more than one to find some.
leave_stale() {
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        SISCI_SHM_JOB=$job-killed start "killed$attempt"
        killed=$!
        exec 4>"$folder/killed$attempt"
        ready "killed$attempt" "$killed"
        echo die >&4
        wait "$killed" 2>/dev/null || true
        "$clean" --dry-run >"$folder/list"
        [ "$(killed_objects)" -ne 5 ] || return 0
    done
    echo "sisci_clean: others remove what a killed process leaves before it can be looked at" >&2
    exit 77
}

start live
live=$!
exec 3>"$folder/live"
ready live "$live"
leave_stale
[ "$(grep "\.$job-killed\." "$folder/list" | grep -c 'stale$')" -eq 5 ] || fail "stale objects are not listed"
[ "$(grep "\.$job\." "$folder/list" | grep -c 'in use$')" -eq 5 ] || fail "objects in use are not listed"

"$clean" >"$folder/list"
[ "$(killed_objects)" -eq 0 ] || fail "something stale is left"
[ "$(live_objects)" -eq 5 ] || fail "something live was removed"

[ -z "$("$clean" --quiet)" ] || fail "--quiet is not quiet"
if "$clean" unexpected 2>"$folder/error"; then
    fail "an argument is accepted"
fi
grep -q "unexpected" "$folder/error" || fail "the argument is not named"
"$clean" --help | grep -q -e --dry-run || fail "--help does not help"

exec 3>&-
wait "$live" || fail "the live process has failed"
"$clean" >"$folder/list"
[ "$(ours)" -eq 0 ] || fail "something is left: $(cat "$folder/list")"
