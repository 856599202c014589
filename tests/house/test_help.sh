#!/bin/sh
# --help of every program leaves with 0, and is that of tests/unit/golden/help where a file is there.
# UPDATE_GOLDEN=1 writes the golden files anew.
set -eu
: "${srcdir:?}" "${builddir:?}"

golden=$srcdir/tests/unit/golden/help
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0

# same NAME PROGRAM...: what PROGRAM says of itself is in NAME.txt
same() {
    name=$1
    shift
    "$@" --help >"$output" || {
        echo "$* --help leaves with $?" >&2
        status=1
    }
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        mkdir -p "$golden"
        cp "$output" "$golden/$name.txt"
    fi
    [ ! -e "$golden/$name.txt" ] || diff -u "$golden/$name.txt" "$output" >&2 || status=1
}

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    same "$program" "$builddir/$program"
done
same combench-testbed "$builddir/combench-testbed"
same ccmod "$builddir/ccmod"
for command in calibrate convert info knee run signals timeline; do
    same "ccmod-$command" "$builddir/ccmod" "$command"
done
exit "$status"
