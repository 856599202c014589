# Tests of the transport. The conformance test holds every technology to its contract under mpirun, with the
# number of ranks in the script's name. Tests of one technology are in its folder.
if HAVE_CHECK
UNIT_TESTS += %D%/test_pool %D%/test_stubs
JOB_RUNNERS += %D%/conformance %D%/conformance_threaded %D%/conformance_waiting
JOB_TESTS += \
	%D%/conformance_2.sh \
	%D%/conformance_3.sh \
	%D%/threaded_3.sh \
	%D%/waiting_2.sh
LONG_TESTS += %D%/conformance_5.sh %D%/conformance_17.sh
OTHER_TESTS += %D%/conformance_5.sh
SMALL_TESTS += %D%/conformance_2.sh
if SISCI_SOFTWARE
TESTS += %D%/conformance_lossy_2.sh
endif
endif

tests_transport_conformance_SOURCES = \
	%D%/conformance.c %D%/conformance.h %D%/conformance_changes.c %D%/conformance_factory.c \
	%D%/conformance_groups.c %D%/conformance_multicast.c %D%/conformance_nodes.c \
	%D%/conformance_pool.c %D%/conformance_threads.c %D%/conformance_waiting.c $(JOB_SOURCES)
tests_transport_conformance_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_conformance_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_conformance_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_conformance_threaded_SOURCES = $(tests_transport_conformance_SOURCES) %D%/technologies_threaded.c
tests_transport_conformance_threaded_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_transport_conformance_threaded_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_conformance_threaded_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_conformance_waiting_SOURCES = $(tests_transport_conformance_SOURCES) %D%/technologies_waiting.c
tests_transport_conformance_waiting_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_transport_conformance_waiting_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_conformance_waiting_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_test_pool_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_test_pool_LDADD = $(UNIT_LIBS)
tests_transport_test_stubs_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_test_stubs_LDADD = $(UNIT_LIBS)

EXTRA_DIST += \
	%D%/conformance_2.sh %D%/conformance_3.sh %D%/conformance_5.sh %D%/conformance_17.sh \
	%D%/conformance_lossy_2.sh %D%/threaded_3.sh %D%/waiting_2.sh

include tests/transport/null/local.mk
include tests/transport/mpi/local.mk
include tests/transport/ofi/local.mk
include tests/transport/remote/local.mk
include tests/transport/rma/local.mk
include tests/transport/sci/local.mk
include tests/transport/socket/local.mk
include tests/transport/tcp/local.mk
include tests/transport/ucx/local.mk
include tests/transport/udp/local.mk
