#!/bin/sh
# Farms of three ranks with all kinds of load, and over a technology that loses messages. Short, for builds
# with sanitizers, whose ranks must exit without messages.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240

# measured PROGRAM OPTIONS...
measured() {
    case_is "$*"
    program=$1
    shift
    rm -f result.json
    run_search 3 "$program" --max-time "${max_time:-0.05}" --output result.json "$@"
    if gave_way_to_others; then
        echo "(no rate was found: others took the machine)"
    else
        expect_status 0
        expect_silence
    fi
    expect_valid result.json
    expect_document result.json "d['complete'], len(d['results']) > 0" "(True, True)"
}

closed() {
    measured "cb_$1" --sizes 0,15,16,1024 --algorithm 0,20 --verify
}

# The highest frequency may be below 100 Hz on a busy machine, and some arrivals have to fall into the time.
along_a_curve() {
    max_time=0.2
    measured "cb_$1" --sizes 64 --algorithm 0 --load-curve 1kHz,900% --arrivals poisson
    expect_document result.json "(lambda closed, fixed, share: fixed['offered_Hz'] == 1000 and
        abs(share['offered_Hz'] / closed['frequency_Hz'] - 9) < 1e-6)(*d['results'])" True
    max_time=
}

in_search_of_a_rate() {
    measured "cb_$1" --sizes 64 --algorithm 0 --find-rate --deadline-us 1e7 --quantile p50
}

with_losses() {
    export CB_FAULT=drop,double,reorder CB_FAULT_WHAT=any CB_FAULT_EVERY=30
    measured "lossy_$1" --technology lossy --sizes 64 --algorithm 0 --in-flight 4
    unset CB_FAULT
}

closed pushfarm
along_a_curve pullfarm
in_search_of_a_rate pushfarm
measured cb_pipeline --topology 2-1,1-1-1 --sizes 0,64 --algorithm 0,20 --verify

thorough || finish

with_losses pullfarm
closed pullfarm
along_a_curve pushfarm
in_search_of_a_rate pullfarm
with_losses pushfarm

finish
