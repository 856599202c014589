#!/bin/sh
# The batch scripts under a real Slurm, whose daemons this test starts on the hosts of a testbed. They
# have process numbers, networks and /dev/shm of their own, and end with the testbed, however that ends.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:-.}/tests/cli/lib.sh"

needs_python
needs_proc
[ "$MPI_KIND" = openmpi ] || skip "Slurm starts ranks of Open MPI by PMIx; this is $MPI_KIND"
[ "$(id -u)" -eq 0 ] || skip "Slurm's daemons want to be root"
PATH=$PATH:/usr/sbin
export PATH
for program in munged munge slurmctld slurmd srun sbatch; do
    command -v "$program" >/dev/null ||
        skip "$program is not installed; get it by scripts/install-packages --for-checks"
done
enter_folder
"$builddir/combench-testbed" --hosts 1 -- true 2>err || skip "$(cat err)"

case_is "the scripts, time limits and lost nodes"
export srcdir builddir
status=0
"$builddir/combench-testbed" --hosts 4 -- "$CB_PYTHON" "$srcdir/tests/slurm/test_slurm_jobs.py" "$PWD" || status=$?
[ "$status" -eq 0 ] || tail -n 40 slurm/log/*
expect_status 0

case_is "all documents are valid, those of cut runs too"
find . -path ./slurm -prune -o -path '*/results/*.json' -print >documents
expect_true "documents" test -s documents
# shellcheck disable=SC2046 # names without blanks
"$CB_PYTHON" "$srcdir/tests/cli/validate.py" "$srcdir/docs/combench-result-1.schema.json" $(cat documents) >err ||
    failed "valid documents" "$(cat err)"

finish
