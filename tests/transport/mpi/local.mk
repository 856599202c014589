# Tests of the technology mpi, under mpirun.
if HAVE_CHECK
JOB_RUNNERS += %D%/test_failures
JOB_TESTS += %D%/failures_3.sh
endif

tests_transport_mpi_test_failures_SOURCES = %D%/test_failures.c $(JOB_SOURCES)
tests_transport_mpi_test_failures_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_transport_mpi_test_failures_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_mpi_test_failures_LDADD = $(UNIT_LIBS)

EXTRA_DIST += %D%/failures_3.sh
