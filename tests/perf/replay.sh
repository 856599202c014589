#!/bin/sh
# Traces that ccmod has converted, replayed by SimGrid's SMPI on the same network, and what both share
# rules of the model say of them: a crossbar of 100 MB/s and 10 us. Where SimGrid's smpirun is
# installed.
set -eu
: "${builddir:?}"

command -v smpirun >/dev/null || {
    echo "no smpirun here: install libsimgrid-dev to compare replays"
    exit 0
}
ccmod=$builddir/ccmod
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# platform RANKS: one switch, one full-duplex link a node
platform() {
    cat >platform.xml <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="switch" prefix="n" suffix="" radical="0-$(($1 - 1))" speed="1Gf" bw="100MBps" lat="5us"
           sharing_policy="SPLITDUPLEX"/>
</platform>
XML
    seq 0 $(($1 - 1)) | sed 's/^/n/' >hosts
}

# replayed RANKS: the end of trace.cct in us, by SimGrid; messages cost their processors nothing, and
# every send waits for its receive
replayed() {
    "$ccmod" convert --to ti --flops-per-us 1000 --output trace.ti trace.cct
    smpirun -np "$1" -platform platform.xml -hostfile hosts -replay trace.ti \
        --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 \
        --cfg=smpi/simulate-computation:yes --cfg=smpi/async-small-thresh:0 \
        --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/os:0:0:0 --cfg=smpi/ois:0:0:0 \
        --cfg=smpi/or:0:0:0 2>&1 | sed -n 's/.*Simulation time \([0-9.]*\)$/\1/p' |
        awk '{ printf "%.6f", 1e6 * $1 }'
}

# predicted RULE: the same by the model
predicted() {
    "$ccmod" run --share "$1" --overhead-us 0 --latency-us 10 --bandwidth-MBps 100 trace.cct |
        sed -n 's/.* end at \([0-9.]*\) us.*/\1/p'
}

ratio() {
    awk -v above="$1" -v below="$2" 'BEGIN { printf "%.4f", above / below }'
}

# beside TITLE RANKS: trace.cct is read from standard input
beside() {
    cat >trace.cct
    platform "$2"
    theirs=$(replayed "$2")
    fair=$(ratio "$(predicted maxmin)" "$theirs")
    echo "replay of $1: SimGrid $theirs us; over it bottleneck $(ratio "$(predicted bottleneck)" "$theirs"), max-min $fair"
    echo "target: end over SimGrid's replay, $1, max-min: $fair at most 1.02"
    echo "target: end over SimGrid's replay, $1, max-min again: $fair at least 0.98"
}

beside "two shifts at once" 8 <<'TRACE'
%cct 1 ranks 8 unit us
*:
@ 20
is (%r+1)%%n 20000+(%r*7)%5*8000
is (%r+3)%%n 50000
ir (%r-1)%%n 20000+((%r-1)%%n*7)%5*8000
ir (%r-3)%%n 50000
w
c 100+%r
;
TRACE

beside "all to all, unequal" 8 <<'TRACE'
%cct 1 ranks 8 unit us
*:
@ 7
is (%r+1+%i)%%n 10000+%r*4000
ir (%r-1-%i)%%n 10000+((%r-1-%i)%%n)*4000
;
w
TRACE

beside "funnel, unequal" 16 <<'TRACE'
%cct 1 ranks 16 unit us
1-15:
@ 10
s 0 1000*%r
c 200
;
0:
@ 150
r %i%15+1 1000*(%i%15+1)
;
TRACE

# What a sender's link cannot give to the funnel max-min sharing gives to its other message, and the
# bottleneck rule to none.
beside "funnel beside other traffic" 9 <<'TRACE'
%cct 1 ranks 9 unit us
0-3:
@ 20
is 4 30000
is 5+%r 90000
w
;
4:
@ 20
ir 0 30000
ir 1 30000
ir 2 30000
ir 3 30000
w
;
5-8:
@ 20
r %r-5 90000
;
TRACE

beside "farm of eight sources" 16 <<'TRACE'
%cct 1 ranks 16 unit us
0-7:
@ 56
s 8+%i%8 1000+500*%r
c 20
;
8-15:
@ 7
ir 0 1000
ir 1 1500
ir 2 2000
ir 3 2500
ir 4 3000
ir 5 3500
ir 6 4000
ir 7 4500
w
c 300
;
TRACE
