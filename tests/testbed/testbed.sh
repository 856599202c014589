#!/bin/sh
# The testbed as users start it: hosts that reach each other over its switch alone, faults by order,
# exit statuses, several at a time, and nothing left behind, also when it is killed.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder
testbed=$builddir/combench-testbed
peer="$CB_PYTHON $srcdir/tests/testbed/peer.py"

case_is "wrong options and no command"
run 0 "$testbed" --hosts 0 -- true
expect_status 2
expect_one_error "--hosts"
run 0 "$testbed" --rate 100mbyte -- true
expect_status 2
expect_one_error "--rate" "unknown unit 'mbyte'" "mbit"
run 0 "$testbed" --alpha 2 -- true
expect_status 2
expect_one_error "--alpha is of a shared buffer" "--buffer"
run 0 "$testbed" --leaf 3 -- true
expect_status 2
expect_one_error "--leaf" "--uplink"
run 0 "$testbed" --uplink 1mbit -- true
expect_status 2
expect_one_error "--leaf" "--uplink"
run 0 "$testbed" --leaf 0 --uplink 1mbit -- true
expect_status 2
expect_one_error "--leaf"
run 0 "$testbed" --buffer 1MiB --alpha 0 -- true
expect_status 2
expect_one_error "--alpha"
run 0 "$testbed" --mark 0 -- true
expect_status 2
expect_one_error "--mark"
run 0 "$testbed" --rto-min 1us -- true
expect_status 2
expect_one_error "--rto-min"
run 0 "$testbed" --hosts 2
expect_status 2
expect_one_error "the command to run in the testbed is missing" "--"

case_is "an order outside of any testbed"
run 0 "$testbed" --tell "cut host01"
expect_status 2
expect_one_error "cannot reach a testbed"

run 0 "$testbed" --hosts 1 -- true
if [ "$status" -eq 77 ]; then
    [ "$failures" -eq 0 ] || finish
    skip "$(cat err)"
fi

case_is "the command's exit status"
expect_status 0
expect_silence
run 0 "$testbed" --hosts 1 -- sh -c 'exit 5'
expect_status 5
run 0 "$testbed" --hosts 1 -- sh -c 'kill -KILL $$'
expect_status 137
run 0 "$testbed" --hosts 1 -- "$work/nothing"
expect_status 127
expect_one_error "cannot start" "nothing"

# Where this user may become another one, who may come to the program.
unprivileged="setpriv --reuid=65534 --regid=65534 --clear-groups"
# shellcheck disable=SC2086 # several words
if $unprivileged test -x "$testbed" 2>/dev/null; then
    case_is "a user without rights"
    run 0 $unprivileged "$testbed" --hosts 1 -- true
    expect_status 77
    expect_one_error "cannot make a testbed as a user" "use sudo"
fi

case_is "a host that is none"
# shellcheck disable=SC2016 # in the testbed
run 0 "$testbed" --hosts 2 -- sh -c '"${CB_TESTBED%/*}/agent" host03 hostname'
expect_status 2
expect_one_error "cannot enter the host 'host03'"

case_is "hosts with names and networks of their own"
# shellcheck disable=SC2016 # in the testbed
run 0 "$testbed" --hosts 3 -- sh -c \
    'hostname; "${CB_TESTBED%/*}/agent" -x host03 hostname; "${CB_TESTBED%/*}/agent" host03 grep -c . /proc/net/dev'
expect_status 0
expect_equal "names" "host01 host03 4" "$(tr '\n' ' ' <out | sed 's/ $//')"

# answers OPTIONS...: how many of a hundred lines host01 gets back from host02
answers() {
    run 0 "$testbed" --hosts 2 "$@" --statistics statistics -- sh -c \
        "\"\${CB_TESTBED%/*}/agent\" host02 $peer serve 4000 >served & $peer ask host02 4000; wait"
    expect_status 0
    expect_silence
    expect_equal "lines that came back" 100 "$(cat out)"
}

# counted COLUMN HOST
counted() {
    awk -v column="$1" -v host="$2" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) place = i } $1 == host { print $place }' \
        statistics
}

case_is "what one host sends passes the switch to the other"
answers --rate 100mbit --delay 50us
expect_true "a hundred frames each way" [ "$(counted frames_out host02)" -ge 100 ]
expect_equal "what the other was given" "$(counted frames_in host01)" "$(counted frames_out host02)"
expect_equal "losses" 0 "$(counted lost host01)"

