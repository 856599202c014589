# make perf: ratios against bare references measured in the same run. Not part of make check.
PERF_MODEL = %D%/perf_model %D%/perf_routes
if HAVE_SIMGRID
PERF_MODEL += %D%/perf_simgrid
endif
EXTRA_PROGRAMS += %D%/perf_model %D%/perf_routes %D%/perf_simgrid
CLEANFILES += $(PERF_MODEL)

tests_perf_perf_model_LDADD = $(CCMOD_LIBS)
tests_perf_perf_routes_LDADD = $(CCMOD_LIBS)
tests_perf_perf_simgrid_CPPFLAGS = $(AM_CPPFLAGS) $(SIMGRID_CFLAGS)
tests_perf_perf_simgrid_LDADD = $(CCMOD_LIBS) $(SIMGRID_LIBS)

PERF_RUNNERS = %D%/perf_cores %D%/perf_farm %D%/perf_parkbench %D%/perf_rma %D%/perf_sisci %D%/perf_supervisor %D%/perf_tcp %D%/perf_thin
if HAVE_LIBFABRIC
PERF_RUNNERS += %D%/perf_ofi
endif
if HAVE_UCX
PERF_RUNNERS += %D%/perf_ucx
endif
if SISCI_SOFTWARE
PERF_RUNNERS += %D%/perf_sci %D%/perf_sci_faults %D%/perf_sci_idle
endif
EXTRA_PROGRAMS += $(PERF_RUNNERS)
CLEANFILES += $(PERF_RUNNERS)

tests_perf_perf_cores_SOURCES = %D%/perf_cores.c
tests_perf_perf_cores_LDADD = $(LDADD) -lpthread
tests_perf_perf_farm_SOURCES = %D%/perf_farm.c %D%/session.c %D%/session.h
tests_perf_perf_farm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS)
tests_perf_perf_ofi_SOURCES = %D%/perf_ofi.c %D%/contest.h tests/transport/socket/ends.c tests/transport/socket/ends.h
tests_perf_perf_ofi_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(LIBFABRIC_CFLAGS)
tests_perf_perf_parkbench_SOURCES = %D%/perf_parkbench.c %D%/session.c %D%/session.h
tests_perf_perf_parkbench_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_perf_perf_rma_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS)
tests_perf_perf_sci_SOURCES = %D%/perf_sci.c %D%/contest.h tests/transport/sci/pair.c tests/transport/sci/pair.h
tests_perf_perf_sci_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_perf_perf_sci_faults_SOURCES = %D%/perf_sci_faults.c %D%/contest.h %D%/crowd.c %D%/crowd.h
tests_perf_perf_sci_faults_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_perf_perf_sci_faults_LDADD = $(LDADD) -lpthread -lm
tests_perf_perf_sci_idle_SOURCES = %D%/perf_sci_idle.c %D%/contest.h %D%/crowd.c %D%/crowd.h
tests_perf_perf_sci_idle_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_perf_perf_sci_idle_LDADD = $(LDADD) -lpthread
tests_perf_perf_sisci_SOURCES = %D%/perf_sisci.c %D%/contest.h
tests_perf_perf_sisci_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_perf_perf_sisci_LDADD = libsisci-shm.a $(SISCI_SHM_LIBS)
tests_perf_perf_supervisor_SOURCES = %D%/perf_supervisor.c %D%/session.c %D%/session.h
tests_perf_perf_supervisor_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS)
tests_perf_perf_tcp_SOURCES = %D%/perf_tcp.c %D%/contest.h tests/transport/socket/ends.c tests/transport/socket/ends.h
tests_perf_perf_tcp_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_perf_perf_thin_SOURCES = %D%/perf_thin.c %D%/session.c %D%/session.h
tests_perf_perf_thin_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS)
tests_perf_perf_ucx_SOURCES = %D%/perf_ucx.c
tests_perf_perf_ucx_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(MPI_CFLAGS) $(UCX_CFLAGS)

# Traffic for an hour, or for MINUTES; takes no core from others.
if SISCI_SOFTWARE
EXTRA_PROGRAMS += %D%/soak_sci
CLEANFILES += %D%/soak_sci
tests_perf_soak_sci_SOURCES = %D%/soak_sci.c tests/transport/sci/pair.c tests/transport/sci/pair.h
tests_perf_soak_sci_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/src

soak: %D%/soak_sci
	%D%/soak_sci $${MINUTES:-60}
endif
.PHONY: soak

perf: all $(PERF_RUNNERS) $(PERF_MODEL)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/tests/perf/perf.sh
.PHONY: perf

EXTRA_DIST += \
	%D%/applications.sh %D%/generator.py %D%/harness.py %D%/incast.py %D%/iperf.py %D%/iperf.sh %D%/other_network.awk %D%/peers.py \
	%D%/launch.sh %D%/model.sh %D%/perf.sh %D%/summary.py %D%/table1.py %D%/replay.sh \
	%D%/compare.py %D%/cost.py %D%/farm_instructions.py %D%/fi_pingpong.py %D%/fi_pingpong.sh %D%/played.py %D%/predict.py %D%/report.py %D%/suite.py %D%/validation.py \
	%D%/ucx_perftest.py %D%/ucx_perftest.sh
