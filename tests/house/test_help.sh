#!/bin/sh
# --help of every program leaves with 0, and is that of tests/house/golden/help where a file is there, but
# for the options that list the technologies: those say what each technology says of itself.
# UPDATE_GOLDEN=1 writes the golden files anew.
set -eu
: "${srcdir:?}" "${builddir:?}"

golden=$srcdir/tests/house/golden/help
output=$(mktemp)
trap 'rm -f "$output" "$output.whole"' EXIT
status=0

# same NAME PROGRAM...: what PROGRAM says of itself is in NAME.txt
same() {
    name=$1
    shift
    "$@" --help >"$output.whole" || {
        echo "$* --help leaves with $?" >&2
        status=1
    }
    awk '/^  --/ { listed = $1 == "--technology" || $1 == "--interface" } !listed' "$output.whole" >"$output"
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        mkdir -p "$golden"
        cp "$output" "$golden/$name.txt"
    fi
    [ ! -e "$golden/$name.txt" ] || diff -u "$golden/$name.txt" "$output" >&2 || status=1
}

# The name and the summary of every technology, as its table has them.
"$builddir/cb_oneway" --help | tr -s ' \n' ' ' >"$output.whole"
sed -n 's/^    \.summary = "\(.*\)",$/(\1)/p' "$srcdir"/src/transport/*/*.c | while read -r summary; do
    grep -qF "$summary" "$output.whole" || echo "--help lacks the technology with the summary $summary"
done >"$output"
if [ -s "$output" ]; then
    cat "$output" >&2
    status=1
fi

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
