#!/bin/sh
# cb_replay: each kind of record over each technology, what a play receives, and traces that are refused.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder
limit_s=120
kinds=$srcdir/tests/replay/kinds.cct

# trace NAME RANKS: a trace with these ranks from standard input
trace() {
    { echo "%cct 1 ranks $2 unit us" && cat; } >"$1"
}

# played TECHNOLOGY: the trace of all kinds of records, with the content checked
played() {
    case_is "every kind of record over $1"
    run 4 cb_replay "$kinds" --technology "$1" --max-time 0.05 --verify --output result.json
    expect_status 0
    expect_valid result.json
    expect_rows "r['verify'] == {'messages': 206, 'lost': 0, 'doubled': 0, 'reordered': 0, 'corrupted': 0}"
    expect_rows "(r['replay']['messages'], r['replay']['bytes'], r['replay']['records']) == (206, 61077, 522)"
    expect_rows "[(one['sent'], one['received']) for one in r['per_rank']] == [(105, 101), (50, 51), (50, 51), (1, 3)]"
    expect_rows "r['replay']['plays'] >= 5 and r['blocks'] == r['replay']['plays']"
    expect_rows "r['message_us']['samples'] == 206 and r['multicast'] == 'loop'"
    expect_rows "(r['recorded']['records'], r['recorded']['recorded_us']) == (50, 50)"
    expect_document result.json "d['trace'] == {'path': '$kinds', 'ranks': 4, 'lines': 32, 'bytes': $(wc -c <"$kinds"), \
'crc32': '%08x' % __import__('zlib').crc32(open('$kinds', 'rb').read())}" True
}
for technology in mpi tcp sci; do
    played $technology
done

case_is "another size in the file is another number of bytes"
trace size.cct 2 <<'END'
0:
s 1 1000
1:
r 0 1000
END
run 2 cb_replay size.cct --technology tcp --max-time 0.05 --output result.json
expect_status 0
expect_rows "(r['replay']['bytes'], r['size_bytes']) == (1000, 1000)"
sed 's/1000/1001/' size.cct >larger.cct
run 2 cb_replay larger.cct --technology tcp --max-time 0.05 --output result.json
expect_status 0
expect_rows "(r['replay']['bytes'], r['size_bytes']) == (1001, 1001)"

# refused NAME RANKS TEXT...: nothing is sent
refused() {
    name=$1
    ranks=$2
    shift 2
    case_is "refused: $name"
    refuse 2 "$ranks" cb_replay "$name.cct" "$@"
}
printf '0:\nr 1 8\ns 1 8\n1:\nr 0 8\ns 0 8\n' | trace deadlock.cct 2
refused deadlock 2 "deadlock.cct" "rank 0" "wait"
refused absent 2 "cannot read the trace absent.cct" "No such file"
refused size 3 "size.cct has 2 ranks and this job 3" "mpirun -np 2"

thorough || finish

printf '0:\ns 1 8\ns 1 8\n1:\nr 0 8\n' | trace unmatched.cct 2
refused unmatched 2 "unmatched.cct:4" "which no rank receives"
printf '0:\ns 1 8\n1:\nr 0 9\n' | trace sizes.cct 2
refused sizes 2 "sizes.cct:5" "9 bytes"
printf '0:\nr any 8\nr 1 8\n1:\n@ 2\ns 0 8\n;\n' | trace mixed.cct 2
refused mixed 2 "receives 1 of the 2 messages of rank 1 by name"
printf '0:\ns 1 2GiB\n1:\nr 0 2GiB\n' | trace long.cct 2
refused long 2 "a message of 2147483648 bytes"
printf '0:\nhello\n' | trace words.cct 2
refused words 2 "words.cct:3"
printf '0:\n@ 1000\nc 1\n;\n' | trace loops.cct 2
case_is "refused: more records than --records"
refuse 2 2 cb_replay "loops.cct --records 999" "rank 0 has more than 999 records" "raise --records"
case_is "refused: a technology that may lose messages"
refuse 2 2 cb_replay "size.cct --technology udp" "udp" "use --technology with one of"
case_is "refused: no file"
refuse 2 2 cb_replay "" "no trace is given"
case_is "refused: a calibration that is none"
refuse 2 2 cb_replay "size.cct --calibration size.cct" "size.cct"
case_is "refused: options of benchmarks that choose their messages"
refuse 2 2 cb_replay "size.cct --sizes 64" "--sizes"

