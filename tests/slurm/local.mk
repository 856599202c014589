# The batch scripts as jobs of a real Slurm; skipped where there is none.
LONG_TESTS += %D%/slurm.sh
EXTRA_DIST += %D%/cluster.py %D%/slurm.sh %D%/test_slurm_jobs.py
