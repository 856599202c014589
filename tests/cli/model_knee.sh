#!/bin/sh
# ccmod knee: loads, rates and capacities of a trace whose times are known, and all forms.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
examples=$(cd "$srcdir/docs/examples" && pwd)
enter_folder

ccmod() {
    run 0 "$builddir/ccmod" "$@"
}

# A message takes 10 + 20 + 1000 / 50 = 50 us, and 1000 bytes are one packet: after 50 us of computing
# one every 100 us; 20000 packets/s are offered, and 20000 are the capacity.
cat >pair.cct <<'TRACE'
%cct 1 ranks 2 unit us
0:
@ 100
c 50
s 1 1000
;
1:
@ 100
r 0 1000
;
TRACE
quiet="--overhead-us 10 --latency-us 20 --bandwidth-MBps 50"

# knee_of OPTIONS...: the document is in knee.json, and valid
knee_of() {
    # shellcheck disable=SC2086 # the options are several words
    ccmod knee $quiet --format json "$@"
    mv out knee.json
    expect_status 0
    expect_silence
    faults=$("$CB_PYTHON" -c 'import json, sys, jsonschema
schema, document = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.validate(document, schema)' "$srcdir/docs/combench-knee-1.schema.json" knee.json 2>&1) ||
        failed "a valid document" "$faults"
}

case_is "rates that follow from the times"
knee_of --mode paper --points 4 pair.cct
expect_document knee.json "d['link'], d['direction'], d['packets'], d['alone_us']" \
    "('node 0', 'inward', 100, 5000)"
expect_document knee.json "[round(c['capacity_Hz'], 6) for c in d['curves']]" "[20000, 14000]"
expect_document knee.json "[round(d['curves'][0]['own_' + k + '_Hz'], 6) for k in ('offered', 'carried')]" \
    "[20000, 10000]"
expect_document knee.json "[round(p['offered_Hz'], 6) for p in d['curves'][1]['points']]" \
    "[10000, 20000, 30000, 40000]"
expect_document knee.json \
    "all(abs(p['carried_Hz'] - 1 / (1 / p['offered_Hz'] + 1 / c['capacity_Hz'])) < 1e-6
        for c in d['curves'] for p in c['points'])" True

case_is "in mode split a background slows the bytes alone"
knee_of --points 2 --background 0.5 pair.cct
expect_document knee.json "[round(c['capacity_Hz'], 3) for c in d['curves']]" "[20000, 14285.714]"

case_is "a curve without background"
knee_of --points 2 --background none pair.cct
expect_document knee.json "len(d['curves'])" 1

case_is "a drawn background"
knee_of --points 2 --background exp:0.3 --background-interval-us 50 pair.cct
expect_document knee.json "d['curves'][1]['capacity_Hz'] < d['curves'][0]['capacity_Hz']" True

case_is "a background drawn at each evaluation"
ccmod knee --points 2 --background exp:0.3 --background-interval evaluation "$examples/wavefront.cct"
expect_true "its factor" grep -q "takes 5.5 times as long in the mean on one link" out

case_is "as text"
# shellcheck disable=SC2086
ccmod knee $quiet --mode paper --points 4 pair.cct
expect_status 0
expect_equal "rows" 4 "$(grep -c '^ *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*$' out)"
expect_true "the knee in words" grep -q "With background 30 % the knee is at 14000 packets/s" out

case_is "as CSV"
# shellcheck disable=SC2086
ccmod knee $quiet --mode paper --points 4 --format csv pair.cct
expect_equal "lines" 9 "$(wc -l <out)"
expect_equal "the head" background,capacity_Hz,offered_Hz,carried_Hz "$(head -n 1 out)"

case_is "as a picture"
ccmod knee --mode paper --overhead-us 1 --latency-us 1 --bandwidth-MBps 1000 --format svg --output knee.svg "$examples/wavefront.cct"
expect_status 0
expect_silence
expect_true "two lines with their points" "$CB_PYTHON" -c 'import xml.etree.ElementTree as tree
root = tree.parse("knee.svg").getroot()
lines = [e for e in root.iter() if e.tag.endswith("polyline")]
assert len(lines) == 2 and all(len(e.attrib["points"].split()) == 21 for e in lines)
assert sum(e.tag.endswith("circle") for e in root.iter()) == 21
for line in lines:
    for point in line.attrib["points"].split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= float(root.attrib["width"]) and 0 <= y <= float(root.attrib["height"])'

case_is "bad input"
printf '%%cct 1 ranks 2 unit us\n0: s 1 8\n1: r 0 8\n' >no_computing.cct
printf '%%cct 1 ranks 2 unit us\n*: c 8\n' >no_message.cct
ccmod knee no_computing.cct
expect_status 2
expect_one_error computing
ccmod knee no_message.cct
expect_status 2
expect_one_error message
ccmod knee --points 1 pair.cct
expect_status 2
expect_one_error points
ccmod knee --background best-average-worst:0.3 pair.cct
expect_status 2
expect_one_error background

finish
