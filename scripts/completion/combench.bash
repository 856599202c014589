# Completion for bash of combench, its benchmarks, ccmod and combench-testbed.
#
# All words are read from --help of the programs when they are needed, so a new option needs no change
# here. The file is installed in the folder of bash-completion; source it to use it from a source tree or
# after mpirun and srun.

# The text of --help of a command with its verb, if it has one.
_combench_help() {
    "$@" --help 2>/dev/null </dev/null
}

# Verbs: of combench from its table, of ccmod from its first line, `Usage: ccmod run|info OPTION`.
_combench_verbs() {
    _combench_help "$1" | sed -n \
        -e '1s/^Usage: [^ ]* \([a-z]*|[a-z|]*\) .*/\1/p' \
        -e 's/^    \([a-z][a-z-]*\)  .*/\1/p' -e 's/^    \([a-z][a-z-]*\)$/\1/p' | tr '|' '\n'
}

_combench_options() {
    _combench_help "$@" | sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[A-Za-z][A-Za-z-]*\).*/\2/p'
}

# The --help entry of one option on one line: its value and its explanation.
_combench_entry() {
    local option=$1
    shift
    _combench_help "$@" | awk -v option="$option" '
        /^  [^ ]/ { taken = 0; for (i = 1; i <= NF; i++) if ($i == option || $i == option ",") taken = 1 }
        /^[^ ]/ { taken = 0 }
        taken { printf "%s ", $0 }'
}

# Values that an entry lists: {a,b} after an option of the driver, (a, b or c; default a) at the end of
# the explanation of a program, or names after a colon: mpi, sci or tcp.
_combench_values() {
    tr -s ' ' | sed -n \
        -e 's/^[^{]*{\([A-Za-z0-9,_-]*\)}.*/\1/p;t' \
        -e 's/^.*(\([a-z][a-z-]*\(, [a-z][a-z-]*\)* or [a-z][a-z-]*\)[;)].*/\1/p;t' \
        -e 's/([^()]*)//g;s/  */ /g;s/^.*: \([a-z]*\( *, [a-z]*\)* or [a-z]*\) .*/\1/p' |
        sed -e 's/ or /,/' | tr -d ' ' | tr ',' '\n'
}

# _combench_complete WORD PREVIOUS COMMAND...: fill COMPREPLY for a command that has its verb
_combench_complete() {
    local word=$1 previous=$2 entry
    shift 2
    COMPREPLY=()
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_combench_options "$@")" -- "$word")
        return
    fi
    if [[ $previous == --* ]]; then
        entry=$(_combench_entry "$previous" "$@")
        case $entry in
        *" $previous DIR "*) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        *" $previous FILE "*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$(_combench_values <<<"$entry")" -- "$word") ;;
        esac
        # An option without a value is followed by whatever may stand at the beginning.
        [[ $entry =~ \ $previous\ [A-Z{] ]] && return
    fi
    if [[ ${*: -1} == run ]]; then
        # The plans that come with the driver, as its argument PLAN names them.
        mapfile -t COMPREPLY < <(compgen -W "$(_combench_entry PLAN "$@" |
            sed -n 's/  */ /g;s/^ *PLAN \(.*\), or a .*/\1/p' | tr -d ',')" -- "$word")
    fi
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}

# The command of the words from a place on: the program, and its verb where it has verbs.
_combench_from() {
    local start=$1 program=${COMP_WORDS[$1]/#\~/$HOME} word=${COMP_WORDS[COMP_CWORD]}
    case ${program##*/} in
    combench | ccmod)
        if ((COMP_CWORD == start + 1)); then
            mapfile -t COMPREPLY < <(compgen -W "$(_combench_verbs "$program") \
                $(_combench_options "$program")" -- "$word")
            return
        fi
        _combench_complete "$word" "${COMP_WORDS[COMP_CWORD - 1]}" "$program" "${COMP_WORDS[start + 1]}"
        ;;
    *) _combench_complete "$word" "${COMP_WORDS[COMP_CWORD - 1]}" "$program" ;;
    esac
}

_combench() {
    _combench_from 0
}

# After a launcher: options from the first benchmark name on; before it, file names.
_combench_launched() {
    local index
    for ((index = 1; index < COMP_CWORD; index++)); do
        if [[ ${COMP_WORDS[index]##*/} == cb_* ]]; then
            _combench_from "$index"
            return
        fi
    done
    mapfile -t COMPREPLY < <(compgen -c -f -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -o filenames -F _combench combench ccmod combench-testbed sisci-shm-clean
# The benchmarks: installed, each has a link to this file beside it; in a source tree, a file.
for _combench_program in "${BASH_SOURCE[0]%/*}"/cb_* "${BASH_SOURCE[0]%/*}"/../../benchmarks/cb_*.c; do
    _combench_program=${_combench_program##*/}
    [[ $_combench_program == *'*'* ]] || complete -o filenames -F _combench "${_combench_program%.c}"
done
# An existing completion for a launcher is kept.
for _combench_launcher in mpirun mpiexec srun; do
    complete -p "$_combench_launcher" >/dev/null 2>&1 ||
        complete -o filenames -F _combench_launched "$_combench_launcher"
done
unset _combench_launcher _combench_program
