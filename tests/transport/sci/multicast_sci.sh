#!/bin/sh
# cb_multicast over sci by its multicast segments: three and seventeen ranks, lists that stay and lists that
# change, and every message right.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

for ranks in 3 17; do
    [ "$ranks" -lt 17 ] || thorough || continue
    case_is "$ranks ranks"
    run "$ranks" cb_multicast --technology sci --multicast technology --verify --sizes 64,5000 \
        --destinations $((ranks - 1)) --max-time 0.02 --output result.json
    expect_status 0
    expect_document result.json "sorted({r['list'] for r in d['results']})" \
        "['fixed', 'new', 'random', 'rotate']"
    expect_rows "r['multicast'] == 'technology'"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
done

# The source frees the group of a broadcast when all members have answered and left it.
for verify in "" --verify; do
    [ -n "$verify" ] || thorough || continue
    case_is "rounds of new lists $verify"
    # shellcheck disable=SC2086 # without an option there is no word
    run 5 cb_multicast --technology sci --mode round --list new --multicast technology \
        --sizes 64,5000 --destinations 2 --max-time 0.02 --output result.json $verify
    expect_status 0
    expect_document result.json "[(r['mode'], r['list']) for r in d['results']]" \
        "[('round', 'new'), ('round', 'new')]"
    expect_rows "('verify' in r) == ('$verify' != '')"
    expect_rows "sum(r.get('verify', {}).values()) == r.get('verify', {}).get('messages', 0)"
done

# What the ranks beyond the two have is not used, and is there.
case_is "connections to all"
run 3 cb_oneway --technology sci --connect all --sizes 64 --max-time 0.02 --verify --output result.json
expect_status 0
expect_document result.json "d['parameters']['connect']" all
expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"

finish
