#!/bin/sh
# ccmod calibrate: from the result of a ping-pong, or two columns, to a file that ccmod run reads.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder

ccmod() {
    run 0 "$builddir/ccmod" "$@"
}

# end_of OPTIONS...: when a lone message of a trace has arrived
end_of() {
    ccmod run --format json "$@"
    mv out result.json
    expect_status 0
}

# A result with a known answer: half a round trip takes 2 us + bytes / 250 MB/s up to 4096 bytes, and
# 10 us + bytes / 1000 MB/s above; small messages of the stream follow each other in 0.5 us.
"$CB_PYTHON" - <<'PYTHON'
import json

def figure(us):
    return {"median": us, "ci95": [us * 0.99, us * 1.01], "min": us, "max": us}

sizes = [0, *(2 ** n for n in range(4, 21))]
row = {"processors": 2, "occupation": "none"}
pingpong = [{**row, "mode": "pingpong", "size_bytes": n,
             "latency_us": figure(2 + n / 250 if n <= 4096 else 10 + n / 1000)} for n in sizes]
stream = [{**row, "mode": "stream", "size_bytes": n, "round_us": figure(0.5 if n <= 64 else n / 1000)} for n in sizes]
noise = [{**row, "mode": "pingpong", "size_bytes": 100, "latency_us": {"median": 9000}},
         {**row, "mode": "pingpong", "size_bytes": 200,
          "latency_us": {"median": 9000, "ci95": [3, 9900]}},
         {**row, "mode": "pingpong", "size_bytes": 300, "occupation": "source",
          "latency_us": figure(700.0)}]
document = {"schema": "combench-result/1", "benchmark": "oneway", "technology": "mpi",
            "environment": {"mpi": "Open MPI", "hosts": [{"cpu": "one"}],
                            "mpi_settings": {"btl_vader_eager_limit": "4096",
                                             "btl_tcp_eager_limit": "65536"}},
            "results": noise + pingpong + stream}
json.dump(document, open("oneway.json", "w"))

# Of cb_calibrate: the same quiet network below 4096 bytes; a packet keeps its links for 1 us + 1 us for
# 500 bytes, two flows out share nothing, two in all, two directions a quarter; what has 4096 bytes and more
# waits for its receive. A block of ten steps ends with the way of the last acknowledgement, 2 us.
quiet = lambda n: 2 + n / 250
hold = lambda n: 1 + n / 500
def block(packets, each, n):
    return {"round_us": figure((quiet(n) + (packets - 1) * each + quiet(0)) / 10), "steps": 200, "blocks": 20}
curve = [row for row in pingpong if row["size_bytes"] <= 4096]
flows = [{**row, "mode": mode, "size_bytes": n, **block(packets, each(n), n), "step_us": {"p50": 0.25}}
         for mode, packets, each in (("stream", 10, hold), ("fan-out", 20, lambda n: hold(n) / 2), ("fan-in", 20, hold))
         for n in (0, 64, 256, 1024, 4096)]
flows += [{**row, "mode": "exchange", "size_bytes": n, "round_us": figure(quiet(n) + hold(n) / 4)}
          for n in (0, 64, 256, 1024, 4096)]
flows += [{**row, "mode": "late", "size_bytes": n,
           "round_us": figure(hold(0) + quiet(n) + quiet(0) + (quiet(n) if n >= 4096 else 0))}
          for n in (0, 64, 256, 1024, 4096)]
json.dump({**document, "benchmark": "calibrate", "results": curve + flows}, open("calibrate.json", "w"))
# Between hosts, over tcp, a packet of the ring waits for an acknowledgement of 0.75 us, or of 7 us, which no
# frame takes, or of next to nothing.
hosts = {**document["environment"], "hosts": [{"cpu": "one"}, {"cpu": "one"}, {"cpu": "one"}]}
for name, technology, wait in (("ring", "tcp", 0.75), ("long", "tcp", 7), ("short", "tcp", 0.25), ("udp", "udp", 0.75)):
    ring = [{**row, "mode": "ring", "size_bytes": n, "round_us": figure(quiet(n) + hold(n) / 4 + wait)}
            for n in (0, 64, 256, 1024, 4096)]
    json.dump({**document, "benchmark": "calibrate", "technology": technology, "environment": hosts,
               "results": curve + flows + ring}, open(f"{name}.json", "w"))
eager = [row for row in flows if row["mode"] != "late" or row["size_bytes"] < 4096]
json.dump({**document, "benchmark": "calibrate", "results": curve + eager}, open("eager.json", "w"))

