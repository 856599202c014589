# Tests lie in the folders of what they test. Each folder's local.mk says when a test runs:
#   TESTS          make check, before every commit
#   LONG_TESTS     make check-full only: scripts, since Automake makes rules for the programs of TESTS only
#   SMALL_TESTS    make check-small, for a build with sanitizers
#   OTHER_TESTS    make check-other, for a build with another compiler and MPI library: what calls that library
#   THREADS_TESTS  make check-threads, for a build that sanitizes threads and has no optional technology; programs
#   THREADS_SH_TESTS  the same, scripts
# UNIT_TESTS are programs by Check without a launcher, for all but check-threads; JOB_TESTS start one of JOB_RUNNERS
# under mpirun, for check and check-other. `make perf` measures and is no test.
#
# Cases of one test that take long are left out by make check and check-other, and tried by check-full and
# check-small: these have CB_CHECK_FULL in their environment (thorough, in tests/cli/lib.sh), and numbers of random
# schedules and documents.
FULL = CB_CHECK_FULL=1 SCI_TEST_SCHEDULES=36 CB_FUZZ=1:150
AM_TESTS_ENVIRONMENT = srcdir=$(srcdir); export srcdir; builddir=$(abs_builddir); export builddir; \
	CB_BUILD=$(abs_builddir); export CB_BUILD; \
	SCI_TEST_SCHEDULES=$${SCI_TEST_SCHEDULES-4}; export SCI_TEST_SCHEDULES; \
	CB_FUZZ=$${CB_FUZZ-1:16}; export CB_FUZZ;
TEST_EXTENSIONS = .sh .py
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(CB_PYTHON)

UNIT_TESTS =
JOB_RUNNERS =
JOB_TESTS =
LONG_TESTS =
SMALL_TESTS = $(UNIT_TESTS)
OTHER_TESTS = $(UNIT_TESTS) $(JOB_TESTS)
THREADS_TESTS =
THREADS_SH_TESTS =
check_PROGRAMS += $(UNIT_TESTS) $(JOB_RUNNERS)
TESTS += $(UNIT_TESTS) $(JOB_TESTS)

include tests/common/local.mk
include tests/base/local.mk
include tests/stats/local.mk
include tests/host/local.mk
include tests/control/local.mk
include tests/report/local.mk
include tests/transport/local.mk
include tests/engine/local.mk
include tests/occupation/local.mk
include tests/timeline/local.mk
include tests/farm/local.mk
include tests/rate/local.mk
include tests/evb/local.mk
include tests/linkmap/local.mk
include tests/emit/local.mk
include tests/congest/local.mk
include tests/replay/local.mk
include tests/model/local.mk
include tests/sisci/local.mk
include tests/tracer/local.mk
include tests/cli/local.mk
include tests/suite/local.mk
include tests/house/local.mk
include tests/fuzz/local.mk
include tests/slurm/local.mk
include tests/testbed/local.mk
include tests/perf/local.mk

# The long ones first: with several tests at a time, none of them is left to the end alone.
.PHONY: check-full
check-full:
	$(FULL) $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(LONG_TESTS) $(TESTS)'

.PHONY: check-small
check-small:
	$(FULL) SCI_TEST_SCHEDULES=6 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(SMALL_TESTS)'

# Of the scripts only those that start ranks, but for the largest jobs: MPICH does not yield, and 17 ranks on two
# cores take minutes. What takes long does not depend on compiler and MPI library: check-full has it.
.PHONY: check-other
check-other:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(OTHER_TESTS)'

# The tests fork, which that sanitizer takes for an error, and each of their processes would wait a second at its
# end for threads that may still report. Nothing else is built, to save time.
.PHONY: check-threads
check-threads:
	TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0 SCI_TEST_SCHEDULES=6 $(MAKE) $(AM_MAKEFLAGS) check \
		check_PROGRAMS='$(THREADS_TESTS) tests/cli/faulty' TESTS='$(THREADS_TESTS) $(THREADS_SH_TESTS)'
