#!/bin/sh
# Arrival processes of open loops and the two steps of --accept, over several technologies and with more
# ranks than cores: the accounts are closed, malformed values are refused with the remedy, and a killed
# rank ends the job.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
examples=$(cd "${srcdir:-.}" && pwd)/docs/examples
enter_folder
limit_s=240

# measured NAME RANKS PROGRAM OPTIONS...
measured() {
    case_is "$1"
    shift
    rm -f result.json
    run "$@" --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
    expect_document result.json "d['complete']" True
    expect_rows "r.get('lost', 0) == 0 and r.get('errors', 0) == 0 and r.get('in_flight', 0) == 0"
    expect_rows "r['mode'] != 'open' or r['due'] == r['issued'] + r['not_issued']"
}

# load SPEC RANKS PROGRAM OPTIONS...: an open loop at a rate with these arrivals
load() {
    spec=$1
    ranks=$2
    program=$3
    shift 3
    measured "$program with $spec" "$ranks" "$program" --sizes 64 --algorithm 0 --max-time 0.2 \
        --rate 2kHz --seed 5 --arrivals "$spec" "$@"
    expect_rows "r['arrivals'] == '$spec' and r['offered_Hz'] == 2000 and r['issued'] >= 20"
    expect_document result.json "(d['parameters']['arrivals'], d['parameters']['seed'])" \
        "('$spec', 5)"
}

# accounts_of_steps: of farms of 4 sources that ask 2 first
accounts_of_steps() {
    expect_rows "r['sources'] == 4 and r['fetched'] == 2"
    expect_rows "r['accepted'] + r['rejected'] == r['decided']"
    expect_rows "r['first_step_bytes'] == 2 * r['size_bytes'] * r['decided']"
    expect_rows "r['second_step_bytes'] == 2 * r['size_bytes'] * r['accepted']"
    expect_rows "sum(r.get(key + '_latency_us', {'samples': 0})['samples'] for key in ('accepted', 'rejected')) == r['event_latency_us']['samples']"
    expect_rows "abs(r['throughput_MBps'] - 2e-6 * r['size_bytes'] * r['frequency_Hz'] * (1 + r['accepted'] / r['decided'])) <= 1e-6 * r['throughput_MBps']"
    expect_rows "'verify' not in r or sum(r['verify'].values()) == r['verify']['messages']"
}

# in_steps NAME OPTIONS...
in_steps() {
    name=$1
    shift
    measured "$name" 7 cb_pullfarm --sources 4 --destinations 2 --fetch 2 --algorithm 0 \
        --max-time 0.5 "$@"
}

load gamma:0.5 5 cb_pushfarm --sources 2 --destinations 2
load bursts:50,1us 5 cb_pullfarm --technology tcp --sources 2 --destinations 2
# Whole bursts, and the first event of the next one.
expect_rows "r['issued'] % 100 == 1"
load "train:$examples/lhc.train" 7 cb_pipeline --topology 4-2-1 --verify

# Two events in flight: the others of a burst have no room when they fall due.
measured "a burst beyond the events in flight" 3 cb_pushfarm --sizes 64 --algorithm 0 \
    --max-time 0.3 --rate 2kHz --arrivals bursts:100,0 --in-flight 2
expect_rows "r['held_back'] >= 98 * ((r['issued'] - 1) // 100) and r['issued'] % 200 == 1"

measured "a rate that bursts cannot have" 3 cb_pushfarm --sizes 64 --algorithm 0 \
    --max-time 0.1 --rate 100MHz --arrivals bursts:20,0
expect_rows "r['saturated'] and r['not_issued'] > 0"

for technology in mpi tcp; do
    in_steps "two steps over $technology" --sizes 8,64 --accept 0.5 --verify \
        --technology "$technology"
    accounts_of_steps
    expect_rows "r['accept'] == 0.5"
    # A busy machine decides few events in the time, and all of a few may fall alike.
    expect_document result.json "all(sum(r[key] for r in d['results']) > 0 or sum(r['decided'] for r in d['results']) < 40 for key in ('accepted', 'rejected'))" True
done
in_steps "two steps at a rate, in bursts" --sizes 64 --accept 0.5 --rate 2kHz --arrivals bursts:20,0
accounts_of_steps

# refused NAME RANKS PROGRAM OPTIONS TEXTS...
refused() {
    case_is "$1"
    shift
    refuse 2 "$@"
}

