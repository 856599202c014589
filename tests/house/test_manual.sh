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

# formatted NAME OPTION PROGRAM...: the page of PROGRAM has its NAME and OPTION
formatted() {
    name=$1
    option=$2
    shift 2
    "$@" --manual >"$page"
    text=$(format "$page" 2>"$warnings")
    if [ -s "$warnings" ]; then
        echo "the manual page of $name:" >&2
        cat "$warnings" >&2
        status=1
    fi
    case $text in
    *"$name"*"$option"*) ;;
    *)
        echo "the manual page of $name lacks its name or an option" >&2
        status=1
        ;;
    esac
}

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    formatted "$program" --max-time "$builddir/$program"
done
formatted ccmod --version "$builddir/ccmod"
formatted ccmod-info TRACE "$builddir/ccmod" info
formatted ccmod-run --network "$builddir/ccmod" run
exit "$status"