case_is "two ranks that send first; messages that come while a barrier waits, and tokens while a receive does"
trace barriers.cct 5 <<'END'
0-1:
@ 100
s 1-%r 64KiB
;
@ 100
r 1-%r 64KiB
;
*:
b
@ 20
is (%r+1)%%n 1
is (%r+2)%%n 2+%i
b
b
r (%r-2)%%n 2+%i
r (%r-1)%%n 1
;
b
END
trace tokens.cct 5 <<'END'
0:
@ 80
r any 3
;
@ 20
b
;
1-4:
@ 20
s 0 3
;
@ 20
b
;
END
for technology in mpi tcp sci; do
    for name in barriers tokens; do
        run 5 cb_replay $name.cct --technology $technology --max-time 0.05 --verify --output result.json
        expect_status 0
        expect_rows "r['verify']['corrupted'] == 0"
    done
done

case_is "distributions are drawn from the seed"
printf '*:\n@ 10\nc exp(20)\n;\nb\n' | trace drawn.cct 3
run 3 cb_replay drawn.cct --seed 7 --max-time 0.05 --output result.json
expect_status 0
expect_rows "r['play_us']['median'] > 100"

case_is "slowdowns against a calibration"
printf '%%calibration 1\nline overhead_us=0.1 latency_us=0.9 us_per_byte=0.001\n' >quiet.cal
run 2 cb_replay size.cct --calibration quiet.cal --max-time 0.05 --output result.json
if [ "$status" -eq 0 ]; then
    expect_valid result.json
    expect_rows "r['message_slowdown']['messages'] == 1 and r['message_slowdown']['worst'] > 0"
else
    failed "exit status 0" "$status"
fi

case_is "a calibration without a time for empty messages"
printf '%%calibration 1\nline overhead_us=0 latency_us=0 us_per_byte=0.001\n' >bytes.cal
printf '0:\ns 1 0\ns 1 1000\n1:\nr 0 0\nr 0 1000\n' | trace empty.cct 2
run 2 cb_replay empty.cct --calibration bytes.cal --max-time 0.05 --output result.json
expect_status 0
expect_valid result.json
expect_rows "r['message_slowdown']['messages'] == 1 and r['message_slowdown']['p50'] > 0"

case_is "a million records, from a pipe that can be read once"
# 250 messages in a row: if each had to be answered, beside other work each would wait for a turn of the scheduler.
printf '0:\n@ 1000\n@ 250\ns 1 8\n;\n@ 250\nr 1 8\n;\n;\n1:\n@ 1000\n@ 250\nr 0 8\n;\n@ 250\ns 0 8\n;\n;\n' | trace million.cct 2
mkfifo pipe
cat million.cct >pipe &
run 2 cb_replay pipe --max-time 0.05 --output result.json
wait
expect_status 0
expect_rows "r['replay']['records'] == 1000000 and r['replay']['memory_bytes'] >= 16000000"

case_is "the traces of all benchmarks are played, those of the same number of ranks in one"
describe_benchmarks traces >every_mode
while read -r ranks name options; do
    # shellcheck disable=SC2086 # options are words
    "$builddir/cb_$name" $options --emit-trace emitted.cct --trace-steps 20 >/dev/null
    expect_equal "head of the trace of $name $options" "%cct 1 ranks $ranks unit us" "$(head -n 1 emitted.cct)"
    # In one trace a rank receives from a sender by name or from any, not both.
    from=named
    ! grep -q "r any" emitted.cct || from=$name
    { echo "*:" && echo b && sed 1d emitted.cct; } >>"emitted.$ranks.$from"
done <every_mode
for file in emitted.[0-9]*; do
    ranks=${file#emitted.}
    ranks=${ranks%.*}
    trace emitted.cct "$ranks" <"$file"
    run "$ranks" cb_replay emitted.cct --max-time 0.02 --verify --output result.json
    expect_status 0
    expect_rows "r['verify']['corrupted'] == 0 and r['replay']['messages'] > 0"
done

case_is "a rank is killed"
printf '%%cct 1 ranks 2 unit s\n0:\nr 1 8\n1:\nc 100\ns 0 8\n' >long.cct
# A second of processor time: mpirun may wait for ever for a rank that is killed while MPI starts.
# shellcheck disable=SC2317 # called by await
rank_1_computes() {
    pid=$(pid_of_rank 1)
    [ -n "$pid" ] && [ "$(cut -d ' ' -f 14 "/proc/$pid/stat")" -ge "$(getconf CLK_TCK)" ]
}
start 2 cb_replay long.cct --max-time 100
await 60 rank_1_computes || failed "rank 1 computes within 60 s" "none"
kill -KILL "$(pid_of_rank 1)"
collect
expect_failure
expect_all_gone

case_is "traces of the fuzzing corpus are played or refused"
for file in "$srcdir"/tests/fuzz/corpus/trace/*; do
    ranks=$(sed -n '1s/^%cct 1 ranks \([2-5]\) .*/\1/p' "$file")
    run "${ranks:-2}" cb_replay "$file" --max-time 0.02 --records 100000 --output result.json
    case $status in
    0 | 2) ;;
    *) failed "exit status 0 or 2 for $(basename "$file")" "$status" ;;
    esac
    expect_all_gone
done

finish