# As it comes from a slow network: no size of 0 bytes; blocks of two packets at 2048 and 4096 bytes, in which
# the second one is not known to a third and seems to take half as long again; blocks of one packet above, which
# tell nothing of the next one. Two flows out share all, two in half of it.
sizes = [row["size_bytes"] for row in pingpong if 0 < row["size_bytes"] <= 16384]
def short(n):
    packets = 10 if n < 2048 else 2 if n < 8192 else 1
    made = block(packets, hold(n) * (1.5 if packets == 2 else 1), n)
    made["round_us"]["median"] *= 10 / packets
    reach = made["round_us"]["median"] * (0.15 if packets == 2 else 0.01)
    made["round_us"]["ci95"] = [made["round_us"]["median"] - reach, made["round_us"]["median"] + reach]
    return {**made, "steps": 20 * packets}
slow = [{**row, "mode": "pingpong", "size_bytes": n, "latency_us": figure(quiet(n))} for n in sizes]
slow += [{**row, "mode": "stream", "size_bytes": n, **short(n), "step_us": {"p50": 0.25}} for n in sizes]
slow += [{**row, "mode": mode, "size_bytes": n, "round_us": figure(quiet(n) + each * hold(n) + quiet(0)), "steps": 20, "blocks": 20}
         for mode, each in (("fan-out", 1), ("fan-in", 0.75)) for n in sizes]
json.dump({**document, "benchmark": "calibrate", "results": slow}, open("slow.json", "w"))
wrong = [{**row, "round_us": figure(row["round_us"]["median"] * 4)} if row["mode"] == "stream" and row["size_bytes"] in (64, 1024)
         else row for row in slow]
