#!/bin/sh
# The manual page of every program is formatted without a warning, by groff or else by man.
set -eu
: "${srcdir:?}" "${builddir:?}"

page=$(mktemp)
warnings=$(mktemp)
trap 'rm -f "$page" "$warnings"' EXIT
status=0

has() {
    command -v "$1" >/dev/null 2>&1
}

# man is a stub where manual pages were left out of the system: it must know its options.
if has groff; then
    format() { groff -man -Tutf8 -Kutf8 -P-cbou -ww "$1"; }
elif has man && man --warnings --version >/dev/null 2>&1; then
    format() { MANWIDTH=80 man --warnings -l "$1"; }
else
    echo "neither groff nor man is here" >&2
    exit 77
fi

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    "$builddir/$program" --manual >"$page"
    text=$(format "$page" 2>"$warnings")
    if [ -s "$warnings" ]; then
        echo "the manual page of $program:" >&2
        cat "$warnings" >&2
        status=1
    fi
    case $text in
    *"$program"*"--max-time"*) ;;
    *)
        echo "the manual page of $program lacks its name or an option" >&2
        status=1
        ;;
    esac
done
exit "$status"
