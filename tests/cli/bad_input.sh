#!/bin/sh
# Errors that are found before the first measurement are reported once, with their name and a remedy, and all
# ranks exit at once with status 2 (77 if a capability is missing).
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder

# refused NAME STATUS RANKS PROGRAM OPTIONS TEXT...
refused() {
    case_is "$1"
    shift
    refuse "$@"
}

# Options; they are parsed the same with and without the launcher, so most are tested without it.
refused "unknown option" 2 0 cb_oneway "--bogus" "--bogus" "--help"
refused "unknown option under the launcher" 2 2 cb_oneway "--bogus" "--bogus" "--help"
refused "stray operand" 2 0 cb_oneway "stray" "stray" "--help"
refused "option of other benchmarks" 2 0 cb_oneway "--sources 4" "--sources" "cb_funnel, cb_pushfarm and cb_pullfarm"
refused "window without a stream" 2 0 cb_alltoall "--window 8" "--window" "cb_oneway"
refused "breakpoint where no line has one" 2 0 cb_oneway "--breakpoint 8KiB" "--breakpoint" "cb_comms1"
refused "breakpoint at no size" 2 0 cb_comms1 "--breakpoint 0" "--breakpoint" "use 1 to"
refused "processors of a ping-pong" 2 0 cb_comms1 "--processors 2" "--processors" "cb_comms3"
refused "computing beside Parkbench" 2 0 cb_comms3 "--compute both" "--compute" "cb_oneway"
refused "steps of a trace that is not asked for" 2 0 cb_oneway "--trace-steps 5" "--trace-steps" \
    "--emit-trace"
refused "option without its argument" 2 0 cb_oneway "--sizes" "--sizes" "--sizes=LIST"
refused "flag with an argument" 2 0 cb_oneway "--verify=yes" "--verify"
refused "malformed size" 2 0 cb_oneway "--sizes 4x4" "--sizes" "4x4" "use"
refused "unknown unit of a size" 2 0 cb_oneway "--sizes 4lb" "--sizes" "lb" "KiB"
refused "unknown unit of a time" 2 0 cb_oneway "--max-time 1parsec" "--max-time" "parsec" "ms"
refused "empty element of a list" 2 0 cb_oneway "--sizes 1,,2" "--sizes" "1,,2" "single commas"
refused "size out of range" 2 0 cb_oneway "--sizes 4096GiB" "--sizes" "use 0 to"
refused "negative number" 2 0 cb_oneway "--window -1" "--window" "use 1 to"
refused "time out of range" 2 0 cb_oneway "--max-time 0" "--max-time" "use 0.01 to"
refused "precision that is no number" 2 0 cb_oneway "--precision much" "--precision" "much"
refused "word that is no choice" 2 0 cb_oneway "--touch some" "--touch" "some" "all or none"
refused "unknown side" 2 0 cb_oneway "--compute sideways" "--compute" "sideways" \
    "none, source, destination or both"
refused "one side of equal nodes" 2 0 cb_twoway "--compute source" "--compute" "source" \
    "none or both"
refused "unknown technology" 2 0 cb_oneway "--technology pigeon" "--technology" "pigeon" "mpi"
refused "unknown mode" 2 0 cb_oneway "--mode sideways" "--mode" "sideways" "pingpong"
refused "repeated receiver" 2 0 cb_multicast "--receivers 1,1" "--receivers" "repeated"
refused "source as a receiver" 2 0 cb_multicast "--receivers 0-2" "--receivers" "use 1 to"

# Rank 0 reports errors that all ranks find; this one is found by one rank only.
case_is "a host other than that of rank 0 cannot be read"
run 0 env OMPI_COMM_WORLD_RANK=1 HWLOC_COMPONENTS=stop "$builddir/cb_oneway"
expect_failure
expect_error "topology of this host"

# Ranks
refused "one rank without a launcher" 2 0 cb_oneway "" "2 ranks" "has 1" "mpirun -np 2"
refused "more processors than ranks" 2 4 cb_alltoall "--processors 8" "8 processors" "mpirun -np 8"
refused "odd number of processors in pairs" 2 4 cb_pairs "--processors 3" "even" "2 or 4"
refused "receiver beyond the job" 2 3 cb_multicast "--receivers 1,3" "--receivers" "no rank 3"

# Output of the result
refused "output in a missing folder" 2 2 cb_oneway "--output missing/result" "missing/result" \
    "No such file" "--output"
refused "output that is a folder" 2 2 cb_oneway "--output $work" "$work" "no regular file"
mkdir locked
chmod a-w locked
if ! touch locked/probe 2>/dev/null; then
    refused "output in a locked folder" 2 2 cb_oneway "--output locked/result" "locked/result" \
        "Permission denied" "permission to write"
else
    echo "(a locked folder is not tried: this user may write everywhere)"
fi

# Capabilities
refused "verification of what delivers nothing" 77 2 cb_oneway "--verify --technology null" \
    "--verify" "null" "use another"

case_is "a multicast that the technology lacks is skipped with the reason"
run_refused 2 faulty_multicast --technology unicast --multicast technology --list fixed --sizes 64 \
    --max-time 0.02 --format csv
expect_status 77
expect_one_error "unicast" "no multicast" "--multicast loop"
expect_equal "lines of CSV:" 1 "$(wc -l <out)"
expect_all_gone

case_is "text format with a full stdout"
status=0
"$builddir/cb_oneway" --help >/dev/full 2>err || status=$?
expect_status 1
expect_one_error "--help" "No space left"

thorough || finish

case_is "rank 0 starts long after the other"
# shellcheck disable=SC2016 # for the ranks' shells
run 2 sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] || sleep 2; exec "$0" --bogus' \
    "$builddir/cb_oneway"
expect_status 2
expect_one_error "--bogus"
# No rank waits for one that has exited, and the reason is logged.
for refuses in 0 2; do
    case_is "an invalid option at rank $refuses only"
    # shellcheck disable=SC2016 # for the ranks' shells
    run 3 sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$1" ] || exec "$0"; exec "$0" --bogus' \
        "$builddir/cb_oneway" "$refuses"
    expect_status 2
    expect_one_error "--bogus" "--help"
    expect_all_gone
done

refused "one rank with it" 2 1 cb_oneway "" "2 ranks" "has 1" "mpirun -np 2"
refused "one processor to saturate a network" 2 1 cb_comms3 "" "2 processors" "has 1"
refused "more processors of Parkbench than ranks" 2 3 cb_comms3 "--processors 5" "5 processors" \
    "mpirun -np 5"
refused "more sources than ranks" 2 3 cb_funnel "--sources 1,3" "3 sources" "mpirun -np 4"
refused "more destinations than receivers" 2 4 cb_outfarm "--receivers 1,2 --destinations 3" \
    "--destinations 3" "--receivers has only 2 ranks"
refused "output that is a device" 2 2 cb_oneway "--output /dev/full" "/dev/full" "no regular file"

finish
