#!/bin/sh
# ccmod as users start it: the article's figures, both forms, bad input, and the same output for the
# same input.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder

ccmod() {
    run 0 "$builddir/ccmod" "$@"
}

quiet="--overhead-us 10.9 --latency-us 18 --bandwidth-MBps 50"

# predicted TITLE OPTIONS...: the document is in result.json, and valid
predicted() {
    case_is "$1"
    shift
    # shellcheck disable=SC2086 # the options are several words
    ccmod run $quiet --format json "$@"
    mv out result.json
    expect_status 0
    expect_silence
    faults=$("$CB_PYTHON" -c 'import json, sys, jsonschema
schema, document = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.validate(document, schema)' "$srcdir/docs/combench-model-1.schema.json" result.json 2>&1) ||
        failed "a valid document" "$faults"
}

# refused STATUS TEXT... -- OPTIONS...: one line on stderr with these texts
refused() {
    wanted=$1
    shift
    texts=
    while [ "$1" != -- ]; do
        texts="$texts $1"
        shift
    done
    shift
    ccmod "$@"
    expect_status "$wanted"
    # shellcheck disable=SC2086 # texts without blanks
    expect_one_error $texts
}

cat >two.cct <<'TRACE'
%cct 1 ranks 3 unit us
0: s 2 1000
1: c 24.45
s 2 1000 t=60
2:
ir 0 1000
ir 1 1000
w
TRACE

predicted "the article's event horizon" --mode paper two.cct
expect_document result.json "round(d['end_us'], 9), [round(p['clock_us'], 9) for p in d['processors']]" \
    "(97.8, [73.35, 97.8, 97.8])"
expect_document result.json "d['bottleneck']['name'], d['bottleneck']['direction']" "('node 2', 'outward')"
expect_document result.json "d['messages'], d['comparison']['worst_line']" "(2, 4)"
expect_document result.json \
    "all(abs(p['clock_us'] - p['send_us'] - p['receive_us'] - p['wait_us'] - p['compute_us']) < 1e-9
        for p in d['processors'])" True

predicted "mode split, which is the default" two.cct
expect_document result.json "d['parameters']['mode'], round(d['end_us'], 9)" "('split', 73.35)"

predicted "packets one after the other, which is the default" two.cct
expect_document result.json "d['parameters']['share']" fifo
predicted "shares of links, the article's, in its mode" --mode paper two.cct
expect_document result.json "d['parameters']['share']" bottleneck

# first_line TEXT...: of the text of a command that has just run
first_line() {
    for text in "$@"; do
        head -n 1 out | grep -qF -e "$text" || failed "'$text' in the first line" "$(head -n 1 out)"
    done
}

case_is "what is assumed of the quiet network is in the first line, or in the log"
assumed="1 us overhead, 1 us latency, 1000 MB/s"
ccmod run two.cct
first_line "quiet network assumed, not measured ($assumed;"
expect_silence
ccmod run --latency-us 2 two.cct
first_line "assumed, not measured (1 us overhead, 1000 MB/s;"
# shellcheck disable=SC2086 # the options are several words
ccmod run $quiet two.cct
expect_true "nothing assumed" sh -c '! grep -q assumed out'
ccmod knee --points 2 two.cct
first_line "quiet network assumed, not measured ($assumed;"
expect_silence
ccmod run --output result.json two.cct
first_line "quiet network assumed, not measured ($assumed;"
expect_document result.json "d['calibration']['assumed']" "$assumed"
for command in "run --format json" timeline signals "knee --points 2 --format csv"; do
    # shellcheck disable=SC2086 # several words
    ccmod $command two.cct
    expect_status 0
    expect_true "a warning of $command" grep -qF "warning: the quiet network is assumed, not measured ($assumed)" err
done

# Ranks 0 and 1 send for 20 us each, from 1028.9 us on, one after the other: of clocks of 1048.9, 1068.9 and 1068.9 us
# 2000 are computing, 48.9 + 68.9 sending, and 1068.9 waiting with w. The link is used for 40 of 1068.9 us.
printf '%%cct 1 ranks 3 unit us\n0-1:\nc 1000\ns 2 1000\n2:\nir 0 1000\nir 1 1000\nw\n' >computing.cct
printf '%%cct 1 ranks 3 unit us\n0-1: s 2 1000\n2:\nir 0 1000\nir 1 1000\nw\n' >burst.cct
case_is "where the time went is in the first line"
# shellcheck disable=SC2086 # the options are several words
ccmod run $quiet computing.cct
first_line "end at 1068.9 us: 62.8 % computing, 3.7 % sending and receiving, 33.5 % waiting;" \
    "contended link: node 2, outward, used 3.74 % of the time"
