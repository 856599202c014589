#!/bin/sh
# Farms and funnels over libfabric, UCX and windows of MPI, each way of moving data: with --verify no message
# is lost, the accounts of farms close, and messages take the path that was asked for, no other. Wrong values
# of their parameters are named with what to use instead. After a rank is killed, the rows of before are valid
# and no file of the job is left. What this build or host lacks is left out.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

# Technology, method, and the counters of the paths that it may take; - for none.
ways="ofi message message
ofi write write
ucx am am,rendezvous
ucx put put
rma - put"

# words_of TECHNOLOGY METHOD
words_of() {
    echo "--technology $1"
    [ "$2" = - ] || echo "--parameter method=$2"
}

# is_here TECHNOLOGY: whether it is built in and can be used on this host
is_here() {
    grep -q "^$1  *runs " technologies
}

# verified RANKS PROGRAM TECHNOLOGY METHOD PATHS OPTION...
verified() {
    ranks=$1
    program=$2
    technology=$3
    method=$4
    paths=$5
    shift 5
    case_is "$program of $ranks ranks over $technology, method $method"
    rm -f result.json
    # shellcheck disable=SC2046
    run "$ranks" "$program" $(words_of "$technology" "$method") --max-time 0.05 --verify \
        --output result.json "$@"
    expect_status 0
    expect_silence
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" True
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
    expect_rows "r.get('lost', 0) == 0 and r.get('errors', 0) == 0 and r.get('in_flight', 0) == 0"
    expect_rows "r.get('issued', 0) == r.get('decided', 0)"
    expect_rows "(lambda taken, asked: taken and taken <= asked)(
        {path for path in ('message', 'write', 'put', 'am', 'rendezvous') if r['paths'][path] > 0},
        set('$paths'.split(',')))"
}

# refused RANKS TECHNOLOGY PARAMETER TEXT...: 0 ranks where the program refuses it before it starts any
refused() {
    case_is "$2, $3"
    ranks=$1
    technology=$2
    parameter=$3
    shift 3
    run "$ranks" cb_oneway --technology "$technology" --parameter "$parameter" --sizes 8 --max-time 0.01
    expect_status 2
    expect_error "$@"
    expect_all_gone
}

rows() {
    { grep -cs '"size_bytes"' result.json || true; } | grep . || echo 0
}

# shellcheck disable=SC2317 # called by await
some_rows() {
    [ "$(rows)" -ge 2 ]
}

# The files in /dev/shm that a process has and combench has named.
files_of() {
    sed -n 's|.* \(/dev/shm/combench[^ ]*\)$|\1|p' "/proc/$1/maps" | sort -u
}

left() {
    for file in $opened; do
        [ ! -e "$file" ] || echo "$file"
    done
}

# killed TECHNOLOGY METHOD: a rank, when two rows are in the file of a run that would take 20 s and more
killed() {
    case_is "a rank is killed over $1, method $2"
    rm -f result.json
    # shellcheck disable=SC2046
    start 2 cb_oneway $(words_of "$1" "$2") --sizes "$(seq -s , 1001 1100)" --max-time 0.2 --precision 0.01 \
        --output result.json
    await "$limit_s" some_rows || failed "two rows in the file" "$(rows) rows"
    opened="$(files_of "$(pid_of_rank 0)") $(files_of "$(pid_of_rank 1)")"
    kill -KILL "$(pid_of_rank 1)"
    collect
    expect_failure
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" False
    expect_true "the two rows of before" some_rows
    # MPICH's launcher kills the other rank at once, so no rank removes their files.
    if [ "$MPI_KIND" = openmpi ]; then
        expect_equal "files left" "" "$(left)"
    else
        left | while read -r file; do rm -f "$file"; done
    fi
}

run 0 cb_oneway --technology list
mv out technologies
echo "$ways" | while read -r technology method paths; do
    ! is_here "$technology" || echo "$technology $method $paths"
done >ways

if is_here ofi; then
    refused 0 ofi method=letter "method=letter" "message, write"
    refused 0 ofi provider "NAME=VALUE"
    refused 2 ofi provider=carrier "no provider 'carrier'" "tcp;ofi_rxm"
fi
if is_here ucx; then
    refused 0 ucx method=write "method=write" "am, put"
    refused 0 ucx outstanding=257 "outstanding=257" "0 to 256"
    refused 2 ucx transports=carrier "no 'carrier'" "tcp"
fi
if is_here rma; then
    refused 0 rma method=put "no such parameter" "outstanding, buffer_size"
    refused 0 rma buffer_size=2GiB "buffer_size=2GiB" "1GiB"
fi

# thorough: with more sizes and an algorithm
sizes=16,4096
times=0
if thorough; then
    sizes=16,1024,64KiB
    times=0,50
fi
while read -r technology method paths <&3; do
    verified 5 cb_pushfarm "$technology" "$method" "$paths" \
        --sources 2 --destinations 2 --sizes "$sizes" --algorithm "$times"
done 3<ways

# Those of other libraries are killed by tests of their own, over one method; thorough: over the other one.
! is_here rma || killed rma -

thorough || finish
while read -r technology method _ <&3; do
    case $technology.$method in
    ofi.write | ucx.am) killed "$technology" "$method" ;;
    esac
done 3<ways
while read -r technology method paths <&3; do
    verified 5 cb_pullfarm "$technology" "$method" "$paths" \
        --sources 2 --destinations 2 --sizes 1024 --algorithm 0
    verified 5 cb_funnel "$technology" "$method" "$paths" --sources 4 --sizes 0,1024,64KiB
done 3<ways

finish
