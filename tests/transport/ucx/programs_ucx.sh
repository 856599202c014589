#!/bin/sh
# Programs over the technology ucx: the path that `method` names carries all messages, what the host does not have is
# refused, a killed rank is an error, and UCX leaves nothing, not even then.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
enter_folder

# Messages by path: carried METHOD TRANSPORTS SIZE EXPRESSION over p, the counters of a row.
carried() {
    case_is "method $1 over $2, $3 bytes"
    run 2 cb_oneway --technology ucx --parameter "method=$1,transports='$2'" --sizes "$3" --mode pingpong \
        --max-time 0.02 --verify --output result.json
    expect_status 0
    expect_silence
    expect_valid result.json
    expect_rows "r['verify']['messages'] > 0 == r['verify']['lost']"
    expect_rows "[$4 for p in [r['paths']]] == [True]"
}

# refused PARAMETER TEXT...: wrong use, and the error has the texts.
refused() {
    case_is "refused: $1"
    run_refused 2 cb_oneway --technology ucx --parameter "$1" --sizes 64
    expect_status 2
    shift
    expect_error "$@"
}

# UCX unlinks its files at once and marks its System V segments as destroyed, so that they go with the last process.
# The segments of the ranks that are not so marked, and the files that the ranks have and that are still there.
left_by() {
    for pid in "$@"; do
        awk -v pid="$pid" 'NR > 1 && ($5 == pid || $6 == pid) && $3 !~ /^1/ { print "segment " $2 }' \
            /proc/sysvipc/shm 2>/dev/null || true
        for file in "/proc/$pid/fd"/*; do
            readlink "$file" | grep '^/dev/shm/ucx' | grep -v '(deleted)$' || true
        done
    done
}

only_am="p['am'] > 0 == sum(p.values()) - p['am']"
only_put="p['put'] > 0 == sum(p.values()) - p['put']"
fetched="p['rendezvous'] > 0 == sum(p.values()) - p['rendezvous'] - p['am']"

carried am posix,cma 64 "$only_am"
carried put posix,cma 64 "$only_put"
carried am posix,cma 65536 "$fetched"

refused transports=nowhere "this host has no 'nowhere'" posix tcp
refused "transports='posix,nowhere'" "this host has no 'nowhere'"
refused devices=nowhere "this host has no 'nowhere'" lo
refused method=message am put

case_is "a rank that is killed"
start 2 cb_oneway --technology ucx --parameter "method=put,transports='sysv,cma'" --sizes 64 --max-time 50 \
    --output result.json
# shellcheck disable=SC2317 # await calls it
both_run() {
    [ -n "$(pid_of_rank 0)" ] && [ -n "$(pid_of_rank 1)" ] && grep -q measurement err
}
await "$limit_s" both_run || failed "two ranks that measure" "$(cat err)"
expect_equal "what outlasts the ranks" "" "$(left_by "$(pid_of_rank 0)" "$(pid_of_rank 1)")"
kill -KILL "$(pid_of_rank 1)"
collect
expect_failure
expect_all_gone
expect_valid result.json

thorough || finish

for transports in posix,cma sysv tcp; do
    for size in 64 65536 1048577; do
        carried put $transports $size "$only_put"
    done
    carried am $transports 64 "$only_am"
done
carried am tcp 1048577 "$fetched"

case_is "several threads"
for method in am put; do
    run 2 cb_pairs --processors 2 --threads 3 --technology ucx --parameter method=$method --sizes 64,65536 \
        --max-time 0.05 --verify --output result.json
    expect_status 0
    expect_rows "r['verify']['messages'] > 0 == r['verify']['lost']"
done

finish
