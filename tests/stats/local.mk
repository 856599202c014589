# Unit tests of src/stats.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_fit \
	%D%/test_histogram \
	%D%/test_parkbench \
	%D%/test_stats
endif

tests_stats_test_fit_CPPFLAGS = $(UNIT_FLAGS)
tests_stats_test_fit_LDADD = $(UNIT_LIBS)
tests_stats_test_histogram_CPPFLAGS = $(UNIT_FLAGS)
tests_stats_test_histogram_LDADD = $(UNIT_LIBS)
tests_stats_test_parkbench_CPPFLAGS = $(UNIT_FLAGS)
tests_stats_test_parkbench_LDADD = $(UNIT_LIBS)
tests_stats_test_stats_CPPFLAGS = $(UNIT_FLAGS)
tests_stats_test_stats_LDADD = $(UNIT_LIBS)
