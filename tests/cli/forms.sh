#!/bin/sh
# Every program in every format over mpi, verified, and over null: the documents are valid, and the formats agree.
# stdout has only the result and stderr is empty; with --output the file has the document (JSON by
# default) and stdout the text.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

measure() {
    run "$ranks" "cb_$program" --technology mpi --sizes 0,5,64 --max-time 0.02 --verify "$@"
    expect_status 0
    expect_silence
}

# Farms and event building need messages that arrive; 1.1 does not. The document has the reason, once for each size.
over_null() {
    algorithm=
    if "$builddir/cb_$program" --help | grep -q -e '--algorithm '; then
        algorithm="--algorithm 0"
    fi
    # shellcheck disable=SC2086 # two words or none
    run_refused "$ranks" "cb_$program" --technology null --sizes 64 --max-time 0.01 $algorithm --output result.json
    expect_valid result.json
    if [ "$program" = oneway ] || [ "$status" -ne 77 ]; then
        expect_status 0
        expect_silence
        expect_document result.json 'd["benchmark"], d["technology"]' "('$program', 'null')"
        return
    fi
    expect_error "delivers no messages"
    expect_document result.json "d['complete'], d['results']" "(True, [])"
    expect_document result.json "'delivers no messages' in d['skipped'][0]['reason']" True
}

# In `make check` one program of each group of forms.
thorough || programs="oneway multicast pushfarm comms1"
for program in $programs; do
    ranks=$(ranks_of "$program")
    case_is "cb_$program over mpi with $ranks ranks"
    rm -f result.*
    # The document on stdout is what --output writes: one program shows it.
    if [ "$program" = oneway ]; then
        measure --format json
        expect_valid out
    fi
    measure --format csv
    mv out result.csv
    measure --output result.json
    mv out result.text
    expect_valid result.json
    expect_document result.json 'd["benchmark"], d["technology"]' "('$program', 'mpi')"
    expect_rows "sum(r['verify'].values()) == r['verify']['messages'] > 0"
    expect_document result.json "d['parameters']['verify']" True
    disagreements=$("$CB_PYTHON" "$srcdir/tests/cli/compare_forms.py" "$builddir/benchmarks.json" \
        result.json result.csv result.text 2>&1) ||
        failed "forms that agree" "$disagreements"

    takes_technologies "$program" || continue
    thorough || [ "$program" = oneway ] || [ "$program" = pushfarm ] || continue
    case_is "cb_$program over null with $ranks ranks"
    rm -f result.*
    over_null
done

finish