case_is "TCP over a network that loses, doubles and overtakes"
answers --loss 5% --duplicate 5% --reorder 5% --jitter 100us --seed 3
expect_true "losses" [ "$(($(counted lost host01) + $(counted lost host02)))" -gt 0 ]
expect_true "doubled frames" [ "$(($(counted doubled host01) + $(counted doubled host02)))" -gt 0 ]

# burst OPTIONS...: at one instant, eight hosts send a frame of 1000 bytes each to host01, whose cable
# needs 0.2 s for one.
burst() {
    run 0 "$testbed" --hosts 9 --rate 40kbit "$@" --statistics statistics -- \
        "$CB_PYTHON" "$srcdir/tests/testbed/burst.py" 9 1 1000 $capable
    expect_status 0
    expect_silence
}

capable=0
case_is "a queue takes the frames for which it has room, and no more"
burst --queue 3999 --mark 1000
expect_equal "frames that arrived, and marks" "3 0" "$(cat out)"
expect_equal "drops" 5 "$(counted full host01)"
expect_equal "the greatest queue" 3000 "$(counted queue_max_bytes host01)"

capable=1
case_is "a queue takes half of a shared buffer, and marks"
burst --buffer 8000 --mark 1000
expect_equal "frames that arrived, and marks" "4 2" "$(cat out)"
expect_equal "drops" 4 "$(counted full host01)"
expect_equal "marks" 2 "$(counted marked host01)"
expect_equal "the greatest size of the buffer" 4000 "$(counted queue_max_bytes all)"

case_is "settings of the hosts' TCP"
if [ -e /proc/sys/net/ipv4/tcp_rto_min_us ]; then
    # shellcheck disable=SC2016 # in the testbed
    run 0 "$testbed" --hosts 2 --mark 3000 --rto-min 10ms -- sh -c \
        'cd /proc/sys/net/ipv4 && cat tcp_rto_min_us tcp_ecn tcp_congestion_control'
    expect_status 0
    expect_equal "what host01 has" "10000 1 reno" "$(tr '\n' ' ' <out | sed 's/ $//')"
fi
run 0 "$testbed" --hosts 2 --congestion-control none -- true
expect_status 2
expect_one_error "does not accept --congestion-control none" "tcp_allowed_congestion_control"

case_is "a host that is cut off and joined again"
cat >cut.sh <<'END'
set -eu
"${CB_TESTBED%/*}/agent" host02 $peer serve 4000 >served &
until grep -q ready served; do sleep 0.05; done
"$CB_TESTBED" --tell "cut host02"
timeout 1 $peer ask host02 4000 || echo none
"$CB_TESTBED" --tell "join all"
$peer ask host02 4000
wait
END
export peer
run 0 "$testbed" --hosts 2 -- sh cut.sh
expect_status 0
expect_equal "lines that came back" "none 100" "$(tr '\n' ' ' <out | sed 's/ $//')"
# shellcheck disable=SC2016 # in the testbed
run 0 "$testbed" --hosts 1 -- sh -c '"$CB_TESTBED" --tell "cut host07"'
expect_status 2
expect_one_error "there is no host 'host07'"

case_is "two at a time, with the same names and addresses"
start 0 "$testbed" --hosts 2 -- sh -c 'touch up-one; read -r line <hold; exit 6'
mkfifo hold
expect_true "the first is up" await 30 test -e up-one
CB_TEST_MARK=$mark "$testbed" --hosts 2 -- sh -c \
    "\"\${CB_TESTBED%/*}/agent\" host02 $peer serve 4000 >served & $peer ask host02 4000; wait" >second
expect_equal "lines in the second" 100 "$(cat second)"
echo >hold
collect
expect_status 6
expect_all_gone

# What stays of a testbed that a signal ends: processes are all that could.
for signal in TERM KILL; do
    case_is "SIG$signal"
    rm -f up-*
    # shellcheck disable=SC2016 # in the testbed
    start 0 "$testbed" --hosts 2 -- sh -c \
        '"${CB_TESTBED%/*}/agent" host02 "setsid sleep 300" & touch up-it; wait'
    expect_true "it is up" await 30 test -e up-it
    kill -s "$signal" "$launcher_pid"
    collect
    expect_failure
    expect_all_gone
done

finish
