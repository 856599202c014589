#!/bin/sh
# cb_congest: any benchmark beside any other, over each technology; what the row says of both; options that are
# refused; an aggressor that fails or is killed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=120
launcher_options="--oversubscribe"
[ "$MPI_KIND" = openmpi ] || launcher_options="-bind-to none"

ping="oneway --sizes 64 --mode pingpong"
stream="oneway --sizes 1024 --mode stream"

# refused NAME TEXT... -- OPTION...: the texts are in the one message, and nothing is measured
refused() {
    case_is "$1"
    shift
    : >texts
    while [ "$1" != -- ]; do
        echo "$1" >>texts
        shift
    done
    shift
    run_refused 2 cb_congest "$@"
    expect_status 2
    expect_equal "lines on stderr:" 1 "$(wc -l <err)"
    while read -r text; do
        expect_error "$text"
    done <texts
    rm texts
    expect_equal "lines on stdout:" 0 "$(wc -l <out)"
    expect_all_gone
}

refused "no victim" "--victim is missing" -- --aggressor busy
refused "no aggressor" "--aggressor is missing" -- --victim "$ping"
refused "an option of the job in a command" "--victim: --verify holds for the whole job" -- \
    --victim "$ping --verify" --aggressor none
refused "an unknown benchmark" "--aggressor: 'all' is no benchmark" "none, busy" -- \
    --victim "$ping" --aggressor all
refused "a benchmark that is too large for its ranks" "--victim on 1 ranks" "has 1" -- \
    --victim "$ping" --aggressor busy
refused "no rank for an aggressor" "2 victims leave no aggressor" "victim-ranks" -- \
    --victim "$ping" --aggressor busy --victim-ranks 2
refused "more aggressors than ranks" "--aggressor-ranks 4" "leave 1 of 2" -- \
    --victim "$ping" --aggressor busy --aggressor-ranks 4
refused "arrivals without a rate" "--aggressor-arrivals has no effect without --aggressor-rate" -- \
    --victim "$ping" --aggressor busy --aggressor-arrivals poisson
refused "a rate of an aggressor that sends nothing" "--aggressor-rate has no effect" -- \
    --victim "$ping" --aggressor busy --aggressor-rate 1kHz
refused "two rates of a farm" "pushfarm has events at a rate itself" -- \
    --victim "$ping" --aggressor pushfarm --aggressor-rate 1kHz
refused "bursts that do not end" "1 GHz\|1e+09\|rate" -- \
    --victim "$ping" --aggressor "$stream" --aggressor-rate 1MHz --aggressor-arrivals bursts:10,1ms
refused "too many rounds" "--rounds" "31" -- --victim "$ping" --aggressor busy --rounds 32

# beside RANKS VICTIM AGGRESSOR OPTION...
beside() {
    case_is "$2 beside $3 ($*)"
    ranks=$1
    victim=$2
    aggressor=$3
    shift 3
    rm -f result.json
    run "$ranks" cb_congest --victim "$victim" --aggressor "$aggressor" --max-time 0.05 --rounds 2 --output result.json "$@"
    expect_status 0
    expect_all_gone
    expect_valid result.json
    expect_rows "(r['victim'], r['aggressor'], r['rounds']) == ('$victim', '$aggressor', 2)"
    # The interval of two rounds has the ratio as its geometric mean.
    expect_rows "all(abs(r[k]['interval'][0] * r[k]['interval'][1] / r[k]['value'] ** 2 - 1) < 1e-3 \
for k in r if k.startswith('impact'))"
    expect_rows "'aggressor_failed' not in r"
    expect_rows "sorted(r['victim_cpu_per_step_us']) == ['alone', 'beside'] and min(r['victim_cpu_per_step_us'].values()) > 0"
}

# A load that sends is counted.
sent() {
    expect_rows "r['aggressor_MBps'] > 0 and r['aggressor_turns'] > 0 and 0 < r['aggressor_busy_pct'] <= 100.001"
}

beside 4 "$ping" none
expect_rows "'aggressor_MBps' not in r and (r['processors'], r['aggressor_ranks']) == (2, 2)"
expect_rows "r['mode'] == 'pingpong' and r['size_bytes'] == 64 and r['impact_mean']['value'] > 0"
expect_rows "set(r['alone_us']) >= {'mean'} and set(r['victim_MBps']) == {'alone', 'beside'}"
expect_document result.json "sorted(r['role'] for r in d['environment']['ranks'])" \
    "['aggressor', 'aggressor', 'victim', 'victim']"
expect_document result.json "d['environment']['ranks'][0]['role']" victim

beside 4 "oneway --sizes 64,1024 --mode stream" "$stream" --verify --aggressor-placement apart
sent
expect_document result.json "[r['size_bytes'] for r in d['results']]" "[64, 1024]"
expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
expect_document result.json "[r['role'] for r in d['environment']['ranks']]" \
    "['victim', 'victim', 'aggressor', 'aggressor']"

