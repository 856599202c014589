# Unit tests (Check), and tests under mpirun; `make perf` measures and is no test.
AM_TESTS_ENVIRONMENT = srcdir=$(srcdir); export srcdir; builddir=$(abs_builddir); export builddir;
TEST_EXTENSIONS = .sh .py
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(CB_PYTHON)

include tests/unit/local.mk
include tests/model/local.mk
include tests/mpi/local.mk
include tests/cli/local.mk
include tests/sci/local.mk
include tests/sisci/local.mk
include tests/slurm/local.mk
include tests/suite/local.mk
include tests/testbed/local.mk
include tests/tracer/local.mk
include tests/sockets/local.mk
include tests/house/local.mk
include tests/fuzz/local.mk
include tests/perf/local.mk

# For builds with sanitizers: the unit tests, those with two ranks, and whole programs on failing networks.
SMALL_TESTS = $(UNIT_TESTS) $(SCI_TESTS) $(SISCI_TESTS) $(MODEL_TESTS) $(TESTBED_TESTS) $(TRACER_TESTS) \
	$(ALONE_TESTS) $(SOCKET_TESTS) \
	tests/mpi/conformance_2.sh tests/mpi/control_2.sh tests/mpi/synchronise_2.sh \
	tests/fuzz/fuzz_context.sh tests/fuzz/fuzz_loads.sh tests/fuzz/fuzz_options.sh \
	tests/fuzz/fuzz_topology.sh tests/fuzz/fuzz_trace.sh tests/fuzz/fuzz_wire.sh tests/cli/farm_small.sh tests/cli/model.sh \
	tests/testbed/testbed_faults.sh

.PHONY: check-small
check-small:
	SCI_TEST_SCHEDULES=6 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(SMALL_TESTS)'

# For a build with another compiler and MPI library: the unit tests, and what starts ranks, but for what
# concerns options and forms alone, and for the largest job: MPICH does not yield, and 17 ranks on two
# cores take minutes.
OTHER_TESTS = $(UNIT_TESTS) $(MODEL_TESTS) $(ALONE_TESTS) $(JOB_TESTS) $(SCI_TESTS) $(SISCI_TESTS) \
	$(SOCKET_TESTS) $(TRACER_TESTS) tests/tracer/tracer.sh tests/sci/multicast_sci.sh \
	tests/cli/agreement.sh tests/cli/bad_input.sh tests/cli/emit_trace.sh tests/cli/farm_faults.sh \
	tests/cli/farm_small.sh tests/cli/faults.sh tests/cli/occupation.sh tests/cli/oversubscription.sh \
	tests/cli/sockets.sh tests/cli/verification.sh tests/testbed/testbed_mpi.sh

.PHONY: check-other
check-other:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(OTHER_TESTS)'

# For a build that sanitizes threads. The tests fork, which that sanitizer takes for an error, and
# each of their processes would wait a second at its end for threads that may still report. Nothing else
# is built, to save time.
THREADS_TESTS = $(SISCI_TESTS) $(SCI_TESTS) $(SOCKET_TESTS)
.PHONY: check-threads
check-threads:
	TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=0 SCI_TEST_SCHEDULES=6 $(MAKE) $(AM_MAKEFLAGS) check \
		check_PROGRAMS='$(THREADS_TESTS)' TESTS='$(THREADS_TESTS)'