json.dump({**document, "benchmark": "calibrate", "results": wrong}, open("wrong.json", "w"))
# Packets of 1000 bytes with a header of 100 at 1 byte/us between three hosts: a lone message takes 50 us and its
# bytes on the links; the first of two that meet is not delayed by the second, or by all of it.
bytes_of = lambda n: n + 100 * max(1, -(-n // 1000))
lone = lambda n: 50 + bytes_of(n)
sizes = (0, 64, 300, 600, 990, 1100, 1900, 2100, 3900, 4100, 8100)
packets = [{**row, "mode": "pingpong", "size_bytes": n, "latency_us": figure(lone(n))} for n in sizes]
packets += [{**row, "mode": "stream", "size_bytes": n, "steps": 200, "blocks": 20, "step_us": {"p50": 5},
             "round_us": figure((lone(n) + 9 * bytes_of(n) + lone(0)) / 10)} for n in sizes]
for name, delay, technology in (("queue", 0, "tcp"), ("shared", 1, "tcp"), ("datagrams", 0, "udp")):
    meeting = [{**row, "mode": "meeting", "size_bytes": n, "round_us": figure(2 * lone(n) + 2 * lone(0) + delay * (bytes_of(n) - 100))}
               for n in sizes]
    json.dump({**document, "benchmark": "calibrate", "technology": technology, "environment": hosts,
               "results": packets + meeting}, open(f"{name}.json", "w"))
json.dump({**document, "benchmark": "funnel"}, open("funnel.json", "w"))
document["environment"]["mpi_settings"]["pml"] = "ucx"
json.dump(document, open("ucx.json", "w"))
json.dump({**document, "schema": "other/1"}, open("other.json", "w"))
with open("columns.txt", "w") as file:
    file.write("# bytes us\n")
    file.writelines(f"{row['size_bytes']} {2 * row['latency_us']['median']}\n" for row in pingpong)
PYTHON

printf '%%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n' >small.cct
printf '%%cct 1 ranks 2 unit us\n0: s 1 100000\n1: r 0 100000\n' >large.cct

case_is "a result of cb_oneway"
ccmod calibrate --output one.cal oneway.json
expect_status 0
expect_silence
expect_true "what was left out is counted" grep -q "^2 measurements were left out" out
expect_true "both lines in words" test "$(grep -c 'residual 0\|residual [0-9.e-]* %' out)" -eq 2
expect_true "the protocol changes at 4096 bytes" grep -q "^line to_bytes=4096 " one.cal
expect_true "what its library sends eagerly" grep -q "^eager_bytes 4096$" one.cal
expect_true "the stream's rate" grep -q "^gap_us 0.5$" one.cal
expect_true "the residuals of all sizes" test "$(grep -c '^# *[0-9][0-9]* ' one.cal)" -ge 18

case_is "a result of cb_calibrate"
ccmod calibrate --output all.cal calibrate.json
expect_status 0
expect_silence
expect_true "how long links are kept" grep -q "^hold us=1 us_per_byte=0.002$" all.cal
expect_true "what a send costs" grep -q "^line overhead_us=0.25 latency_us=1.75 us_per_byte=0.004$" all.cal
expect_equal "what is shared, where that is not usual" "out_contention 1 duplex_contention 1.25" \
    "$(grep _contention all.cal | tr '\n' ' ' | sed 's/ $//')"
expect_true "what waits for its receive" grep -q "^eager_bytes 4096$" all.cal
expect_true "a round of a barrier" grep -q "^barrier_round_us 2.25$" all.cal
expect_true "and in words" grep -q "^messages of 4096 bytes and more waited for their receive$" out
printf '%%cct 1 ranks 5 unit us\n*: b\n' >meet.cct
end_of --calibration all.cal meet.cct
expect_document result.json "d['end_us'], d['calibration']['barrier_us']" "(6.75, 6.75)"
end_of --calibration all.cal --barrier-us 2 meet.cct
expect_document result.json "d['end_us']" 2
ccmod calibrate --barrier-us 3 calibrate.json
expect_equal "a barrier that was given" "barrier_us 3" "$(grep '^barrier' out)"
end_of --calibration all.cal small.cct
expect_document result.json "round(d['end_us'], 6), d['calibration']['holds']" "(6, [{'us': 1, 'us_per_byte': 0.002}])"
expect_document result.json "d['calibration']['out_contention'], d['network']['links']" "(1, 6)"
ccmod calibrate --output eager.cal eager.json
expect_true "nothing waited" grep -q "^no message waited for its receive, up to 1024 bytes" out
expect_true "so nothing waits" grep -q "^eager_bytes 9007199254740992$" eager.cal

case_is "acknowledgements of their own"
for each in "ring 0.75" "long 1" "short" "udp"; do
    name=${each%% *}
    ccmod calibrate --output ack.cal "$name.json"
    expect_status 0
    expect_equal "of $name" "${each#"$name"}" "$(sed -n 's/^acknowledgement_us//p' ack.cal)"
done
ccmod calibrate --output ack.cal ring.json
expect_true "in words" grep -q "^a packet waits 0.75 us for an acknowledgement, which keeps its links for 0.75 us$" out
end_of --calibration ack.cal --share fifo small.cct
expect_document result.json "d['calibration']['acknowledgement_us']" 0.75

case_is "packets, and how they share a link where they meet"
ccmod calibrate --output queue.cal queue.json
expect_status 0
expect_true "the header" grep -q "^header_bytes 100$" queue.cal
expect_true "the payload" grep -Eq "^payload_bytes (99[0-9]|10[0-4][0-9])$" queue.cal
expect_true "one line for all sizes" test "$(grep -c "^line" queue.cal)" -eq 1
expect_true "acknowledgements of a header" grep -q "^acknowledgement_us 100$" queue.cal
expect_true "a queue" grep -q "^share fifo$" queue.cal
expect_true "in words" grep -Eq "^packets carry [0-9]+ bytes, and a header of 100 each$" out
expect_true "in words" grep -q "^packets that meet share a link by the rule fifo$" out
end_of --calibration queue.cal small.cct
expect_document result.json "d['parameters']['share'], d['calibration']['share'], d['network']['header_bytes']" "('fifo', 'fifo', 100)"
expect_document result.json "d['network']['payload_bytes'] == d['calibration']['payload_bytes']" True
end_of --calibration queue.cal --share maxmin small.cct
expect_document result.json "d['parameters']['share']" maxmin
ccmod calibrate --output shared.cal shared.json
expect_true "a shared link" grep -q "^share maxmin$" shared.cal
ccmod calibrate --output datagrams.cal datagrams.json
expect_true "datagrams have no acknowledgements" sh -c "! grep -q '^acknowledgement_us' datagrams.cal"
ccmod calibrate --packet-bytes 1000 --output given.cal queue.json
expect_true "sizes that an option divides" sh -c "! grep -q '^payload_bytes' given.cal"

case_is "blocks of few packets"
ccmod calibrate --output slow.cal slow.json
expect_status 0
expect_true "what is not known is left out and counted" grep -q "^2 measurements were left out" out
expect_true "what the others tell" grep -q "^hold us=1 us_per_byte=0.002$" slow.cal
expect_equal "what flows share, beside the line" "in_contention 1.5" "$(grep _contention slow.cal)"

case_is "limits of a protocol that is not used are none"
ccmod calibrate ucx.json
expect_true "no eager messages" grep -q "^eager_bytes 0$" out

case_is "a lone message takes half of a round trip"
end_of --calibration one.cal small.cct
expect_document result.json "round(d['end_us'], 6)" 6
end_of --calibration one.cal large.cct
expect_document result.json "round(d['end_us'], 6)" 110
expect_document result.json "len(d['calibration']['lines']), d['parameters']['calibration']" "(2, 'one.cal')"
faults=$("$CB_PYTHON" -c 'import json, sys, jsonschema
schema, document = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.validate(document, schema)' "$srcdir/docs/combench-model-1.schema.json" result.json 2>&1) ||
    failed "a valid document" "$faults"

case_is "an option goes before the file"
end_of --calibration one.cal --eager-bytes 7 small.cct
expect_document result.json "d['calibration']['eager_bytes'], d['calibration']['gap_us']" "(7, 0.5)"

case_is "two columns of round trips"
ccmod calibrate --round-trip --output two.cal columns.txt
expect_status 0
end_of --calibration two.cal large.cct
expect_document result.json "round(d['end_us'], 6)" 110

case_is "times of one way are taken as they are"
ccmod calibrate --output two.cal columns.txt
end_of --calibration two.cal large.cct
expect_document result.json "round(d['end_us'], 6)" 220

case_is "the article's two lines, broken at a packet"
ccmod calibrate --packet-bytes 2020 --residual-pct 100 --output packet.cal oneway.json
expect_status 0
expect_true "a break below the packet" grep -q "^line to_bytes=1024 " packet.cal

# refused TEXT... -- ARGUMENTS...: one line on stderr with these texts
refused() {
    texts=
    while [ "$1" != -- ]; do
        texts="$texts $1"
        shift
    done
    shift
    ccmod "$@"
    expect_status 2
    # shellcheck disable=SC2086 # texts without blanks
    expect_one_error $texts
}

case_is "the article's calibration"
ccmod calibrate --mode paper --output paper.cal calibrate.json
expect_status 0
expect_equal "lines alone" "barrier_us 0 eager_bytes 0 gap_us 0 hop_us 0 line" \
    "$(grep -v '^[#%]' paper.cal | sed 's/^line.*/line/' | sort -u | tr '\n' ' ' | sed 's/ $//')"
expect_true "unweighted" grep -q "^# fit plain:" paper.cal
end_of --mode paper --calibration paper.cal small.cct
expect_document result.json "round(d['end_us'], 6)" 6
ccmod calibrate --mode paper --output paper.cal oneway.json
expect_equal "two lines" 2 "$(grep -c '^line' paper.cal)"
ccmod calibrate --mode paper --fit relative --output relative.cal oneway.json
expect_true "the given fit" sh -c "! grep -q 'fit plain' relative.cal"

# y = 5 + 2 x, with 8 more at 3: the regression is 3.4 + 4.4 x
printf '0 5\n1 7\n2 9\n3 19\n' >bent.txt
case_is "an unweighted fit"
ccmod calibrate --fit plain --output plain.cal bent.txt
expect_status 0
expect_true "the regression" grep -q "^line overhead_us=3.4 latency_us=0 us_per_byte=4.4$" plain.cal
ccmod calibrate --fit relative --output relative.cal --residual-pct 50 bent.txt
ccmod calibrate --output default.cal --residual-pct 50 bent.txt
expect_true "relative by default" cmp -s relative.cal default.cal
expect_true "another line" sh -c "! grep -q 'us_per_byte=4.4' default.cal"

case_is "bad input"
refused fit plain -- calibrate --fit square oneway.json
refused mode paper -- calibrate --mode scissors oneway.json
printf '16 1\n32\n' >short.txt
printf '{ "schema": ' >cut.json
printf '%%calibration 1\nline overhead_us=-1\n' >negative.cal
refused cb_funnel cb_calibrate cb_oneway -- calibrate funnel.json
refused other/1 combench-result/1 -- calibrate other.json
refused cut.json:1: JSON -- calibrate cut.json
refused short.txt:2: MICROSECONDS -- calibrate short.txt
refused nothing.txt -- calibrate nothing.txt
refused measurements -- calibrate
refused --round-trip halved -- calibrate --round-trip oneway.json
refused residual quiet -- calibrate --segments 1 --residual-pct 1 oneway.json
refused stream residual quiet -- calibrate wrong.json
refused segments -- calibrate --segments 3 --packet-bytes 2020 oneway.json
refused negative.cal:2: -- run --calibration negative.cal small.cct
refused --latency-us one.cal -- run --calibration one.cal --latency-us 1 small.cct
refused --calibration -- run --network myrinet small.cct

finish