expect_true "no bottleneck" grep -q "^Computing limits: rank 0 computes for 93.6 % of the time. Most was lost on node 2, outward" out
ccmod run --overhead-us 0 --latency-us 0 --bandwidth-MBps 50 burst.cct
expect_true "a bottleneck" grep -q "^The bottleneck is node 2, outward: messages lost 20 us there" out

predicted "a bottleneck twice as wide" --mode paper --double two.cct
expect_document result.json "round(d['bottleneck']['doubled_end_us'], 9)" 73.35

predicted "best, average and worst" --background best-average-worst:0.3 two.cct
expect_document result.json \
    "[c['case'] for c in d['cases']], sorted(d['cases'], key=lambda c: c['end_us']) == d['cases']" \
    "(['best', 'average', 'worst'], True)"
expect_document result.json "d['end_us'] == d['cases'][1]['end_us']" True

predicted "buffers that are large enough" --share tcp --eager-bytes 1MiB --buffer 1MB two.cct
expect_document result.json "d['parameters']['buffer'], d['losses']['dropped'], d['losses']['frames'] > 0" \
    "('1MB', 0, True)"
predicted "a frame that is dropped and sent again" --share tcp --eager-bytes 1MiB --buffer 1600 burst.cct
expect_document result.json \
    "d['losses']['dropped'] > 0, d['losses']['retransmitted'] > 0, d['end_us'] > 200000" "(True, True, True)"
case_is "losses in words"
# shellcheck disable=SC2086 # the options are several words
ccmod run $quiet --share tcp --eager-bytes 1MiB --buffer 3200,shared:1 burst.cct
expect_true "what was dropped" grep -q "frames were dropped at full buffers" out

predicted "a drawn background" --background exp:0.3 --seed 5 two.cct
mv result.json first.json
predicted "the same again" --background exp:0.3 --seed 5 two.cct
expect_true "the same bytes" cmp -s first.json result.json

predicted "a background in packets/s" --background exp:7000/25000packets/s two.cct
expect_document result.json "d['parameters']['background']" exp:7000/25000packets/s
mv result.json first.json
predicted "the same as a share" --background exp:0.28 two.cct
expect_true "the same end" "$CB_PYTHON" -c 'import json
a, b = (json.load(open(name)) for name in ("first.json", "result.json"))
assert a["processors"] == b["processors"] and a["end_us"] > 73.35'

predicted "a background drawn at each evaluation" --background exp:0.28 --background-interval evaluation two.cct
expect_document result.json \
    "d['parameters']['background_interval'], 'background_interval_us' in d['parameters'], d['end_us'] > 73.35" \
    "('evaluation', False, True)"
mv result.json first.json
predicted "one drawn every millisecond" --background exp:0.28 --background-interval 1ms two.cct
expect_true "another end" "$CB_PYTHON" -c 'import json
a, b = (json.load(open(name)) for name in ("first.json", "result.json"))
assert a["end_us"] != b["end_us"]'
mv result.json first.json
predicted "the same interval in us" --background exp:0.28 --background-interval-us 1000 two.cct
expect_true "the same end" "$CB_PYTHON" -c 'import json
a, b = (json.load(open(name)) for name in ("first.json", "result.json"))
assert a["end_us"] == b["end_us"]'

# Alone on two links of a crossbar, 10,000 messages take 9.6 times as long in the mean, 5 % of which is chance.
case_is "what a mean means that is drawn at each evaluation"
printf '%%cct 1 ranks 2 unit us\n0:\n@ 10000\ns 1 1000\n;\n1:\n@ 10000\nr 0 1000\n;\n' >lone.cct
ccmod run --overhead-us 0 --latency-us 0 --bandwidth-MBps 50 --background exp:0.3 --background-interval evaluation \
    --format json lone.cct
