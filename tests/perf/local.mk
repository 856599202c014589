# make perf: ratios against bare references measured in the same run. Not part of make check.
EXTRA_PROGRAMS += %D%/perf_thin
CLEANFILES += %D%/perf_thin

tests_perf_perf_thin_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS)

perf: all %D%/perf_thin
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/perf/perf.sh
.PHONY: perf

EXTRA_DIST += \
	%D%/harness.py %D%/netpipe.py %D%/netpipe.sh %D%/pair.sh %D%/perf.sh %D%/summary.py
