#!/bin/sh
# --technology list: what is in the build, and what can be used here and why not.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder

# The names in the list, all or those whose state begins so, in one word.
listed() {
    awk -v state="$1" '$2 ~ "^" state { printf "%s,", $1 }' out
}

# The names in benchmarks.json: all, or with True those built in, or with False the others.
known() {
    "$CB_PYTHON" -c '
import json, sys
for one in json.load(open(sys.argv[1]))["technologies"]:
    if sys.argv[2] in ("all", str(one["built_in"])):
        print(one["name"], end=",")' "$builddir/benchmarks.json" "$1"
}

expect_list() {
    [ "$2" = "$3" ] || failed "$1: $3" "$2"
}

case_is "each technology has its line, without a launcher"
run 0 cb_oneway --technology list
expect_status 0
expect_silence
expect_list "the list" "$(listed "")" "$(known all)"
expect_list "not built" "$(listed not)" "$(known False)"

case_is "one process writes the list"
run 2 cb_funnel --technology list
expect_status 0
expect_list "the list" "$(listed "")" "$(known all)"

case_is "every program has the list"
for program in $programs; do
    run 0 "cb_$program" --technology list
    expect_status 0
    expect_list "the list of cb_$program" "$(listed "")" "$(known all)"
done

case_is "the reason stands in the line of a technology that cannot be used"
run 0 faulty_oneway --technology list
expect_status 0
expect_silence
line=$(sed -n 's/^unicast fails  *[^:]*: //p' out)
expect_list "the reason" "$line" "this host has no card; insert one"

case_is "a technology that is not built in is refused with what can be used"
for name in $(known False | tr , ' '); do
    run 0 cb_oneway --technology "$name"
    expect_status 2
    grep -q "'$name' (from --technology) is not built .*--technology with one of" err || failed "a remedy" "$(cat err)"
done
finish
