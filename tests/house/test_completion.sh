#!/usr/bin/env bash
# Completion for bash offers the options of every program, its values and verbs, and the shipped plans.
# What it offers comes from --help; what is expected here comes from the manual pages and from the tables.
set -eu
: "${srcdir:?}" "${builddir:?}"
if [ -z "${BASH_VERSION-}" ]; then # another shell runs the tests, and reads no further
    command -v bash >/dev/null || exit 77
    exec bash "$0"
fi

export PYTHONDONTWRITEBYTECODE=1
# shellcheck source=scripts/completion/combench.bash
. "$srcdir/scripts/completion/combench.bash"
status=0

# offered WORD...: what is offered for the last word, a line each, in order
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    "${function:-_combench}"
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
}

# expect 'WORDS' WORD...: exactly these are offered for the last word
expect() {
    wanted=$(tr ' ' '\n' <<<"$1" | LC_ALL=C sort)
    shift
    found=$(offered "$@")
    [ "$found" = "$wanted" ] || {
        echo "$*: offered are '$found', wanted '$wanted'" | tr '\n' ' ' >&2
        status=1
    }
}

# options_of COMMAND...: the options of its manual page
options_of() {
    "$@" --manual | grep -q '^\\fB' || echo "no-options-in-the-manual-page"
    "$@" --manual | sed -n 's/\\-/-/g; s/^\\fB\(-[a-z], \)\{0,1\}\(--[A-Za-z-]*\).*/\2/p' | tr '\n' ' ' | sed 's/ $//'
}

for source in "$srcdir"/benchmarks/cb_*.c; do
    program=$(basename "$source" .c)
    expect "$(options_of "$builddir/$program")" "$builddir/$program" --
    complete -p "$program" >/dev/null 2>&1 || {
        echo "$program has no completion" >&2
        status=1
    }
done
expect "$(options_of "$builddir/ccmod" run)" "$builddir/ccmod" run --
expect "auto spin yield block" "$builddir/cb_oneway" --wait ''
expect "all" "$builddir/cb_oneway" --touch a
expect "mpi" "$builddir/cb_oneway" --technology m
expect "calibrate convert" "$builddir/ccmod" c
function=_combench_launched expect "none source destination both" \
    mpirun -q -np 2 "$builddir/cb_oneway" --compute ''

if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    driver=$srcdir/scripts/combench
    expect "$(options_of "$driver" run)" "$driver" run --
    expect "auto mpirun srun" "$driver" run --launcher ''
    expect "note48" "$driver" run note
    expect "run" "$driver" ru
fi
exit "$status"