# At a rate that two ranks keep even where all share a core, the throughput is that of the rate: the bytes of the
# turns that have ended, which are whole bursts.
beside 4 "$ping" "$stream" --aggressor-rate 200Hz --aggressor-arrivals bursts:10,0 --max-time 0.3
sent
expect_rows "(r['aggressor_rate_Hz'], r['aggressor_arrivals']) == (200, 'bursts:10,0')"
expect_rows "0 < r['aggressor_MBps'] < 2 * 200 * 1024 / 1e6"

beside 7 "ring --processors 3 --sizes 8 --mode neighbours" "alltoall --sizes 64" --victim-ranks 3 --aggressor-ranks 2,4
sent
expect_document result.json "[r['aggressor_ranks'] for r in d['results']]" "[2, 4]"

case_is "GPCNeT is not installed"
if ! command -v network_load_test >/dev/null; then
    status=0
    "$srcdir/scripts/compare-gpcnet" gpcnet 2>err >out || status=$?
    expect_status 77
    expect_error "network_load_test is not in PATH"
fi

thorough || finish

beside 4 "$ping" busy
expect_rows "'aggressor_MBps' not in r"

beside 6 "pushfarm --sources 1 --destinations 1 --sizes 64 --algorithm 0" \
    "pullfarm --sources 1 --destinations 1 --sizes 64 --algorithm 0"
sent
expect_rows "(r['mode'], r['sources'], r['destinations']) == ('closed', 1, 1)"


# options_of BENCHMARK: what a quick run of it takes
options_of() {
    case $1 in
    pushfarm | pullfarm) echo "--sizes 64 --algorithm 0 --sources 2 --destinations 2" ;;
    pipeline) echo "--sizes 64 --algorithm 0" ;;
    multicast) echo "--sizes 64 --list rotate --multicast loop" ;;
    *) echo "--sizes 64" ;;
    esac
}

# Every benchmark that can be measured beside another, as the refusal of others lists them, is a victim once, and an
# aggressor once: beside the next one.
refused "a benchmark that measures all ranks" "'linkmap' is no benchmark that can be measured beside another" -- \
    --victim linkmap --aggressor none
sed 's/.*use one of //; s/,//g' err | tr ' ' '\n' >usable
next=$(head -n 1 usable)
tac usable >backwards
while read -r one <&3; do
    ranks=$(ranks_of "$one")
    beside $((ranks + $(ranks_of "$next"))) "$one $(options_of "$one")" "$next $(options_of "$next")" \
        --victim-ranks "$ranks"
    next=$one
done 3<backwards

for technology in tcp udp sci ofi ucx rma; do
    "$builddir/cb_congest" --technology list | grep -q "^$technology  *runs" || continue
    beside 4 "$ping" "$stream" --technology "$technology"
    # Counters of the victims' connections, beside the aggressor.
    [ "$technology" != tcp ] || expect_rows "'retransmitted' in r['connections'] and 'worst_connections' in r"
done

case_is "an aggressor that cannot go on"
rm -f result.json
CB_FAULT_RANK=3 CB_FAULT_BUFFER=1 run 4 faulty_congest --technology mpi --victim "$ping" --aggressor "$stream" \
    --max-time 0.1 --output result.json
expect_status 1
expect_error "rank 3, an aggressor, cannot go on"
expect_all_gone
expect_valid result.json
expect_rows "r['aggressor_failed'] and r['rounds'] == 0 and 'impact_mean' not in r and r['alone_us']['mean'] > 0"
expect_document result.json "d['complete']" False

# shellcheck disable=SC2317 # called by await
first_row() {
    [ -s result.json ] && [ "$(document result.json "len(d['results'])")" = 1 ]
}

# A run of which the first row is in the file, and that measures the second one for long.
start_two_rows() {
    case_is "$1"
    rm -f result.json
    start 4 cb_congest --victim "oneway --sizes 64,1024 --mode pingpong" --aggressor "$stream" --max-time 1 --rounds 2 \
        --output result.json
    await "$limit_s" first_row || failed "a first row" none
}

# expect_ended REASON: the first row is in a valid document, with this reason (a regular expression)
expect_ended() {
    expect_failure
    expect_all_gone
    expect_valid result.json
    expect_document result.json "(len(d['results']), d['complete'])" "(1, False)"
    expect_true "reason $1" grep -q -E "\"reason\": \"($1)\"" result.json
}

start_two_rows "a killed aggressor ends the run; rows before it stay"
kill -KILL "$(pid_of_rank 1)"
collect
expect_ended 'running|SIGTERM'

start_two_rows "SIGINT to the rank that writes"
kill -INT "$(pid_of_rank 0)"
collect
expect_ended SIGINT
expect_error "SIGINT ends the run" "in result.json"

start_two_rows "SIGTERM to the launcher"
kill -TERM "$launcher_pid"
collect
[ "$MPI_KIND" = openmpi ] || status=1 # MPICH's launcher ends with 0
# Open MPI's launcher kills ranks that have not ended a second later. Rank 0 has written by then.
expect_ended 'SIGTERM|SIGINT'

start_two_rows "SIGTERM to an aggressor"
kill -TERM "$(pid_of_rank 1)"
collect
expect_ended 'SIGTERM|running'
expect_error "SIGTERM came to this rank and ends the job"

finish
