#!/bin/sh
# ccmod convert: workloads go into the forms of other simulators and come back with the same result,
# and what a form cannot say is refused with its line.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
enter_folder

ccmod() {
    run 0 "$builddir/ccmod" "$@"
}

# end_of TRACE: when it ends is in the variable `end`
end_of() {
    ccmod run --format json "$1"
    expect_status 0
    end=$("$CB_PYTHON" -c 'import json; print(json.load(open("out"))["end_us"])')
}

# same_text TITLE FILE: what was written is the same as FILE
same_text() {
    diff -u "$2" out >&2 || failed "$1" "another text"
}

cat >all.cct <<'TRACE'
%cct 1 ranks 3 unit us
0:
is 1 8
is 2 100
c 12.5
w
@ 3
s 1 900+%i
r any 6
;
1:
r 0 8
@ 3
r 0 900+%i
c exp(5)
s 0 6
;
2: r 0 100
TRACE
end_of all.cct
wanted=$end

case_is "a trace without loops"
ccmod convert all.cct
expect_status 0
expect_silence
cp out plain.cct
end_of plain.cct
expect_equal "the end" "$wanted" "$end"
ccmod convert plain.cct
same_text "the same again" plain.cct

case_is "a receive of any size"
printf '%%cct 1 ranks 2 unit us\n0:\nr 1 *\nir any *\nw\n1:\ns 0 40\ns 0 50\n' >sizes.cct
ccmod convert sizes.cct
same_text "the same trace" sizes.cct

case_is "to GOAL and back"
ccmod convert --to goal all.cct
expect_status 0
expect_silence
cp out all.goal
ccmod convert --from goal all.goal
expect_status 0
cp out back.cct
end_of back.cct
"$CB_PYTHON" -c "import sys; sys.exit(abs($end - $wanted) > 0.01)" ||
    failed "the end at $wanted us, but for nanoseconds" "$end"
ccmod convert --to goal back.cct
same_text "the same schedule" all.goal

case_is "a blocking message while others go on"
printf '%%cct 1 ranks 2 unit us\n0:\nir 1 8\ns 1 9\nc 3\ns 1 7\nw\n1:\nr 0 9\ns 0 8\nr 0 7\n' >beside.cct
ccmod convert --to goal beside.cct
cp out beside.goal
ccmod convert --from goal beside.goal
expect_status 0
# the last send and the wait are one: both are waited for
sed '6s/^s/is/' beside.cct >wanted
same_text "the trace" wanted

case_is "to SimGrid's traces and back"
ccmod convert --to ti --flops-per-us 1000 --output all.ti all.cct
expect_status 0
expect_silence
expect_equal "one file for each rank" "all.ti.0 all.ti.1 all.ti.2" "$(paste -sd ' ' all.ti)"
ccmod convert --from ti --flops-per-us 1000 all.ti
expect_status 0
same_text "the same trace" plain.cct

case_is "a barrier goes to SimGrid"
printf '%%cct 1 ranks 2 unit us\n*: c 2\nb\n' >barrier.cct
ccmod convert --to ti --output barrier.ti barrier.cct
ccmod convert --from ti barrier.ti
printf '%%cct 1 ranks 2 unit us\n0:\nc 2\nb\n1:\nc 2\nb\n' >wanted
same_text "the same trace" wanted

case_is "a schedule as LogGOPSim's generator writes it"
cat >made.goal <<'GOAL'
num_ranks 2
// a ring
rank 0 {
l1: send 16b to 1 tag 7 cpu 0 nic 0
l2: recv 16 b from 1 tag 8
l3 : calc 1500
l3 requires l1
l3 requires l2 /* both
of them */
}
rank 1 {
a: recv 16b from 0 tag 7
b: send 16b to 0 tag 8
b irequires a
}
GOAL
ccmod convert --from goal made.goal
expect_status 0
printf '%%cct 1 ranks 2 unit us\n0:\nis 1 16\nir 1 16\nw\nc 1.5\n1:\nir 0 16\nis 0 16\nw\n' >wanted
same_text "the trace" wanted

