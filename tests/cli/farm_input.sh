#!/bin/sh
# Loads and shapes that cannot be measured are refused before measuring, with valid alternatives; a deadline that
# cannot be met is found by measuring and fails the run, without loss of other results.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

# refused NAME RANKS PROGRAM OPTIONS TEXT...
refused() {
    case_is "$1"
    shift
    refuse 2 "$@"
}

# Ranks
refused "two ranks for a farm" 2 cb_pushfarm "" "needs 3 ranks" "has 2" "mpirun -np 3"
refused "too few ranks for S x D" 5 cb_pullfarm "--sources 4 --destinations 2" \
    "4 sources and 2 destinations" "needs 7 ranks" "mpirun -np 7"
refused "too few ranks for the smallest topology" 3 cb_pipeline "" "4-2-1" "needs 7 ranks"

# Shapes
refused "a stage that does not divide" 0 cb_pipeline "--topology 4-3-1" "4-3-1" "does not divide"
refused "one stage" 0 cb_pipeline "--topology 4" "--topology" "one stage"
refused "a topology twice" 3 cb_pipeline "--topology 2-1,2-1" "repeated"
refused "lists of different lengths" 0 cb_pushfarm "--sources 1,2,3 --destinations 1,2" "equally many"
refused "no sources" 0 cb_pushfarm "--sources 0" "--sources" "use 1 to"
refused "no destinations" 0 cb_pullfarm "--destinations 0" "--destinations" "use 1 to"

# Loads
refused "no rate" 0 cb_pushfarm "--rate 0" "--rate" "use 0.1 to"
refused "a negative rate" 0 cb_pushfarm "--rate -5" "--rate" "-5"
refused "a rate beyond all clocks" 0 cb_pushfarm "--rate 1e30" "--rate" "use 0.1 to"
refused "a rate without events in its time" 0 cb_pushfarm "--rate 1Hz" "1 Hz" "22.2 s" "--max-time"
refused "two loads" 0 cb_pushfarm "--rate 10kHz --find-rate --deadline-us 9" "--rate" "--find-rate"
refused "a curve and a rate" 0 cb_pullfarm "--rate 10kHz --load-curve auto" "--load-curve" "one of"
refused "a search without a deadline" 0 cb_pushfarm "--find-rate" "--find-rate" "--deadline-us"
refused "a deadline without a search" 0 cb_pushfarm "--deadline-us 100" "--deadline-us" "--find-rate"
refused "a curve that is none" 0 cb_pushfarm "--load-curve 10kHz,fast" "--load-curve" "fast"
refused "a pipeline's curve that is none" 0 cb_pipeline "--load-curve 10kHz,fast" "of the highest frequency"
refused "a curve with a point twice" 0 cb_pushfarm "--load-curve 50%,50%" "repeated"
refused "no slowness" 0 cb_pushfarm "--slow-us 0" "--slow-us" "use 0.1 to"
refused "no events in flight" 0 cb_pushfarm "--in-flight 0" "--in-flight" "use 1 to"
refused "no such quantile" 0 cb_pullfarm "--quantile p75" "--quantile" "p75"
refused "a pipeline's rate without events in its time" 0 cb_pipeline "--rate 1Hz" "22.2 s"
refused "two loads of a pipeline" 0 cb_pipeline "--rate 1kHz --load-curve auto" "use only one"
refused "a pipeline's search without a deadline" 0 cb_pipeline "--find-rate" "--deadline-us"
refused "an endless algorithm" 0 cb_pipeline "--algorithm 1e9" "--algorithm"

# Sources of an event
refused "more sources than there are" 3 cb_pullfarm "--sources 1 --fetch 2" "--fetch 2" "only 1"
refused "no source of an event" 0 cb_pullfarm "--fetch 0" "--fetch '0'" "fraction"
refused "a fraction above one" 0 cb_pullfarm "--fetch 1.5" "--fetch '1.5'" "0 to 1"
refused "sources of a word" 0 cb_pullfarm "--fetch some" "--fetch 'some'" "give all"
refused "a multicast to some sources" 4 cb_pullfarm \
    "--sources 2 --destinations 1 --fetch 1 --supervisor multicast" \
    "--fetch 1" "--supervisor multicast" "--supervisor loop"
refused "sources of an event that pushes" 0 cb_pushfarm "--fetch 2" "--fetch" "cb_pullfarm"

# Options of other programs
refused "events in flight of a pipeline" 0 cb_pipeline "--in-flight 4" "--in-flight" \
    "cb_pushfarm and cb_pullfarm"
refused "a rate of a stream" 0 cb_oneway "--rate 10kHz" "--rate" "cb_pullfarm, cb_pipeline"
refused "a mode of a farm" 0 cb_pushfarm "--mode closed" "--mode" "cb_oneway"
refused "a window of a farm" 0 cb_pullfarm "--window 8" "--window" "cb_pipeline"
refused "a topology of a farm" 0 cb_pushfarm "--topology 4-2-1" "--topology" "cb_pipeline"
refused "an algorithm of group 1" 0 cb_oneway "--algorithm 50" "--algorithm" "cb_pipeline"

# The number of events of the closed loop is fixed in advance from --max-time. If other processes then use the
# cores, each event waits for time slices: this algorithm time reduces ten thousand events to about thirty.
case_is "a deadline below the quiet latency"
run_refused 3 cb_pushfarm --find-rate --deadline-us 0.01 --quantile p50 --sizes 0,64 --algorithm 1000 \
    --max-time 0.05 --output result.json
expect_status 1
expect_error "0 bytes" "64 bytes" "below the latency of an idle network" "longer --deadline-us"
expect_equal "searches said to have failed:" 2 "$(grep -c -v "calibration drifted" err)"
expect_valid result.json
expect_document result.json "d['complete'], [r['mode'] for r in d['results']]" \
    "(True, ['closed', 'closed'])"
expect_document result.json "[s['what'].split()[0] for s in d['skipped'][:2]]" "['--find-rate', '--find-rate']"
expect_all_gone

thorough || finish

refused "too few ranks for the second shape" 5 cb_pushfarm "--sources 2,8 --destinations 1" \
    "needs 10 ranks" "mpirun -np 10"
refused "too few ranks for a topology" 3 cb_pipeline "--topology 2-1,9-3-1" "9-3-1" "mpirun -np 13"

# A trial of a thousand events would take minutes here, and an inconclusive trial is repeated twice.
case_is "a deadline below a quiet latency that is long"
run_refused 3 cb_pushfarm --find-rate --deadline-us 100 --sizes 64 --algorithm 20000 --max-time 0.05 \
    --output result.json
expect_status 1
expect_error "below the latency of an idle network" "half of single events take" "longer --deadline-us"
expect_valid result.json
expect_all_gone

finish
