# Unit tests (Check), and tests under mpirun; `make perf` measures and is no test.
AM_TESTS_ENVIRONMENT = srcdir=$(srcdir); export srcdir; builddir=$(abs_builddir); export builddir;
TEST_EXTENSIONS = .sh .py
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(CB_PYTHON)

if HAVE_CHECK
UNIT_TESTS = \
	%D%/unit/test_clock %D%/unit/test_environment %D%/unit/test_fit %D%/unit/test_histogram \
	%D%/unit/test_log %D%/unit/test_memory %D%/unit/test_noise %D%/unit/test_options \
	%D%/unit/test_random %D%/unit/test_report %D%/unit/test_report_file %D%/unit/test_stats \
	%D%/unit/test_status %D%/unit/test_topology %D%/unit/test_units
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

UNIT_FLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
UNIT_LIBS = $(COMBENCH_LIBS) $(CHECK_LIBS)

tests_unit_test_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_clock_LDADD = $(UNIT_LIBS)
tests_unit_test_environment_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_environment_LDADD = $(UNIT_LIBS)
tests_unit_test_fit_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_fit_LDADD = $(UNIT_LIBS)
tests_unit_test_histogram_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_histogram_LDADD = $(UNIT_LIBS)
tests_unit_test_log_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_log_LDADD = $(UNIT_LIBS)
tests_unit_test_memory_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_memory_LDADD = $(UNIT_LIBS)
tests_unit_test_noise_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_noise_LDADD = $(UNIT_LIBS)
tests_unit_test_options_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_options_LDADD = $(UNIT_LIBS)
tests_unit_test_random_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_random_LDADD = $(UNIT_LIBS)
tests_unit_test_report_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_LDADD = $(UNIT_LIBS)
tests_unit_test_report_file_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_file_LDADD = $(UNIT_LIBS)
tests_unit_test_stats_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_stats_LDADD = $(UNIT_LIBS)
tests_unit_test_status_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_status_LDADD = $(UNIT_LIBS)
tests_unit_test_topology_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_topology_LDADD = $(UNIT_LIBS)
tests_unit_test_units_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_units_LDADD = $(UNIT_LIBS)

EXTRA_DIST += %D%/unit/unit.h $(srcdir)/tests/unit/golden/* $(srcdir)/tests/fuzz/corpus/*/*
