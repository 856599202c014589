#!/bin/sh
# More busy ranks than cores are measured and marked, and auto then waits by yielding; whoever has a
# core of its own spins and is not marked.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
limit_s=240 # of a case, on a busy machine: each takes a second or two

# Blocks have as many steps as their length has room for, agreed beforehand. Where others take the
# cores then, each packet costs turns of the scheduler: the fewer steps, the better.
size=64KiB

case_is "two ranks on a machine of two cores or more"
run 2 cb_oneway --sizes $size --max-time 0.02 --output result.json
expect_status 0
cores=$(document result.json "d['environment']['hosts'][0]['cores']")
if [ "$cores" -ge 2 ] && [ "$(nproc)" -ge 2 ]; then
    expect_rows "r['oversubscribed'] is False"
    expect_rows "r['wait'] == {'requested': 'auto', 'effective': 'spin'}"
    expect_equal "marks in the text:" 0 "$(grep -c '\*' out)"
fi

case_is "five ranks"
run 5 cb_pairs --sizes $size --max-time 0.02 --processors 2,4 --output result.json
expect_status 0
if [ "$cores" -lt 4 ]; then
    expect_document result.json "[r['oversubscribed'] for r in d['results'] if r['processors'] == 4]" \
        "[True]"
    expect_rows "r['wait'] == {'requested': 'auto', 'effective': 'yield'}"
    expect_true "the meaning of the mark in the text" grep -q '^\* oversubscribed' out
    run 5 cb_alltoall --sizes $size --max-time 0.02 --processors 4 --format csv
    expect_equal "the column in CSV, of two processors and of four:" "false true" "$(python3 -c 'import csv
print(*(row["oversubscribed"] for row in csv.DictReader(open("out"))))')"
else
    echo "(there are $cores cores: five ranks do not share any)"
fi

if command -v taskset >/dev/null && [ "$MPI_KIND" = openmpi ]; then
    case_is "two ranks on one core of several"
    launcher_prefix="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
    launcher_options="--bind-to none"
    run 2 cb_oneway --sizes $size --max-time 0.02 --mode pingpong --output result.json
    expect_status 0
    expect_rows "r['oversubscribed'] is True"
    expect_rows "r['wait'] == {'requested': 'auto', 'effective': 'yield'}"
fi

finish
