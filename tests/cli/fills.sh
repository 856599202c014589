#!/bin/sh
# No buffer is filled while blocks are timed: of a stream whose messages wait in queues, of sends to a
# group, of messages in pieces, from pools and from the heap, with one and with several threads.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder

# expect_no_fills RANKS NAME OPTIONS...: no rank fills a buffer in a block, and some are filled before
expect_no_fills() {
    ranks=$1
    name=$2
    shift 2
    case_is "$name $*"
    rm -f fills.*
    run "$ranks" "filling_$name" --max-time 0.05 "$@"
    expect_status 0
    expect_equal "ranks without a fill in a block" "$ranks" "$(awk '$4 == 0' fills.* | wc -l)"
    expect_true "fills before the blocks" grep -q "^fills [0-9]* [1-9]" fills.0
}

run 0 cb_oneway --technology list
technologies=$(awk '$2 == "runs" && $1 != "null" { print $1 }' out)
for technology in $technologies; do
    threads=1
    pieces=
    case $technology in
    sci)
        threads=2
        pieces=recv_buffer_size=1KiB
        expect_no_fills 2 oneway --technology sci --config note --sizes 8192 --mode stream
        expect_no_fills 3 multicast --technology sci --config note --sizes 16KiB --list fixed --multicast loop
        expect_no_fills 3 outfarm --technology sci --parameter use_send_pool=0,max_outst_buffers=1 --sizes 1024
        ;;
    ofi | ucx | rma) pieces=buffer_size=1KiB ;;
    esac
    expect_no_fills 2 oneway --technology "$technology" --sizes 8192 --mode stream
    thorough || continue
    expect_no_fills 3 multicast --technology "$technology" --sizes 8192 --list fixed --multicast loop
    expect_no_fills 2 pairs --technology "$technology" --processors 2 --sizes 64 --buffers rotate
    [ -z "$pieces" ] || expect_no_fills 3 multicast --technology "$technology" --parameter "$pieces" --sizes 8192 \
        --list fixed --multicast loop
    [ "$threads" = 1 ] || expect_no_fills 2 pairs --technology "$technology" --processors 2 --sizes 8192 --threads 2
done

# The content of a buffer that is not filled is unknown, so no program compares the sum of its data, and
# its document says so.
if "$builddir/cb_oneway" --technology list | grep -q '^sci *runs'; then
    said="'comparing the data of timed packets' in [one['what'] for one in d['skipped']]"
    while read -r ranks program options; do
        case_is "cb_$program from pool and heap"
        for pool in 0 1; do
            # shellcheck disable=SC2086 # options are several words
            run "$ranks" "cb_$program" --technology sci --parameter use_send_pool=$pool --max-time 0.05 $options \
                --output result.json
            expect_status 0
            expect_document result.json "$said" "$([ $pool = 1 ] && echo False || echo True)"
        done
        thorough || break
    done <<END
2 oneway --mode stream --sizes 1024
3 funnel --sources 2 --fragments uniform:17-900
3 pushfarm --sources 1 --destinations 1 --algorithm 0 --sizes 64
3 pullfarm --sources 1 --destinations 1 --algorithm 0 --fragments uniform:17-900
4 evb --sizes 64
2 linkmap --sizes 64
END
fi

finish
