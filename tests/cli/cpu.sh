#!/bin/sh
# Processor time per message and per GB: the relations between the columns, for each kind of pass. The
# figures are not judged: they are the machine's.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder
limit_s=240 # of a case, on a busy machine: each takes a few seconds

# measured NAME RANKS PROGRAM OPTIONS...: the document is in result.json
measured() {
    case_is "$1"
    shift
    run "$@" --max-time 0.05 --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
}

expect_rows() { # what all rows hold, as an expression over r
    expect_document result.json "len(d['results']) > 0 and all($1 for r in d['results'])" True
}

near() { # whether two expressions agree but for rounding
    echo "abs(($1) / ($2) - 1) < 1e-6"
}

# No process uses much more than its core: its time is read outside of the sections whose length is known.
expect_costs() { # messages of a step, as an expression over r
    expect_rows "0 < r['cpu_cores'] <= 1.5 * r['processors']"
    expect_rows "$(near "r['cpu_per_step_us']" "r['cpu_per_message_us'] * ($1)")"
    expect_rows "r['size_bytes'] == 0 or $(near "r['cpu_per_message_us'] * 1e3" "r['cpu_per_GB_s'] * r['size_bytes']")"
    expect_rows "('cpu_per_GB_s' in r) == (r['size_bytes'] > 0)"
}

measured "ping-pong" 2 cb_oneway --mode pingpong --sizes 0,1024
expect_costs 2

measured "stream" 2 cb_oneway --mode stream --sizes 0,1024
expect_costs 1

measured "push farm" 3 cb_pushfarm --sources 1 --destinations 1 --algorithm 0,20 --sizes 1024
expect_costs "r['sources']"

measured "link map" 3 cb_linkmap --cycles 1 --sizes 0,1024
expect_costs "r['processors'] // 2 if r['mode'] == 'bisection' else r['processors'] * (r['processors'] - 1)"

measured "beside a computing task" 2 cb_twoway --compute both --sizes 1MiB
expect_rows "not any(key.startswith('cpu_') for key in r)"

thorough || finish

measured "all to all" 4 cb_alltoall --processors 4 --mode round --sizes 64
expect_costs "r['processors'] * (r['processors'] - 1)"

measured "pipeline at a rate" 4 cb_pipeline --topology 2-1-1 --algorithm 0 --sizes 64 --rate 1kHz
expect_rows "$(near "r['cpu_per_message_us'] * 1e3" "r['cpu_per_GB_s'] * r['size_bytes']")"

measured "event building" 3 cb_evb --processors 3 --sizes 1024
expect_rows "$(near "r['cpu_per_message_us'] * 1e3" "r['cpu_per_GB_s'] * r['size_bytes']")"

finish
