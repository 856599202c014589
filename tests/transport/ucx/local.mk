# Tests of the technology ucx. The conformance of its methods over several transports is under mpirun.
if HAVE_UCX
TESTS += %D%/programs_ucx.sh
if HAVE_CHECK
JOB_TESTS += %D%/conformance_ucx.sh
endif
endif

EXTRA_DIST += %D%/conformance_ucx.sh %D%/programs_ucx.sh
