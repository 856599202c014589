#!/bin/sh
# Errors of libraries: their remedies fit the cause, and variables of the site that made them are named.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_proc
enter_folder

# fails TEXT...: what was run fails with these texts
fails() {
    expect_failure
    expect_error "$@"
    expect_all_gone
}

# Whether a technology runs here.
runs() {
    "$builddir/cb_oneway" --technology list 2>/dev/null | grep -q "^$1  *runs"
}

case_is "a launcher of another MPI"
run 0 env SLURM_PROCID=0 SLURM_NTASKS=2 "$builddir/cb_oneway" --sizes 64
expect_status 2
expect_one_error "names 2 ranks, but each is alone" "mpirun of that library" "--mpi=pmix"
for size in 0 -5 abc 1; do
    case_is "SLURM_NTASKS=$size says nothing about ranks"
    run 0 env SLURM_PROCID=0 SLURM_NTASKS="$size" "$builddir/cb_oneway" --sizes 64
    expect_status 2
    expect_one_error "start it with mpirun -np 2"
done

if runs ofi; then
    case_is "FI_PROVIDER of the site"
    run_refused 2 env FI_PROVIDER=none_such "$builddir/cb_oneway" --technology ofi --sizes 64
    fails "FI_PROVIDER=none_such is set" "unset FI_PROVIDER"
fi
runs ucx || finish
case_is "UCX_TLS of the site"
run_refused 2 env UCX_TLS=none_such "$builddir/cb_oneway" --technology ucx --sizes 64
fails "UCX_TLS=none_such is set"

if unshare -m mount -t tmpfs -o size=8k tmpfs /dev/shm 2>/dev/null; then
    case_is "/dev/shm is full"
    # The launcher has its own files elsewhere; the ranks have a small /dev/shm.
    # shellcheck disable=SC2016 # for the inner shell
    run_refused 2 unshare -m sh -c 'mount -t tmpfs -o size=8k tmpfs /dev/shm && exec "$0" "$@"' \
        "$builddir/cb_oneway" --technology ucx --sizes 64
    fails "/dev/shm is too small or full" "enlarge it"
fi
if unshare -U -r true 2>/dev/null; then
    for transports in posix tcp; do
        case_is "ranks in user namespaces of their own, $transports"
        run_refused 2 unshare -U -r "$builddir/cb_oneway" --technology ucx --parameter transports="$transports" \
            --mode pingpong --sizes 64 --max-time 0.05
        if [ "$transports" = tcp ]; then
            expect_status 0
        else
            fails "another user namespace" "transports=tcp"
        fi
    done
fi
finish
