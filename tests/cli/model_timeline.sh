#!/bin/sh
# ccmod timeline and ccmod signals: a small wave in every form is as in tests/cli/golden/model
# (UPDATE_GOLDEN=1 rewrites it), and larger traces keep the rules of the forms.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
golden=$(cd "$srcdir/tests/cli/golden/model" && pwd)
examples=$(cd "$srcdir/docs/examples" && pwd)
checker=$(cd "$srcdir/tests/cli" && pwd)/check_model_timeline.py
enter_folder

ccmod() {
    run 0 "$builddir/ccmod" "$@"
}

# golden NAME SUBCOMMAND...: what the wave gives is in the golden file NAME
golden() {
    case_is "the wave as $1"
    name=$1
    shift
    cp "$golden/wave.cct" .
    ccmod "$@" --mode paper --overhead-us 10 --latency-us 18.9 --bandwidth-MBps 50 --network fattree:radix=4 wave.cct
    expect_status 0
    expect_silence
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        cp out "$golden/$name"
    fi
    diff -u "$golden/$name" out >&2 || failed "the golden file $name" "another text"
}

# keeps_rules TITLE OPTIONS...: of the forms, for the same evaluation
keeps_rules() {
    case_is "$1"
    shift
    for form in perfetto paje svg; do
        ccmod timeline --format "$form" --output "timeline.$form" "$@"
        expect_status 0
        expect_silence
    done
    ccmod run --format json --output result.json "$@"
    faults=$("$CB_PYTHON" "$checker" timeline.perfetto timeline.paje timeline.svg result.json 2>&1) ||
        failed "forms that keep their rules" "$faults"
}

golden signals.txt signals
golden perfetto.json timeline
golden paje.txt timeline --format paje
golden picture.svg timeline --format svg

for share in bottleneck maxmin fifo; do
    case_is "all fifteen signals, with $share"
    ccmod signals --mode paper --share "$share" "$golden/wave.cct"
    expect_true "fifteen names" test "$(awk '{ print $2 }' out | sort -u | wc -l)" -eq 15
done

cat >mixed.cct <<'TRACE'
%cct 1 ranks 6 unit us
0:
c 10
m 1-5 5000
is 1 100
is 2 70000
w
b
r any 300
1-5:
r 0 5000
@ (%r-1)/3
c exp(20)
;
1: r 0 100
2:
ir 0 70000
c 3
w
1-5: b
3: s 0 300
TRACE
printf '%%cct 1 ranks 3 unit us\n0: s 1 0\nc 7\n1: r 0 0\n' >instant.cct
quiet="--overhead-us 1 --latency-us 1 --bandwidth-MBps 1000"

keeps_rules "wavefronts" --mode paper --network myrinet:seed=3 --overhead-us 10 --latency-us 18.4 \
    --bandwidth-MBps 50 "$examples/wavefront.cct"
# shellcheck disable=SC2086 # the options are several words
keeps_rules "started sends, eager ones, multicasts and barriers" $quiet --eager-bytes 200 mixed.cct
# shellcheck disable=SC2086 # the options are several words
keeps_rules "max-min shares and a background" $quiet --share maxmin --background exp:0.3 mixed.cct
keeps_rules "messages that take no time" --overhead-us 0 --latency-us 0 --bandwidth-MBps 1000 instant.cct

case_is "a part of the time"
ccmod timeline --from-us 100 --to-us 900 "$examples/wavefront.cct"
expect_status 0
expect_true "nothing outside" "$CB_PYTHON" -c 'import json
events = json.load(open("out"))["traceEvents"]
times = [(e["ts"], e["ts"] + e.get("dur", 0)) for e in events if "ts" in e]
assert times and min(t[0] for t in times) == 100 and max(t[1] for t in times) <= 900.0005'

case_is "bad input"
ccmod timeline --from-us 5 --to-us 5 mixed.cct
expect_status 2
expect_one_error timeline later
ccmod timeline --format png mixed.cct
expect_status 2
expect_one_error format
ccmod timeline --double mixed.cct
expect_status 2
expect_one_error double "ccmod run"
ccmod timeline
expect_status 2
expect_one_error trace
ccmod signals --network crossbar:2 mixed.cct
expect_status 2
expect_one_error nodes

case_is "standard output that is full"
if [ -w /dev/full ]; then
    for subcommand in signals timeline; do
        status=0
        "$builddir/ccmod" "$subcommand" mixed.cct >/dev/full 2>err || status=$?
        expect_status 1
        expect_one_error cannot
    done
fi

finish
