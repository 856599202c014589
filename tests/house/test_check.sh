#!/bin/sh
# scripts/check says what it takes, and refuses what it does not know before it installs or builds anything.
set -eu
: "${srcdir:?}"

output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0

# expect STATUS TEXT [OPTION...]: it ends with this status and says this
expect() {
    wanted=$1
    text=$2
    shift 2
    came=0
    sh "$srcdir/scripts/check" "$@" >"$output" 2>&1 || came=$?
    if [ "$came" -ne "$wanted" ] || ! grep -q -e "$text" "$output"; then
        echo "FAILED: scripts/check $*"
        echo "  expected: exit status $wanted and '$text'"
        echo "  came:     $came and:"
        head -n 5 "$output"
        status=1
    fi
}

expect 0 "^usage: scripts/check" --help
expect 0 "make check-full" --help
expect 2 "unexpected '--everything'; use --all" --everything
expect 2 "unexpected 'tests'" --all tests
exit $status
