#!/bin/sh
# The speed of the communication model, from the trace as a file to the result, in one thread; and
# beside it SimGrid on the same traces, where configure found it.
set -eu
: "${builddir:?}" "${srcdir:?}"

model=$builddir/tests/perf/perf_model
simgrid=$builddir/tests/perf/perf_simgrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# figure NAME LINE: a figure by its name
figure() {
    echo "$2" | sed "s/.*\\<$1 \\([0-9.]*\\).*/\\1/"
}

ratio() {
    awk -v above="$1" -v below="$2" 'BEGIN { printf "%.4f", above / below }'
}

# trace KIND NODES MESSAGES
trace() {
    "$model" make "$1" "$2" "$3" "$work/trace.cct"
}

# speed KIND NODES MESSAGES LEAST: in million messages a second
speed() {
    trace "$1" "$2" "$3"
    line=$("$model" run "$work/trace.cct")
    echo "$1, $2 nodes: $line"
    echo "target: model $1 $2 nodes M/s: $(figure Mps "$line") at least $4"
}

speed random 16 1000000 5
speed random 128 1000000 5
speed random 1024 1000000 3
speed roundrobin 16 1000000 5
speed roundrobin 128 1000000 5
speed roundrobin 1024 1000000 3
speed steps 16 1000000 4
speed steps 1024 1000000 3
speed loops 1000000 3000000 0.3
echo "target: model loops 1000000 nodes bytes a node: $(figure bytes_a_node "$line") at most 400"
speed exchange 1000000 3000000 0.3
echo "target: model exchange 1000000 nodes bytes a node: $(figure bytes_a_node "$line") at most 400"

speed funnel 16 500000 2.5
speed funnel 1024 500000 1.5

# Max-min sharing takes the plain path; its figures are printed and have no target.
for kind in random funnel; do
    for nodes in 16 128 1024; do
        trace "$kind" "$nodes" 20460
        echo "$kind, $nodes nodes, max-min: $("$model" run "$work/trace.cct" maxmin)"
    done
done

# A trigger farm of 1000 sources and 1000 destinations, until its frequency is known to 1 %.
# farm NAME TRACE: the time of the processor that it takes
farm() {
    seconds=$({ time -p "$builddir/ccmod" run --share bottleneck --overhead-us 0.1 --latency-us 5 --bandwidth-MBps 1000 \
        --eager-bytes 4KiB --rate-of 0 --round 1000 --precision 1 "$2" >"$work/farm.txt"; } 2>&1 |
        sed -n 's/^user //p')
    echo "$1: $(sed -n '1p;4p' "$work/farm.txt" | tr '\n' ' ')"
    echo "target: model $1, s of the processor: $seconds at most 60"
}

farm "farm, multicast" "$srcdir/docs/examples/pushfarm.cct"
sed 's/^m 1-1000 16/@ 1000\ns 1+%i 16\n;/' "$srcdir/docs/examples/pushfarm.cct" >"$work/single.cct"
farm "farm, single sends" "$work/single.cct"
sed 's/^c 9/c exp(9)/' "$srcdir/docs/examples/pushfarm.cct" >"$work/drawn.cct"
farm "farm, algorithms of drawn lengths" "$work/drawn.cct"

if [ ! -x "$simgrid" ]; then
    echo "no SimGrid here: install libsimgrid-dev and configure again to compare"
    exit 0
fi

play_once() {
    "$simgrid" "$work/trace.cct" "$@" --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
        --cfg=contexts/stack-size:32 --cfg=contexts/guard-size:0 --log=root.thres:error 2>&1 |
        tail -n 1
}

# play [ready]: the median speed of three, as ours is of five
play() {
    { play_once "$@" && play_once "$@" && play_once "$@"; } | sort -k 6n | sed -n 2p
}

# beside KIND NODES MESSAGES LEAST: both on one trace that was read, ours with the bottleneck rule.
# What both need to match messages, here a table and there mailboxes, they make as they go; the ratio
# to a SimGrid whose mailboxes are there already has no target.
beside() {
    trace "$1" "$2" "$3"
    ours=$("$model" run "$work/trace.cct")
    fair=$("$model" run "$work/trace.cct" maxmin)
    theirs=$(play)
    echo "$1, $2 nodes: ours $ours"
    echo "$1, $2 nodes: SimGrid $theirs"
    speed=$(figure played_Mps "$ours")
    echo "target: model over SimGrid, $1 $2 nodes: $(ratio "$speed" "$(figure Mps "$theirs")") at least $4"
    echo "$1, $2 nodes, with mailboxes made before: $(ratio "$speed" "$(figure Mps "$(play ready)")")"
    end=$(ratio "$(figure end_us "$fair")" "$(figure end_us "$theirs")")
    echo "target: end over SimGrid's, $1 $2 nodes, max-min: $end at most 1.02"
    echo "target: end over SimGrid's, $1 $2 nodes, max-min again: $end at least 0.98"
}

beside random 16 100000 10
beside roundrobin 16 100000 10
beside steps 16 100000 10
beside random 1024 51200 30
beside roundrobin 1024 51200 30
beside steps 1024 51200 30
beside funnel 1024 10230 500
