#!/bin/sh
# A collective call that fails in one rank only, of the control plane or of a technology: the others wait in
# it, and the rank that failed ends the job with the cause. Whichever call it is, from the start of MPI on.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder

# fails_at CALL RANK PROGRAM OPTIONS...: the job ends before its time is over
fails_at() {
    case_is "call $1 in rank $2: $3 $4 $5"
    export CB_FAULT_CALL="$1" CB_FAULT_RANK="$2"
    shift 2
    run 2 "$@" --sizes 64 --max-time 0.02
    unset CB_FAULT_CALL CB_FAULT_RANK
    expect_failure
    expect_error "the control plane cannot\|MPI cannot\|over mpi"
    expect_all_gone
}

calls="1 2 5 9"
! thorough || calls=$(seq 1 12)
for call in $calls; do
    for rank in 0 1; do
        fails_at "$call" "$rank" alone_oneway --config note --technology mpi
    done
done

for rank in 0 1; do
    case_is "a window that rank $rank cannot allocate"
    export CB_FAULT_WINDOW=1 CB_FAULT_RANK="$rank"
    run 2 alone_oneway --technology rma --sizes 64 --max-time 0.02
    unset CB_FAULT_WINDOW CB_FAULT_RANK
    expect_failure
    expect_error "rank $rank: error: MPI cannot allocate a window"
    expect_all_gone
done

# In a mount namespace: the memory that other programs share stays as it is.
cat >small_memory <<'END'
#!/bin/sh
mount -t tmpfs -o size=64k none /dev/shm && exec "$@"
END
chmod +x small_memory

# is_built_in TECHNOLOGY
is_built_in() {
    "$builddir/cb_oneway" --technology list | grep -q "^ *$1 "
}

for option in -m -rm; do
    unshare "$option" ./small_memory true 2>/dev/null || continue
    for technology in rma ucx; do
        is_built_in $technology || continue
        case_is "little shared memory, $technology"
        launcher_prefix="unshare $option ./small_memory"
        run 2 cb_oneway --technology $technology --sizes 64 --max-time 0.02
        launcher_prefix=
        [ "$status" -ne 0 ] || [ "$MPI_KIND" != openmpi ] || failed "an error" "none"
        [ "$status" -eq 0 ] || expect_error "/dev/shm is too small or full" "of 65536 bytes" "enlarge it"
        expect_all_gone
    done
    break
done

thorough || finish

for call in 8 11 14 17 20 23; do
    fails_at "$call" 1 alone_oneway --technology rma
    fails_at "$call" 1 alone_multicast --technology mpi --multicast technology
    fails_at "$call" 0 alone_twoway --technology mpi --verify
done

finish