printf 'slots 10\nslot 25ns\ntrain 5 x\n' >wrong.train
printf 'slots 10\ntrain 4 5\n' >short.train
refused "no process" 3 cb_pushfarm "--rate 1kHz --arrivals often" "'often'" "give periodic, poisson"
refused "a shape of 0" 0 cb_pushfarm "--rate 1kHz --arrivals gamma:0" "'gamma:0'" "0.01"
refused "a negative gap" 0 cb_pipeline "--rate 1kHz --arrivals bursts:10,-1us" "'bursts:10,-1us'" \
    "bursts:LENGTH,GAP"
refused "a gap that the rate has no room for" 3 cb_pushfarm "--rate 2kHz --arrivals bursts:10,1ms" \
    "smaller gap"
refused "bursts that --max-time has no room for" 3 cb_pushfarm \
    "--rate 1kHz --arrivals bursts:1000,0" "2001 events" "--max-time"
refused "no file" 3 cb_pullfarm "--rate 1kHz --arrivals train:none.train" "'none.train'" "each host"
refused "a wrong number in a file" 3 cb_pullfarm "--rate 1kHz --arrivals train:wrong.train" \
    "wrong.train:3" "train 72 8 3"
refused "an orbit that is not full" 7 cb_pipeline "--rate 1kHz --arrivals train:short.train" \
    "short.train" "9 slots"
refused "a rate of 0" 0 cb_pushfarm "--rate 0 --arrivals poisson" "--rate"
refused "a fraction above 1" 3 cb_pullfarm "--accept 1.5" "--accept '1.5'" "from 0 to 1"
refused "a negative fraction" 3 cb_pullfarm "--accept -0.5" "--accept" "from 0 to 1"
refused "no sources for the second step" 3 cb_pullfarm "--accept 0.5 --sources 1" "more --sources"
refused "two steps of a multicast" 4 cb_pullfarm \
    "--accept 0.5 --sources 2 --destinations 1 --supervisor multicast" "--accept 0.5" \
    "--supervisor loop"
refused "two steps of pushed events" 0 cb_pushfarm "--accept 0.5" "--accept" "cb_pullfarm"

# The ranks of other hosts may lack the file: rank 0 has it, and no rank waits for another.
case_is "a file that one rank lacks"
cat >elsewhere.sh <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" -ne 2 ] || cd /
exec "\$@"
END
chmod +x elsewhere.sh
cp "$examples/lhc.train" here.train
run_refused 4 "$PWD/elsewhere.sh" "$builddir/cb_pushfarm" --sources 1 --destinations 2 --sizes 64 \
    --algorithm 0 --rate 1kHz --arrivals train:here.train
expect_status 2
expect_error "'here.train'" "rank 2"

# killed NAME RANK OPTIONS...: rank 0 supervises, 1 to 4 are sources, 5 and 6 destinations.
killed() {
    case_is "$1"
    rank=$2
    shift 2
    rm -f result.json
    start 7 cb_pullfarm --sources 4 --destinations 2 --sizes 64,128,256,512,1024,2048,4096 \
        --algorithm 0,1,2,3,4,5,6,7,8,9 --precision 0.01 --max-time 1 --output result.json "$@"
    await "$limit_s" grep -qs '"size_bytes"' result.json ||
        failed "a row in the file within $limit_s s" "none"
    kill -KILL "$(pid_of_rank "$rank")"
    collect
    expect_failure
    expect_all_gone
    expect_valid result.json
    expect_document result.json "d['complete']" False
}

killed "a destination is killed between the two steps" 5 --accept 0.5

thorough || finish

killed "a source is killed, in bursts" 2 --accept 0.5 --rate 20kHz --arrivals bursts:1000,0
# Each process once more, and each program with one that it has not had.
load periodic 5 cb_pushfarm --technology tcp --sources 2 --destinations 2 --verify
load poisson 4 cb_pipeline --topology 2-1
load gamma:4 7 cb_pullfarm --sources 4 --destinations 2 --fetch 2 --accept 0.3
accounts_of_steps
measured "a curve with trains of bunches" 5 cb_pushfarm --sizes 64 --sources 2 --destinations 2 \
    --algorithm 0 --max-time 0.1 --load-curve 1kHz,2kHz,4kHz --arrivals "train:$examples/lhc.train"
expect_document result.json "len(d['results'])" 4
for technology in sci udp; do
    in_steps "two steps over $technology" --sizes 64,1024 --accept 0.5 --verify \
        --technology "$technology"
    accounts_of_steps
done
for fraction in 0 1; do
    in_steps "two steps of none or all" --sizes 8,64 --accept "$fraction" --verify
    accounts_of_steps
    expect_rows "r['accepted'] == $fraction * r['decided']"
done
finish
