# Tests of the technology rma, under mpirun. The visibility of messages between hosts is that of any technology.
if HAVE_CHECK
JOB_RUNNERS += %D%/test_rma %D%/visibility
JOB_TESTS += %D%/rma_2.sh
LONG_TESTS += %D%/visibility.sh
OTHER_TESTS += %D%/visibility.sh
endif

tests_transport_rma_test_rma_SOURCES = %D%/test_rma.c $(JOB_SOURCES)
tests_transport_rma_test_rma_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_transport_rma_test_rma_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_rma_test_rma_LDADD = $(UNIT_LIBS)
tests_transport_rma_visibility_SOURCES = %D%/visibility.c $(JOB_SOURCES)
tests_transport_rma_visibility_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_rma_visibility_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_rma_visibility_LDADD = $(UNIT_LIBS)

EXTRA_DIST += %D%/rma_2.sh %D%/visibility.sh
