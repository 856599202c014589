#!/bin/sh
# What the options ask for is what the rows say, and the documents stay valid.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# measured NAME RANKS PROGRAM OPTIONS...: the document is in result.json
measured() {
    case_is "$1"
    shift
    run "$@" --max-time 0.02 --format json
    mv out result.json
    expect_status 0
    expect_silence
    expect_valid result.json
}

measured "no verification unless it is asked for" 2 cb_oneway --sizes 64
expect_rows "'verify' not in r"
expect_rows "r['touch'] == 'all' and r['buffers'] == 'hot' and r['touch_us'] >= 0"
expect_document result.json "d['fit'], 'fit' in [s['what'] for s in d['skipped']]" "([], True)"

measured "sizes with units, in the order given" 2 cb_oneway --sizes 1KiB,1kB,3 --mode stream
expect_document result.json "[r['size_bytes'] for r in d['results']]" "[1024, 1000, 3]"
expect_document result.json "d['parameters']['sizes_bytes']" "[1024, 1000, 3]"

measured "multicast by the technology alone" 5 cb_multicast --multicast technology --sizes 64
expect_rows "r['multicast'] == 'technology'"
expect_rows "('group_create_us' in r, 'group_free_us' in r) == 2 * (r['list'] != 'new',)"
expect_rows "r['list'] == 'new' or r['group_create_us'] > 0 and r['group_free_us'] > 0"
expect_document result.json "[r['list'] for r in d['results']]" "['fixed', 'rotate', 'random', 'new']"
expect_document result.json "{(r['destinations'], r['candidates']) for r in d['results']}" "{(4, 4)}"
expect_document result.json "[(s['what'], 'start 9 ranks' in s['reason']) for s in d['skipped']][:1]" \
    "[('changing members of lists of 4', True)]"

case_is "a multicast that the technology lacks, beside a loop"
run 2 faulty_multicast --technology unicast --list fixed --sizes 64 --max-time 0.02 --format json
mv out result.json
expect_status 0
expect_one_error "warning" "no multicast" "--multicast loop"
expect_valid result.json
expect_rows "r['multicast'] == 'loop'"
expect_document result.json "d['complete'], 'no multicast' in d['skipped'][0]['reason']" "(True, True)"

measured "receivers by rank" 5 cb_outfarm --receivers 4,2 --sizes 64
expect_rows "r['destinations'] == 2 and r['processors'] == 3"
expect_document result.json "[r.get('role') for r in d['environment']['ranks']]" \
    "['source', None, 'destination', None, 'destination']"

measured "counts, one measurement each" 5 cb_funnel --sources 2,4 --sizes 64 --mode event
expect_document result.json "[r['sources'] for r in d['results']]" "[1, 2, 4]"

for form in text csv json; do
    [ "$form" = csv ] || thorough || continue
    case_is "--output with --format $form: that form in the file, text on stdout, nothing left beside"
    run 2 cb_oneway --sizes 64 --max-time 0.02 --format $form --output result
    expect_status 0
    expect_silence
    expect_equal "first word on stdout:" 1.1 "$(head -n 1 out | cut -d ' ' -f 1)"
    case $form in
    text) expect_true "the text of stdout in the file" cmp -s out result ;;
    csv) expect_equal "first column:" size_bytes "$(head -n 1 result | cut -d , -f 1)" ;;
    json) expect_valid result ;;
    esac
    rm result
    expect_equal "files:" "err out result.json" "$(echo *)"
done

case_is "a result that is there already is replaced, also through a symbolic link"
echo old >target
ln -s target link
run 2 cb_oneway --sizes 64 --max-time 0.02 --output link
expect_status 0
expect_valid target
expect_true "the link still there" test -L link

thorough || finish

measured "sweep" 2 cb_oneway --sweep --mode pingpong
expect_document result.json \
    "set(r['size_bytes'] for r in d['results']) == {0, 64, 256, 1024} | {
        2 ** k + near for k in range(23) for near in (-1, 0, 1)}" True
expect_document result.json "len(d['fit']) > 0 and all(f['mode'] == 'pingpong' for f in d['fit'])" True

measured "a wait policy by request" 2 cb_oneway --wait block --sizes 64
expect_rows "r['wait'] == {'requested': 'block', 'effective': 'block'}"

measured "lists of half of the destinations" 5 cb_multicast --destinations 2 --sizes 0,64
expect_document result.json "sorted({(r['list'], r['candidates'], r['processors']) for r in d['results']})" \
    "[('fixed', 2, 3), ('new', 4, 5), ('random', 4, 5), ('rotate', 4, 5)]"
expect_document result.json "len(d['results']), [s['what'] for s in d['skipped'] if 'lists' in s['what']]" "(16, [])"

measured "data that is not touched" 2 cb_twoway --touch none --sizes 64
expect_rows "r['touch'] == 'none' and 'touch_us' not in r"

measured "rotated buffers" 2 cb_oneway --buffers rotate --sizes 64
expect_rows "r['buffers'] == 'rotate'"

measured "a packet that is sent from memory of its own" 2 cb_oneway --buffers separate --sizes 64 --verify
expect_rows "r['buffers'] == 'separate'"

measured "separate buffers of an exchange" 4 cb_alltoall --buffers separate --sizes 64
expect_rows "r['buffers'] == 'separate'"

case_is "separate buffers of messages that do not return"
refuse 2 2 cb_evb "--buffers separate" "--buffers separate" "cb_evb" "use hot or rotate"

case_is "separate buffers of several threads"
refuse 2 2 cb_pairs "--technology tcp --threads 2 --buffers separate" "--buffers separate" "--threads"

measured "blocks of a pipeline hold many windows, also in a short time" 7 cb_pipeline --topology 4-2-1 \
    --algorithm 50 --sizes 64
expect_rows "0 < 16 * r['window'] <= r['steps'] / r['blocks']"

measured "multicast by a loop alone" 5 cb_multicast --multicast loop --sizes 64
expect_rows "r['multicast'] == 'loop' and ('group_create_us' in r) == (r['list'] != 'new')"

measured "a list by name, at all sizes" 5 cb_multicast --list rotate --destinations 2 --sizes 0,256
expect_rows "r['list'] == 'rotate'"
expect_document result.json "sorted((r['size_bytes'], r['multicast']) for r in d['results'])" \
    "[(0, 'loop'), (0, 'technology'), (256, 'loop'), (256, 'technology')]"

case_is "only a multicast that the technology lacks"
run_refused 2 faulty_multicast --technology unicast --multicast technology --sizes 64 --format json
mv out result.json
expect_status 77
expect_valid result.json
expect_document result.json "d['complete'], d['results'], [s['what'] for s in d['skipped'] if 'multicast' not in s['what']]" \
    "(True, [], ['changing members of lists of 1'])"

measured "a mode on request" 5 cb_multicast --mode round --multicast loop --list fixed --sizes 64
expect_rows "r['mode'] == 'round'"

measured "two ranks make half of a calibration" 2 cb_calibrate --sizes 0,64
expect_document result.json "sorted({r['mode'] for r in d['results']})" "['exchange', 'pingpong', 'stream']"
expect_document result.json "[s['what'] for s in d['skipped']]" "['ring', 'fan-out', 'fan-in', 'late', 'meeting', 'fit']"

measured "three ranks make all of it" 3 cb_calibrate --sizes 64
expect_document result.json "[(r['mode'], r['processors']) for r in d['results']]" \
    "[('pingpong', 2), ('stream', 2), ('exchange', 2), ('ring', 3), ('fan-out', 3), ('fan-in', 3), ('late', 3), ('meeting', 3)]"

finish
