#!/bin/sh
# What scripts/check prints of the logs of failed tests: only theirs, and where they tell what failed.
set -eu
: "${srcdir:?}"

srcdir=$(cd "$srcdir" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
status=0

# a_test NAME RESULT: a test that ended so; its log is what comes on stdin
a_test() {
    mkdir -p "$(dirname "build/$1")"
    cat >"build/$1.log"
    echo "$2 $1.sh (exit status: 1)" >>"build/$1.log"
    echo ":global-test-result: $2" >"build/$1.trs"
}

# expect WHAT: the file `wanted` is what was printed
expect() {
    diff -u wanted printed >difference || {
        echo "FAILED: test_failed_tests: $1"
        cat difference
        status=1
    }
}

seq_lines() {
    seq "$1" "$2" | sed 's/^/line /'
}

echo "FAILED: of an earlier run" | a_test tests/earlier FAIL
touch -d '2000-01-01 00:00:00' build/tests/earlier.trs
touch -d '2001-01-01 00:00:00' since
echo "all is well" | a_test tests/passes PASS
echo "skipped: no FAILED here" | a_test tests/skipped SKIP
printf '%s\n' '- a case' 'FAILED: short: a case' '  expected: 1' '  came:     2' | a_test tests/cli/short FAIL
{
    seq_lines 1 150
    echo "FAILED: long: a case"
    seq_lines 152 300
} | a_test tests/long FAIL
seq_lines 1 200 | a_test tests/silent ERROR

"$srcdir/scripts/failed-tests" build since >printed
{
    echo "-- tests/cli/short.sh"
    printf '    %s\n' '- a case' 'FAILED: short: a case' '  expected: 1' '  came:     2' \
        'FAIL tests/cli/short.sh (exit status: 1)'
    echo "-- tests/long.sh"
    echo "    (150 lines before)"
    echo "    FAILED: long: a case"
    seq_lines 152 250 | sed 's/^/    /'
    echo "    (51 lines after)"
    echo "-- tests/silent.sh"
    echo "    (101 lines before)"
    seq_lines 102 200 | sed 's/^/    /'
    echo "    ERROR tests/silent.sh (exit status: 1)"
} >wanted
expect "short logs whole, long ones from where they tell what failed"

"$srcdir/scripts/failed-tests" --brief build since >printed
{
    echo "-- tests/cli/short.sh"
    echo "    (1 lines before)"
    printf '    %s\n' 'FAILED: short: a case' '  expected: 1' '  came:     2' 'FAIL tests/cli/short.sh (exit status: 1)'
    echo "-- tests/long.sh"
    echo "    (150 lines before)"
    echo "    FAILED: long: a case"
    seq_lines 152 165 | sed 's/^/    /'
    echo "    (136 lines after)"
    echo "-- tests/silent.sh"
    echo "    (186 lines before)"
    seq_lines 187 200 | sed 's/^/    /'
    echo "    ERROR tests/silent.sh (exit status: 1)"
} >wanted
expect "in brief all logs from where they tell what failed"

{
    echo "test_one ... FAIL"
    seq_lines 1 8
    echo "Traceback (most recent call last):"
    seq_lines 11 14
    echo "AssertionError: False is not true"
    seq_lines 16 100
} | a_test tests/python FAIL
rm build/tests/cli/short.trs build/tests/long.trs build/tests/silent.trs
"$srcdir/scripts/failed-tests" --brief build since >printed
{
    echo "-- tests/python.sh"
    echo "    (10 lines before)"
    seq_lines 11 14 | sed 's/^/    /'
    echo "    AssertionError: False is not true"
    seq_lines 16 25 | sed 's/^/    /'
    echo "    (76 lines after)"
} >wanted
expect "in brief the message of a test in Python, which follows its traceback"

exit $status
