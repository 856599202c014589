#!/bin/sh
# The other programs over sci with as many ranks as a segment of their largest count has writers for:
# seventeen ranks, whatever cores there are, and every message right. cb_multicast has a test of its own.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# right PROGRAM OPTIONS...
right() {
    case_is "$1 of seventeen ranks"
    run 17 "$@" --technology sci --sizes 64 --max-time 0.01 --verify --output result.json
    expect_status 0
    expect_document result.json "d['technology'], len(d['environment']['ranks'])" "('sci', 17)"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
}

right cb_oneway
right cb_twoway
right cb_alltoall --processors 17
right cb_pairs --processors 16
right cb_outfarm --destinations 16
right cb_funnel --sources 16
right cb_pushfarm --sources 8 --algorithm 0
right cb_pullfarm --sources 8 --algorithm 0
right cb_pipeline --topology 9-3-1 --algorithm 0

finish
