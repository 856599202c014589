# Tests of the transport and of the control plane under mpirun. JOB_TESTS start a program with so many
# ranks; the other programs need no launcher.
if HAVE_CHECK
JOB_RUNNERS = %D%/conformance %D%/conformance_threaded %D%/conformance_waiting %D%/test_control %D%/test_failures %D%/test_synchronise
JOB_TESTS = \
	%D%/conformance_2.sh %D%/conformance_3.sh %D%/conformance_5.sh \
	%D%/control_2.sh %D%/control_5.sh %D%/control_17.sh %D%/failures_3.sh \
	%D%/synchronise_2.sh %D%/synchronise_5.sh %D%/threaded_3.sh %D%/waiting_2.sh
ALONE_TESTS = %D%/test_control_clock %D%/test_null %D%/test_pool %D%/test_stubs
if SISCI_SOFTWARE
JOB_TESTS += %D%/conformance_lossy_2.sh
endif
check_PROGRAMS += $(JOB_RUNNERS) $(ALONE_TESTS)
TESTS += $(JOB_TESTS) $(ALONE_TESTS) %D%/conformance_17.sh
endif

JOB_SOURCES = %D%/job.c %D%/job.h

tests_mpi_conformance_SOURCES = \
	%D%/conformance.c %D%/conformance.h %D%/conformance_changes.c %D%/conformance_factory.c \
	%D%/conformance_groups.c %D%/conformance_multicast.c %D%/conformance_nodes.c \
	%D%/conformance_pool.c %D%/conformance_threads.c %D%/conformance_waiting.c $(JOB_SOURCES)
tests_mpi_conformance_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_conformance_LDADD = $(UNIT_LIBS) -lpthread
tests_mpi_conformance_threaded_SOURCES = $(tests_mpi_conformance_SOURCES) %D%/technologies_threaded.c
tests_mpi_conformance_threaded_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_mpi_conformance_threaded_LDADD = $(UNIT_LIBS) -lpthread
tests_mpi_conformance_waiting_SOURCES = $(tests_mpi_conformance_SOURCES) %D%/technologies_waiting.c
tests_mpi_conformance_waiting_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_mpi_conformance_waiting_LDADD = $(UNIT_LIBS) -lpthread
tests_mpi_test_control_SOURCES = %D%/test_control.c $(JOB_SOURCES)
tests_mpi_test_control_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_LDADD = $(UNIT_LIBS)
tests_mpi_test_control_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_clock_LDADD = $(UNIT_LIBS)
tests_mpi_test_failures_SOURCES = %D%/test_failures.c $(JOB_SOURCES)
tests_mpi_test_failures_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_mpi_test_failures_LDADD = $(UNIT_LIBS)
tests_mpi_test_synchronise_SOURCES = %D%/test_synchronise.c $(JOB_SOURCES)
tests_mpi_test_synchronise_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_mpi_test_synchronise_LDADD = $(UNIT_LIBS)
tests_mpi_test_null_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_null_LDADD = $(UNIT_LIBS)
tests_mpi_test_pool_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_pool_LDADD = $(UNIT_LIBS)
tests_mpi_test_stubs_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_stubs_LDADD = $(UNIT_LIBS)

EXTRA_DIST += \
	%D%/conformance_2.sh %D%/conformance_3.sh %D%/conformance_5.sh %D%/conformance_17.sh \
	%D%/control_2.sh %D%/control_5.sh %D%/control_17.sh %D%/failures_3.sh %D%/launch.sh %D%/conformance_lossy_2.sh \
	%D%/synchronise_2.sh %D%/synchronise_5.sh %D%/threaded_3.sh %D%/waiting_2.sh
