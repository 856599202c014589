#!/bin/sh
# --help of every program is that of tests/unit/golden/help, and leaves with 0. UPDATE_GOLDEN=1 writes
# the golden files anew.
set -eu
: "${srcdir:?}" "${builddir:?}"

golden=$srcdir/tests/unit/golden/help
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    "$builddir/$program" --help >"$output" || {
        echo "$program --help leaves with $?" >&2
        status=1
    }
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        mkdir -p "$golden"
        cp "$output" "$golden/$program.txt"
    fi
    diff -u "$golden/$program.txt" "$output" >&2 || status=1
done
exit "$status"
