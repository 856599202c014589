#!/bin/sh
# What is announced over rma is there, between the hosts of a testbed: over TCP a library may report that a
# write is complete before it has arrived.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ -n "$MPIRUN" ] || skip "no launcher for MPI programs was found"
enter_folder
limit_s=240
[ "$MPI_KIND" = openmpi ] || limit_s=60

run 0 "$builddir/combench-testbed" --hosts 1 -- true
[ "$status" -ne 77 ] || skip "$(cat err)"

hosts=3
export COMBENCH_TEST_RANKS=$hosts
quiet=
[ "$MPI_KIND" != openmpi ] || quiet=-q
rounds=30
! thorough || rounds=100

# visible CASE OPTIONS...: of the testbed
visible() {
    case_is "$1"
    shift
    # shellcheck disable=SC2086 # no quiet is no word
    run 0 "$builddir/combench-testbed" --hosts "$hosts" "$@" -- "$MPIRUN" $quiet -np "$hosts" \
        "$builddir/tests/transport/rma/visibility" rma "$rounds"
    # MPICH 4.0 over UCX's TCP may hang in MPI_Finalize, after all of it.
    [ "$MPI_KIND" != openmpi ] || expect_status 0
    expect_equal "ranks that saw all messages" "$hosts" "$(grep -c "visibility: $((8 * rounds)) messages at rank" out || true)"
}

if [ "$MPI_KIND" = openmpi ]; then
    # Debian's Open MPI leaves out the components that need no special network.
    for OMPI_MCA_osc in pt2pt ucx; do
        export OMPI_MCA_osc
        visible "Open MPI's osc $OMPI_MCA_osc"
        visible "Open MPI's osc $OMPI_MCA_osc, frames delayed and reordered" --delay 50us --jitter 200us --reorder 1%
    done

    case_is "a library without a component for the network is refused"
    export OMPI_MCA_osc=rdma
    run 0 "$builddir/combench-testbed" --hosts 2 -- "$MPIRUN" -q -np 2 "$builddir/cb_oneway" --technology rma \
        --sizes 64 --max-time 0.01
    expect_failure
    expect_error "allocate a window" "OMPI_MCA_osc"
else
    visible "the library's own way"
    visible "frames delayed and reordered" --delay 50us --jitter 200us --reorder 1%
fi

finish