case_is "actions as SimGrid writes them"
cat >one.txt <<'TI'
0 init
1 init
0 irecv 1 0 1e3 6
0 isend 1 4 10 1
0 compute 2e3
0 wait 1 0 0
0 wait 0 1 4
1 sleep 1e-6
1 send 0 0 1000
1 recv 0 -444 40
0 finalize
1 finalize
TI
ccmod convert --from ti one.txt
expect_status 0
printf '%%cct 1 ranks 2 unit us\n0:\nir 1 1000\nis 1 40\nc 2\nw\n1:\nc 1\ns 0 1000\nr 0 40\n' >wanted
same_text "the trace" wanted

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

# goal NAME LINES: a schedule whose rank 0 has these lines, from line 3 on
goal() {
    # shellcheck disable=SC2059 # the lines are the format
    printf "num_ranks 2\nrank 0 {\n$2\n}\nrank 1 {\n}\n" >"$1.goal"
}

case_is "what a form cannot say"
printf '%%cct 1 ranks 3 unit us\n0: m 1,2 8\n1-2: r 0 8\n' >multicast.cct
printf '%%cct 1 ranks 2 unit us\n0: ir 1 0\nw\n1: s 0 0\n' >empty.cct
echo "what was here before" >kept
refused multicast.cct:2: multicast -- convert --to goal --output kept multicast.cct
refused multicast.cct:2: broadcast -- convert --to ti --output x multicast.cct
refused barrier.cct:3: barrier -- convert --to goal barrier.cct
refused empty.cct:2: size -- convert --to ti --output x empty.cct
printf '%%cct 1 ranks 2 unit us\n0: s 1 40\n1: r any *\n' >any_size.cct
refused any_size.cct:3: size -- convert --to goal any_size.cct
refused any_size.cct:3: size -- convert --to ti --output x any_size.cct
refused all.cct: --records -- convert --records 5 all.cct
refused --output -- convert --to ti all.cct
expect_equal "what was there before" "what was here before" "$(cat kept)"
expect_true "nothing half written" test ! -e x.0

case_is "schedules that no sequence is"
goal part 'a: send 1b to 1\nb: send 2b to 1\nc: calc 5\nc requires a'
goal early 'a: calc 5\nb: send 1b to 1'
goal later 'a: calc 5\nb: send 1b to 1\na requires b'
goal cores 'a: calc 5 cpu 1'
goal twice 'a: calc 5\na: calc 6'
goal unlabelled 'a: calc 5\na requires b'
goal word 'a: walk 5'
goal peer 'a: send 5b to 2'
refused part.goal:5: pending operations -- convert --from goal part.goal
refused early.goal:4: earlier -- convert --from goal early.goal
refused later.goal:3: order -- convert --from goal later.goal
refused cores.goal:3: cpu -- convert --from goal cores.goal
refused twice.goal:4: label -- convert --from goal twice.goal
refused unlabelled.goal:4: label -- convert --from goal unlabelled.goal
refused word.goal:3: walk -- convert --from goal word.goal
refused peer.goal:3: rank -- convert --from goal peer.goal
refused num_ranks -- convert --from goal one.txt

case_is "actions that no trace says"
printf '0 init\n0 bcast 5\n' >bcast.txt
printf '0 isend 1 0 5\n0 isend 1 1 5\n0 wait 0 1 0\n0 compute 5\n' >partly.txt
printf '0 wait 0 1 0\n' >nothing.txt
printf '0 send 1 0 1.5\n' >half.txt
printf '0 send 1 1 5\n0 send 1 2 5\n1 recv 0 2 5\n1 recv 0 1 5\n' >tags.txt
printf '0 send 2 1 5\n1 send 2 2 5\n2 recv -555 2 5\n2 recv -555 1 5\n' >any.txt
refused bcast.txt:2: bcast -- convert --from ti bcast.txt
refused partly.txt:4: waits -- convert --from ti partly.txt
refused nothing.txt:1: started -- convert --from ti nothing.txt
refused half.txt:1: whole -- convert --from ti half.txt
refused tags.txt:3: tag -- convert --from ti tags.txt
refused any.txt:4: tag -- convert --from ti any.txt
printf '0 send 2 0 5\n1 init\n' >absent.txt
refused absent.txt:1: 2 -- convert --from ti absent.txt
refused nowhere -- convert --from ti nowhere

finish
