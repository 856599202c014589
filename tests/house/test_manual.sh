#!/bin/sh
# Every manual page is formatted without a warning, by groff or else by man: those that programs make of
# themselves, and those in man/.
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

# check PROGRAM PAGE WORD: the page is formatted, and has the name of the program and a word.
check() {
    text=$(format "$2" 2>"$warnings")
    if [ -s "$warnings" ]; then
        echo "the manual page of $1:" >&2
        cat "$warnings" >&2
        status=1
    fi
    case $text in
    *"$1"*"$3"*) ;;
    *)
        echo "the manual page of $1 lacks its name or $3" >&2
        status=1
        ;;
    esac
}

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    "$builddir/$program" --manual >"$page"
    check "$program" "$page" --max-time
done
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    python3 "$srcdir/scripts/combench" --manual >"$page"
    check combench "$page" combench-run
    verbs=$(sed -n 's/^    Verb("\([a-z]*\)".*/\1/p' "$srcdir/python/combench/main.py")
    [ -n "$verbs" ] || {
        echo "no verb is found in python/combench/main.py" >&2
        status=1
    }
    for verb in $verbs; do
        python3 "$srcdir/scripts/combench" "$verb" --manual >"$page"
        check "combench-$verb" "$page" --help
        grep -q "combench-$verb\.1" "$srcdir/man/local.mk" || {
            echo "man/local.mk does not make combench-$verb.1" >&2
            status=1
        }
    done
fi
check combench-config "$srcdir/man/combench-config.5" node_id
check libcombench-trace "$srcdir/man/libcombench-trace.7" COMBENCH_TRACE_RECORDS
check sisci-shm "$srcdir/man/sisci-shm.7" SISCI_SHM_FAULTS
check sisci-shm-clean "$srcdir/man/sisci-shm-clean.1" --dry-run
"$builddir/combench-testbed" --manual >"$page"
check combench-testbed "$page" --delay
"$builddir/ccmod" --manual >"$page"
check ccmod "$page" --version
for command in calibrate convert generate info knee run signals timeline; do
    "$builddir/ccmod" "$command" --manual >"$page"
    check "ccmod-$command" "$page" --help
done

# Every parameter of a technology stands in docs/reference/technologies.md, and in the manual page of files where
# that has a section for its Context.
found=0
sources=$(grep -l 'cb_parameter_set [a-z_]*_parameters = {' "$srcdir"/src/transport/*/*.c)
for source in $sources; do
    context=$(sed -n 's/.*\.context = "\([A-Z]*\)".*/\1/p' "$source")
    texts=docs/reference/technologies.md
    ! grep -q "^\.SS The Context $context\$" "$srcdir/man/combench-config.5" || texts="$texts man/combench-config.5"
    parameters=$(sed -n '/cb_parameter rows\[/,/^};/s/.*\.name = "\([a-z_]*\)".*/\1/p' "$source")
    for parameter in $parameters; do
        found=$((found + 1))
        for text in $texts; do
            grep -qw "$parameter" "$srcdir/$text" || {
                echo "$text lacks the parameter $parameter of $context" >&2
                status=1
            }
        done
    done
done
[ "$found" -ge 18 ] || {
    echo "only $found parameters are found in src/transport" >&2
    status=1
}

exit "$status"