mv out result.json
expect_document result.json "abs(d['end_us'] / 200000 / 9.61 - 1) < 0.05" True
ccmod run --background exp:0.3 --background-interval evaluation two.cct
expect_true "its factor" grep -q "takes 5.5 times as long in the mean on one link, 9.61 times on two (a constant 0.3: 1.43 times)" out

case_is "the most used link of links of different width"
printf '%%network 1\nnodes 2\nswitch a b\nlink 0 a bandwidth_MBps=100\nlink 1 b bandwidth_MBps=100\nlink a b bandwidth_MBps=25\n' >half.net
printf '%%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n' >one.cct
predicted "a lone message through a narrow link" --network ./half.net one.cct
expect_document result.json "d['bottleneck']['name'], round(d['bottleneck']['utilisation'] * d['end_us'], 9)" "('a - b', 80.0)"

case_is "clocks and signals of one evaluation"
# shellcheck disable=SC2086 # the options are several words
ccmod run $quiet --mode paper --signals signals.txt two.cct
expect_status 0
expect_true "the clock" grep -q "end at 97.8 us" out
expect_true "fifteen signals" test "$(awk '{ print $2 }' signals.txt | sort -u | wc -l)" -eq 15
# shellcheck disable=SC2086 # the options are several words
ccmod signals $quiet --mode paper two.cct
expect_true "as ccmod signals prints them" cmp -s out signals.txt
ccmod run --background best-average-worst:0.5 --signals signals.txt --mask config --double two.cct
expect_equal "one evaluation, the average one" 1 "$(wc -l <signals.txt | tr -d ' ')"
expect_true "its load" grep -q "background constant 0.5" signals.txt

case_is "masks of signals"
ccmod signals --mask UPPR_END,newscom two.cct
expect_equal "two kinds" "NEWSCOM UPPR_END " "$(awk '{ print $2 }' out | sort -u | tr '\n' ' ')"
ccmod signals --mask none two.cct
expect_status 0
expect_true "nothing" test ! -s out
ccmod signals --mask -horizons two.cct
expect_equal "eight kinds" 8 "$(awk '{ print $2 }' out | sort -u | wc -l | tr -d ' ')"
ccmod signals --mask all,-config two.cct
expect_equal "fourteen kinds" 14 "$(awk '{ print $2 }' out | sort -u | wc -l | tr -d ' ')"

case_is "a trace on standard input"
status=0
"$builddir/ccmod" run --format json - <two.cct >result.json 2>err || status=$?
expect_status 0
expect_document result.json "d['ranks']" 3

case_is "a document and a table"
ccmod run --output made.json two.cct
expect_status 0
expect_true "the table on standard output" grep -q "end at" out
expect_document made.json "d['schema']" combench-model/1

case_is "a million ranks in a few lines"
cat >million.cct <<'TRACE'
%cct 1 ranks 100000 unit us
1-99999: s 0 64
0:
@ 99999
r any 64
;
TRACE
ccmod run --output million.json million.cct
expect_status 0
expect_document million.json "d['messages'], len(d['processors'])" "(99999, 100000)"

cat >farm.cct <<'TRACE'
%cct 1 ranks 21 unit us
0:
@ 10
m 1-10 16
;
@ 1000000000
r any 16
m 1-10 16
;
1-10:
@ 1000000000
r 0 16
s 11+%i%10 1024
;
11-20:
@ 1000000000
@ 10
r any 1024
c exp(5)
;
s 0 16
;
TRACE
predicted "a farm without an end, until its rate is known" --eager-bytes 4KiB --rate-of 0 --round 10 --precision 2 farm.cct
expect_document result.json "d['stopped_by'], d['rate']['rank']" "('precision', 0)"
expect_document result.json \
    "0.98 * d['rate']['per_s'] <= d['rate']['ci95'][0] <= d['rate']['ci95'][1] <= 1.02 * d['rate']['per_s']" True

predicted "a farm until a time" --eager-bytes 4KiB --until-us 5000 farm.cct
expect_document result.json "d['stopped_by'], d['end_us'], 'rate' in d" "('time', 5000, False)"

case_is "what is in a trace"
ccmod info two.cct
expect_status 0
expect_true "two sends" grep -q " 2  sends" out
ccmod info
expect_status 0
expect_true "the crossbar" grep -q crossbar out

