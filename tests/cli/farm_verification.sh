#!/bin/sh
# Farms over technologies with defects. Where the technology admits that messages may be lost, events
# are accounted for whatever happens, and the run ends; where it does not, the first message that
# should not be is an error. --verify counts each fault by its kind and fails the run. In
# `make check`, and over MPICH, whose ranks find turns on shared cores less easily, it is one fault of each kind.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240
launch=run

# farm PROGRAM TECHNOLOGY OPTIONS...: two sources, two destinations
farm() {
    program=$1
    technology=$2
    shift 2
    rm -f result.json
    $launch 5 "lossy_$program" --technology "$technology" --sizes 64 --algorithm 0 --in-flight 4 \
        --max-time 0.05 --output result.json "$@"
    expect_all_gone
    expect_valid result.json
}

# verified FAULT WHAT RANK PROGRAM LOST DOUBLED REORDERED CORRUPTED: the second message of that kind
# that RANK sends in the verification pass gets the fault
verified() {
    case_is "--verify: $1 a $2, $4"
    export CB_FAULT="$1" CB_FAULT_WHAT="$2" CB_FAULT_RANK="$3" CB_FAULT_VERIFIED=1
    launch=run_refused
    farm "$4" broken --verify
    launch=run
    expect_status 1
    expect_error "verification failed" "$5 lost, $6 duplicate, $7 reordered, $8 corrupted"
    expect_document result.json "d['complete'], len(d['results'])" "(True, 1)"
    expect_rows "r['lost'] == 0 and r['errors'] == 0"
}

# failed_by FAULT WHAT PROGRAM TEXT: a technology that declares itself reliable, without --verify
failed_by() {
    case_is "$1 a $2, $3, not verified"
    export CB_FAULT="$1" CB_FAULT_WHAT="$2" CB_FAULT_EVERY=4
    launch=run_refused
    farm "$3" broken
    launch=run
    expect_status 1
    expect_error "$4"
    expect_document result.json "d['complete']" False
}

# survived FAULTS WHAT PROGRAM ROWS [OPTION...]: a technology that declares itself unreliable
survived() {
    export CB_FAULT="$1" CB_FAULT_WHAT="$2" CB_FAULT_EVERY="$every" CB_FAULT_SEED="$seed"
    program=$3
    counted=$4
    shift 4
    case_is "$CB_FAULT, $CB_FAULT_WHAT, $program, seed $seed $*"
    farm "$program" lossy "$@"
    expect_status 0
    expect_silence
    expect_document result.json "d['complete']" True
    expect_rows "$counted"
    seed=$((seed + 1))
}

# Packets without a label are not measured where messages may be lost.
no_fault() {
    case_is "no fault, $1"
    unset CB_FAULT
    farm "$1" lossy --sizes 8,64 --verify
    expect_status 0
    expect_one_error "warning" "no event number"
    expect_document result.json "[r['size_bytes'] for r in d['results']]" "[64]"
    expect_document result.json "'event number' in d['skipped'][0]['reason']" True
    expect_rows "r['lost'] == 0 and r['errors'] == 0"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
}

# Rank 0 supervises, 1 and 2 are sources, 3 and 4 destinations.
seed=1
every=10
if [ "$MPI_KIND" != openmpi ] || ! thorough; then
    no_fault pullfarm
    verified drop fragment 1 pullfarm 1 0 0 0
    unset CB_FAULT_RANK CB_FAULT_VERIFIED
    failed_by double note pushfarm "received a control message about event"
    survived drop,double,reorder any pushfarm "r['lost'] + r['errors'] > 0"
    finish
fi

# Messages common to both farms get faults in one of them only.
for farm in pushfarm pullfarm; do
    no_fault $farm
done
verified drop fragment 1 pullfarm 1 0 0 0
verified double note 0 pushfarm 0 1 0 0
verified mislabel note 0 pullfarm 1 0 0 1
verified double fragment 2 pushfarm 0 1 0 0
verified corrupt fragment 1 pullfarm 0 0 0 1
verified double decision 4 pushfarm 0 1 0 0
verified reorder decision 3 pullfarm 0 0 1 0
# If a fragment is overtaken, its event may also complete after the next one.
verified reorder fragment 1 pushfarm 0 0 '[12]' 0
verified drop note 0 pushfarm 1 0 0 0
verified mislabel fragment 2 pushfarm 1 0 0 1
verified cut fragment 1 pushfarm 0 0 0 1
verified drop decision 3 pushfarm 1 0 0 0
verified mislabel decision 4 pushfarm 1 0 0 1
verified corrupt decision 3 pushfarm 1 0 0 1
verified drop request 3 pullfarm 1 0 0 0
verified double request 4 pullfarm 0 1 0 0

unset CB_FAULT_RANK CB_FAULT_VERIFIED
failed_by corrupt fragment pushfarm "at destination .* has the sum"
failed_by cut fragment pullfarm "at destination .* has the sum"
failed_by mislabel fragment pushfarm "received a fragment about event"
failed_by double fragment pullfarm "received a fragment about event"
failed_by double decision pushfarm "received a decision about event"
failed_by mislabel decision pullfarm "received a decision about event"
failed_by cut decision pushfarm "a control message of 15 bytes instead of 16"
failed_by double note pushfarm "received a control message about event"
failed_by double request pullfarm "received a control message about event"

survived drop,double,reorder any pullfarm "r['lost'] + r['errors'] > 0"
# A closed loop and one at a rate.
survived drop,double,reorder any pushfarm "r['lost'] + r['errors'] > 0" --load-curve 20kHz
survived double any pushfarm "r['errors'] > 0"
every=4
survived reorder decision pullfarm "r['errors'] > 0"
survived mislabel,corrupt,cut decision pushfarm "r['lost'] > 0 and r['errors'] > 0"

case_is "all messages are lost"
export CB_FAULT=drop CB_FAULT_WHAT=any CB_FAULT_EVERY=1
farm pullfarm lossy
expect_status 1
expect_error "events arrived, so nothing was measured"
expect_document result.json "d['complete'], d['results'], len(d['skipped'])" "(True, [], 1)"

case_is "a search with all messages lost"
farm pushfarm lossy --find-rate --deadline-us 1e6 --quantile p50
expect_status 1
expect_error "no event was decided"
expect_document result.json "d['complete'], d['results'], len(d['skipped'])" "(True, [], 2)"

case_is "random faults, verified"
export CB_FAULT=drop,double,reorder CB_FAULT_EVERY=10
farm pullfarm lossy --verify
expect_status 1
expect_error "verification failed"
expect_rows "r['verify']['lost'] > 0 and r['verify']['doubled'] > 0 and r['verify']['reordered'] > 0"

unset CB_FAULT
case_is "a pipeline, whose packets have no event number"
run_refused 3 lossy_pipeline --technology lossy --topology 2-1 --sizes 64 --algorithm 0 --output result.json
expect_status 77
expect_error "no event number"
expect_valid result.json

finish
