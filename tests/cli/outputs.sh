#!/bin/sh
# Files that programs write: no input and no other output is replaced, links of other users in folders where all
# may write are not followed, and permissions are kept.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder

# kept FILE TITLE RANKS PROGRAM OPTIONS TEXT...: the command is refused, and FILE stays as it is
kept() {
    file=$1
    case_is "$2"
    ranks=$3
    program=$4
    options=$5
    shift 5
    cksum "$file" >before
    refuse 2 "$ranks" "$program" "$options" "would replace" "$@"
    expect_equal "checksum of $file:" "$(cat before)" "$(cksum "$file")"
}

printf '%%cct 1 ranks 2 unit us\n0: s 1 8\n1: r 0 8\n' >trace.cct
cp trace.cct input.0
ln -s trace.cct link.cct
printf '0,8\n8,0\n' >matrix.csv
printf '8 1.0\n64 1.1\n512 1.6\n4096 5.2\n' >times.txt
run 0 "$builddir/ccmod" calibrate times.txt --output fit.cal
expect_status 0
printf '1024\n2048\n' >sizes.txt

ccmod=$builddir/ccmod
kept trace.cct "a trace of ccmod run" 0 "$ccmod" "run trace.cct --output ./trace.cct" "--output" TRACE
kept trace.cct "the same by a link" 0 "$ccmod" "run link.cct --output trace.cct" "--output" TRACE
kept trace.cct "the same as a target" 0 "$ccmod" "run trace.cct --output link.cct" "--output" TRACE
kept trace.cct "signals" 0 "$ccmod" "run trace.cct --signals trace.cct" "--signals" TRACE
kept trace.cct "a timeline" 0 "$ccmod" "timeline trace.cct --output trace.cct" "--output" TRACE
kept trace.cct "a knee" 0 "$ccmod" "knee trace.cct --output trace.cct" "--output" TRACE
kept trace.cct "an article's signals" 0 "$ccmod" "signals trace.cct --output trace.cct" "--output" TRACE
kept fit.cal "a calibration of ccmod run" 0 "$ccmod" "run trace.cct --calibration fit.cal --output fit.cal" \
    "--output" "--calibration"
kept times.txt "measurements" 0 "$ccmod" "calibrate times.txt --output times.txt" "--output" RESULT
kept trace.cct "a trace to convert" 0 "$ccmod" "convert trace.cct --output trace.cct" "--output" INPUT
kept input.0 "a trace that is named as that of a rank" 0 "$ccmod" "convert input.0 --to ti --output input" \
    "--output" INPUT
kept matrix.csv "a matrix" 0 "$ccmod" "generate file --input matrix.csv --output matrix.csv" "--output" "--input"
kept trace.cct "a trace to play" 2 cb_replay "trace.cct --output trace.cct" "--output" trace
kept sizes.txt "sizes of fragments" 2 cb_funnel "--fragments file:sizes.txt --output sizes.txt" "--output" \
    "--fragments"
kept sizes.txt "sizes of fragments of a trace" 0 cb_funnel \
    "--trace-ranks 2 --sources 1 --fragments file:sizes.txt --emit-trace sizes.txt" "--emit-trace" "--fragments"

mkdir conf
printf 'Technology = mpi\n' >conf/network.conf
kept conf/network.conf "a configuration" 2 cb_oneway "--config conf --output conf/network.conf" "--output" "--config"

case_is "one new file as two outputs"
refuse 2 0 "$ccmod" "run trace.cct --output new --signals ./new" "would replace" "--signals" "--output"
expect_true "no file is made" test ! -e new

case_is "permissions are kept"
: >private.json
chmod 600 private.json
run 0 "$ccmod" run trace.cct --format json --output private.json
expect_status 0
expect_equal "mode:" 600 "$(stat -c %a private.json)"
expect_true "it is written" test -s private.json

# A folder like /tmp with what another user has put there; the files of this test are "ours".
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    mkdir shared
    chmod 1777 shared
    echo victim >victim
    chmod 600 victim
    as_other() {
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    }
    as_other ln -s ../victim shared/link || skip "another user cannot write below $work"
    as_other touch shared/file
    as_other chmod 666 shared/file
    # planted TITLE RANKS PROGRAM OPTIONS
    planted() {
        for name in link file; do
            case_is "$1: $name of another user"
            refuse 2 "$2" "$3" "$4 shared/$name" "shared/$name" "another user"
        done
        expect_equal "the file of the link:" victim "$(cat victim)"
        expect_equal "its mode:" 600 "$(stat -c %a victim)"
        expect_equal "its owner:" 0 "$(stat -c %u victim)"
        expect_true "the file is empty" test ! -s shared/file
        expect_equal "entries of the folder:" 2 "$(find shared -mindepth 1 | wc -l)"
    }
    planted "a result" 2 cb_oneway "--sizes 8 --max-time 0.02 --output"
    planted "a timeline" 3 cb_pushfarm "--sizes 8 --max-time 0.02 --timeline"
    planted "a trace" 0 cb_oneway "--sizes 8 --mode pingpong --trace-steps 2 --emit-trace"
    planted "an evaluation" 0 "$ccmod" "run trace.cct --output"
    planted "signals" 0 "$ccmod" "run trace.cct --signals"
else
    echo "(links of another user are not tried: this needs root and setpriv)"
fi

finish
