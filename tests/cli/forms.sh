#!/bin/sh
# Every program, over mpi and over null, in every form: the documents are valid, and the forms agree.
# stdout carries the result and nothing else, stderr nothing at all; with --output the file has the
# document, in JSON where no form is asked for, and stdout the text.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

measure() {
    run "$ranks" "cb_$program" --technology $technology --sizes 0,64 --max-time 0.02 "$@"
    expect_status 0
    expect_silence
}

# The reason stands in the document, once for each size.
refused() {
    run "$ranks" "cb_$program" --technology null --sizes 64 --algorithm 0 --output result.json
    expect_status 77
    expect_error "delivers nothing"
    expect_valid result.json
    expect_document result.json "d['complete'], d['results']" "(True, [])"
    expect_document result.json "'delivers nothing' in d['skipped'][0]['reason']" True
}

for technology in mpi null; do
    for program in $programs; do
        ranks=$(ranks_of "$program")
        case_is "cb_$program over $technology with $ranks ranks"
        rm -f result.*
        if [ $technology = null ] && ! goes_over_null "$program"; then
            refused
            continue
        fi
        measure --format csv
        mv out result.csv
        if [ $technology = mpi ]; then
            measure --format json
            mv out result.json
            measure --output result.file
            expect_valid result.file
        else
            measure --output result.json
        fi
        mv out result.text
        expect_valid result.json
        expect_document result.json 'd["benchmark"], d["technology"]' "('$program', '$technology')"
        disagreements=$("$CB_PYTHON" "$srcdir/tests/cli/compare_forms.py" result.json result.csv result.text 2>&1) ||
            failed "forms that agree" "$disagreements"
    done
done

finish
