#!/bin/sh
# A byte order mark, with which editors of Windows begin a text, changes nothing in any input file.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder

# with_mark FILE: the file with a mark, in the folder `marked`
with_mark() {
    mkdir -p "marked/$(dirname "$1")"
    { printf '\357\273\277' && cat "$1"; } >"marked/$1"
}

# same FILE COMMAND...: the command, in which FILE stands for the file, prints the same with the mark
same() {
    file=$1
    shift
    case_is "$file: $*"
    with_mark "$file"
    run 0 "$@"
    expect_status 0
    mv out plain
    cd marked
    run 0 "$@"
    cd ..
    expect_status 0
    cmp -s plain marked/out || failed "the output without a mark" "$(diff plain marked/out | head -n 5)"
}

ccmod=$builddir/ccmod
printf '%%cct 1 ranks 2 unit us\n0:\nc 5\ns 1 4096\n1:\nr 0 4096\n' >small.cct
printf '0,100\n200,0\n' >small.csv
printf 'num_ranks 2\nrank 0 {\nl1: send 10b to 1 tag 5\n}\nrank 1 {\nl1: recv 10b from 0 tag 5\n}\n' >small.goal
printf '0 init\n0 send 1 0 100\n0 finalize\n1 init\n1 recv 0 0 100\n1 finalize\n' >small.ti
printf '64 1.0\n128 1.1\n256 1.3\n512 1.7\n1024 2.5\n2048 4.1\n' >small.txt
cp "$srcdir/tests/model/example.net" small.net
run 0 "$ccmod" calibrate --output small.cal small.txt
expect_status 0
cp "$srcdir/tests/suite/report/oneway.json" small.json

same small.cct "$ccmod" run small.cct
# shellcheck disable=SC2016 # for the inner shell
same small.cct sh -c '"$0" run - <small.cct' "$ccmod"
# shellcheck disable=SC2016
same small.cct sh -c 'cat small.cct | "$0" run -' "$ccmod"
same small.csv "$ccmod" convert --from matrix small.csv
same small.goal "$ccmod" convert --from goal small.goal
same small.ti "$ccmod" convert --from ti small.ti
same small.txt "$ccmod" calibrate small.txt
same small.json "$ccmod" calibrate --residual-pct 1000 small.json
cp small.cct marked
same small.net "$ccmod" run --network file:small.net small.cct
same small.cal "$ccmod" run --calibration small.cal small.cct
cp small.ti marked/other.ti
printf 'other.ti\n' >list.ti
cp small.ti other.ti
same list.ti "$ccmod" convert --from ti list.ti

case_is "a configuration, a train and fragments"
mkdir config
printf 'node n0 { id = 0 }\nnode n1 { id = 1 }\n' >config/nodes.conf
: >config/network.conf
: >config/machines.conf
printf 'slots 2\ntrain 1 1\n' >small.train
printf '100\n200\n' >sizes.txt
for file in config/nodes.conf config/network.conf config/machines.conf small.train sizes.txt; do
    with_mark "$file"
done
run 2 cb_oneway --technology tcp --config marked/config --max-time 0.05 --sizes 64
expect_status 0
run 3 cb_pushfarm --sources 1 --destinations 1 --sizes 64 --rate 1kHz --max-time 0.1 \
    --arrivals train:marked/small.train
expect_status 0
run 2 cb_funnel --sources 1 --mode event --max-time 0.05 --fragments file:marked/sizes.txt
expect_status 0

case_is "a replay"
run 2 cb_replay --max-time 0.05 small.cct --output result.json
expect_status 0
mv result.json plain.json
run 2 cb_replay --max-time 0.05 marked/small.cct --output result.json
expect_status 0
expect_equal "checksums:" "$(grep -o '"crc32": *"[0-9a-f]*"' plain.json)" "$(grep -o '"crc32": *"[0-9a-f]*"' result.json)"
finish
