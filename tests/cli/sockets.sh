#!/bin/sh
# The programs over tcp and udp: all measure, the document says which network they used and what
# became of datagrams, losses delay no rank, and an interface that cannot be is refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# measured NAME RANKS PROGRAM OPTIONS...: the document is in result.json
measured() {
    case_is "$1"
    shift
    run "$@" --sizes 64 --max-time 0.01 --format json
    mv out result.json
    expect_status 0
    expect_valid result.json
}

# The shortest useful run of a program.
options_of() {
    case $1 in
    pushfarm | pullfarm) echo "--sources 2 --algorithm 0 --in-flight 4" ;;
    pipeline) echo "--topology 4-2-1 --algorithm 0" ;;
    funnel) echo "--sources 4" ;;
    outfarm | multicast) echo "--destinations 4" ;;
    alltoall | pairs) echo "--processors 4" ;;
    esac
}

# In `make check` a pair, a multicast and a farm.
thorough || programs="oneway multicast pullfarm"
for program in $programs; do
    takes_technologies "$program" || continue
    # shellcheck disable=SC2046 # options are several words
    measured "$program over tcp" "$(ranks_of "$program")" "cb_$program" --technology tcp \
        $(options_of "$program")
    expect_document result.json "{r['network'] for r in d['environment']['ranks']}" "{'lo 127.0.0.1'}"
    expect_rows "'datagrams' not in r"

    [ "$program" != pipeline ] || continue
    # shellcheck disable=SC2046
    measured "$program over udp" "$(ranks_of "$program")" "cb_$program" --technology udp \
        $(options_of "$program")
    expect_rows "r['datagrams']['sent'] > 0 and r['datagrams']['foreign'] == 0"
    [ "$program" != multicast ] ||
        expect_document result.json "{r['multicast'] for r in d['results']} == {'loop', 'technology'}" True
done

case_is "a packet that no datagram takes is skipped, and others are measured"
run 2 cb_oneway --technology udp --sizes 64,100kB --mode pingpong --max-time 0.01 --format json
mv out result.json
expect_status 0
expect_valid result.json
expect_document result.json "[r['size_bytes'] for r in d['results']], len(d['skipped']) > 0" "([64], True)"

# Each loss costs a timeout: where only a few fit into the time, all packets of a block may be lost.
case_is "losses are counted and delay no rank"
export COMBENCH_UDP_FAULTS=loss=0.2,double=0.1,reorder=0.05
run 2 cb_oneway --technology udp --parameter timeout_ms=30 --sizes 64 --max-time 1 --format json
mv out result.json
expect_status 0
expect_valid result.json
expect_document result.json "sum(r['datagrams']['lost'] for r in d['results']) > 0" True
unset COMBENCH_UDP_FAULTS

case_is "an interface that is not there"
run_refused 2 cb_oneway --technology tcp --interface none-such --output refused.json
expect_status 2
expect_error "cannot use the interface 'none-such'" "use --interface with one of"

case_is "a list of interfaces: one that is not there, and an empty name"
run_refused 2 cb_oneway --technology tcp --interface lo,none-such --output refused.json
expect_status 2
expect_error "rank 1: error: cannot use the interface 'none-such'" "use --interface with one of"
run_refused 2 cb_oneway --technology udp --interface lo,,lo --output refused.json
expect_status 2
expect_error "--interface 'lo,,lo': a name is empty" "separated by single commas"

case_is "a technology that chooses its network itself"
run_refused 2 cb_oneway --technology mpi --interface lo
expect_status 2
expect_error "--interface lo: the technology mpi chooses its network itself"

thorough || finish

case_is "nor does it keep the ranks of the next number from taking part"
run 4 cb_alltoall --technology udp --sizes 100kB,64 --processors 4 --max-time 0.01 --format json
mv out result.json
expect_status 0
expect_valid result.json
expect_document result.json "[(r['processors'], r['size_bytes']) for r in d['results']]" "[(2, 64), (4, 64)]"

case_is "a pipeline needs order and completeness"
run_refused 7 cb_pipeline --technology udp --sizes 64 --algorithm 0
expect_status 77

finish
