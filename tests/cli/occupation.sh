#!/bin/sh
# --compute: who computes, and that each wait policy gets on beside the task, whatever shares a core.
# Figures are not judged: they are the machine's.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240 # of a case, on a busy machine: each takes a few seconds

# Blocks have as many steps as their length has room for, agreed beforehand. Where others take the
# cores then, each packet costs turns of the scheduler: the fewer steps, the better.
size=1MiB

# occupied NAME RANKS PROGRAM OPTIONS...: the document is in result.json
occupied() {
    case_is "$1"
    shift
    run "$@" --sizes $size --max-time 0.05 --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
}

expect_rows() { # what all rows hold, as an expression over r
    expect_document result.json "len(d['results']) > 0 and all($1 for r in d['results'])" True
}

# All rows were measured beside tasks on these sides, and on no others.
expect_sides() { # occupation, keys as a set
    expect_rows "r['occupation'] == '$1' and set(r['computing_alone_pct']) == $2"
    expect_rows "set(r.get('slowdown_computing', {})) <= $2"
    expect_rows "r['slowdown_communication'] > 0 and 'stopped_by' not in r"
    expect_document result.json "d['parameters']['compute']" "$1"
}

both_sides="{'source', 'destination'}"

# Alone, a task does what its calibration promises, and not three times as much; it does something,
# where the noise probe has found that others leave it the core.
expect_work_alone() {
    expect_rows "all(p < 300 for p in r['computing_alone_pct'].values())"
    expect_document result.json "d['environment']['noise']['stolen_pct'] > 10 or \
        any(p > 0 for r in d['results'] for p in r['computing_alone_pct'].values())" True
}

occupied "a task at the source" 2 cb_oneway --compute source --mode pingpong
expect_sides source "{'source'}"
occupied "a task at the destination, stream" 2 cb_oneway --compute destination --mode stream
expect_sides destination "{'destination'}"

case_is "what a task is made of"
expect_document result.json \
    "all(k['computing']['priority'] in ('SCHED_IDLE', 'nice 19') for k in d['environment']['ranks'])" \
    True
expect_document result.json \
    "all(k['computing']['unit_ns'] > 0 for k in d['environment']['ranks'])" True
expect_document result.json "d['environment']['hosts'][0]['cores'] == 1 or \
    all(k['cores'].isdigit() for k in d['environment']['ranks'])" True
expect_document result.json "d['environment']['mpi_settings']['thread_level'] != 'single'" True

for wait in spin yield block; do
    [ "$wait" = block ] || thorough || continue
    occupied "tasks on both sides, waiting by $wait" 2 cb_oneway --compute both --wait $wait
    expect_sides both "$both_sides"
    expect_work_alone
    expect_rows "r['wait']['requested'] == '$wait'"
    expect_rows "r['wait']['effective'] in ('$wait', 'yield')"
    expect_document result.json "'block' in d['environment'].get('technology_settings', {})" \
        "$([ $wait = block ] && echo True || echo False)"
done

thorough || finish

for program in twoway alltoall; do
    occupied "nodes of cb_$program" 2 "cb_$program" --compute both
    expect_sides both "{'node'}"
done

size=64KiB # streams to and from many
occupied "three ranks, and different data to two" 3 cb_outfarm --compute both --mode round
expect_sides both "$both_sides"
occupied "three ranks, and a list that changes" 3 cb_multicast --compute destination --list random \
    --multicast loop
expect_sides destination "{'destination'}"
occupied "pairs, and a rank that takes no part" 5 cb_pairs --compute source --processors 4
expect_sides source "{'source'}"
expect_document result.json "[r['processors'] for r in d['results']]" "[2, 4]"

occupied "seventeen ranks" 17 cb_funnel --compute both --sources 16 --mode free
expect_sides both "$both_sides"
# Blocks of less than four windows, which a busy machine may leave, have none.
expect_rows "len(r.get('shares', range(r['sources']))) == r['sources']"
# Where all of the host may be used, no core of it is left out.
expect_document result.json "(lambda host, cores:
    $(nproc) != host['hardware_threads'] or len(cores) == min(17, host['cores']))(
    d['environment']['hosts'][0], set(k['cores'] for k in d['environment']['ranks']))" True

size=64
occupied "verification beside a task" 2 cb_oneway --compute destination --verify
expect_rows "r['verify']['messages'] > 0"
expect_rows "sum(r['verify'].values()) == r['verify']['messages']"

# Both ranks and both tasks take turns on one core. A task of the ranks' own priority would hold up
# each packet for a turn of the scheduler.
if command -v taskset >/dev/null && [ "$MPI_KIND" = openmpi ] && [ "$(nproc)" -ge 2 ]; then
    launcher_prefix="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
    bound_mpirun=$MPIRUN
    MPIRUN="$MPIRUN --bind-to none"
    size=64
    for wait in spin yield block; do
        occupied "all on one core, waiting by $wait" 2 cb_oneway --compute both --wait $wait \
            --mode pingpong
        expect_sides both "$both_sides"
        expect_rows "r['oversubscribed'] and r['wait']['effective'] == '$wait'"
        expect_document result.json "len(set(k['cores'] for k in d['environment']['ranks']))" 1
    done
    launcher_prefix=
    MPIRUN=$bound_mpirun
fi

size=1MiB
for given in "" "--compute none"; do
    # shellcheck disable=SC2086 # no word, or two
    occupied "no task ($given)" 2 cb_oneway $given
    expect_rows "r['occupation'] == 'none' and 'slowdown_communication' not in r"
    expect_document result.json "d['parameters']['compute']" none
    expect_document result.json "any('computing' in k for k in d['environment']['ranks'])" False
done

finish