case_is "bad input"
printf '%%cct 1 ranks 2 unit us\n0: s 1 -8\n' >negative.cct
printf '%%cct 1 ranks 2 unit us\n0: s 1 8\nr 1 8\n1: s 0 8\nr 0 8\n' >deadlock.cct
refused 2 negative.cct:2: size -- run negative.cct
refused 1 deadlock.cct:2: deadlock rank -- run deadlock.cct
refused 2 nothing.cct file -- run nothing.cct
refused 2 trace -- run
refused 2 network -- run --network moebius two.cct
refused 2 nodes -- run --network crossbar:2 two.cct
refused 2 background -- run --background 1.5 two.cct
refused 2 background -- run --background exp: two.cct
refused 2 background packets/s -- run --background exp:7000packets/s two.cct
refused 2 background packets/s -- run --background exp:7000/25000 two.cct
refused 2 background 0packets/s -- run --background exp:1/0packets/s two.cct
refused 2 background maximum -- run --background exp:25000/25000packets/s two.cct
refused 2 buffer shared -- run --share tcp --buffer 1MB,shared:0 two.cct
refused 2 buffer 64KiB -- run --share tcp --buffer 0 two.cct
refused 2 buffer frame -- run --share tcp --buffer 1000 two.cct
refused 2 buffer 64KiB -- run --share tcp --buffer many two.cct
refused 2 buffer fifo -- run --share fifo --buffer 1MB two.cct
refused 2 share background -- run --share tcp --background 0.1 two.cct
refused 2 share split -- run --share tcp --mode paper two.cct
refused 2 buffer crossbar -- run --share tcp --buffer 1MB,shared:1 --network fattree two.cct
refused 2 background-interval evaluation -- run --background-interval sometimes two.cct
refused 2 background-interval us -- run --background-interval 0 two.cct
refused 2 background-interval-us -- run --background-interval 1ms --background-interval-us 5 two.cct
refused 2 mask signals -- run --mask CONFIG two.cct
refused 2 mask NOTHING -- signals --mask NOTHING two.cct
refused 2 mask names -- signals --mask CONFIG, two.cct
refused 2 mask NOTHING -- run --check --signals s --mask NOTHING two.cct
refused 2 signals no/such -- run --signals no/such/folder/x two.cct
refused 2 signals output -- run --signals same --output same two.cct
refused 2 bandwidth -- run --bandwidth-MBps 0 two.cct
refused 2 output -- run --output no/such/folder/x two.cct
refused 2 precision rate-of -- run --precision 1 two.cct
refused 2 double until-us -- run --double --until-us 10 two.cct
refused 2 "rank 3" -- run --rate-of 3 two.cct
refused 2 subcommand -- walk two.cct
refused 2 operand -- run two.cct two.cct

case_is "what is only checked"
printf '%%calibration 1\nline overhead_us=1\n' >short.cal
ccmod run --check --rate-of 2 --output checked.json deadlock.cct
expect_status 2
expect_one_error "rank 2"
ccmod run --check --output checked.json deadlock.cct
expect_status 0
expect_silence
expect_true "no output" test ! -s out
expect_true "no document" test ! -e checked.json
printf '%%cct 1 ranks 2 unit us\n0: s 0 10\n' >itself.cct
refused 2 itself.cct:2: -- run itself.cct
ccmod run --check itself.cct
expect_status 0
refused 2 negative.cct:2: size -- run --check negative.cct
refused 2 moebius crossbar -- run --check --network moebius two.cct
refused 2 nodes -- run --check --network crossbar:2 two.cct
refused 2 short.cal:2: -- run --check --calibration short.cal two.cct
refused 2 output -- run --check --output no/such/folder/x two.cct

case_is "standard output that is full"
if [ -w /dev/full ]; then
    status=0
    "$builddir/ccmod" run two.cct >/dev/full 2>err || status=$?
    expect_status 1
    expect_one_error "standard output"
fi

case_is "a device has no end: none is read"
for arguments in "run /dev/zero" "info /dev/zero" "convert /dev/zero" "convert --from goal /dev/zero" \
    "calibrate /dev/zero" "run two.cct --calibration /dev/zero" "run two.cct --network /dev/zero"; do
    # shellcheck disable=SC2086 # several words
    refused 2 /dev/zero "device" "name" -- $arguments
done

finish
