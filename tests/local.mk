# Unit tests (Check), and tests under mpirun; `make perf` measures and is no test.
AM_TESTS_ENVIRONMENT = srcdir=$(srcdir); export srcdir; builddir=$(abs_builddir); export builddir;
TEST_EXTENSIONS = .sh .py
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(CB_PYTHON)

include tests/unit/local.mk
include tests/mpi/local.mk
include tests/cli/local.mk
include tests/house/local.mk
include tests/fuzz/local.mk
include tests/perf/local.mk
