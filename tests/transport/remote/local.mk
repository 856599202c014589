# Tests of the protocol over remote memory and messages: over a driver of their own, whose processes are threads; and
# over the drivers of the technologies, with delays.
if HAVE_CHECK
UNIT_TESTS += %D%/test_killed %D%/test_remote
THREADS_TESTS += %D%/test_remote
JOB_RUNNERS += %D%/conformance_shaken
JOB_TESTS += %D%/shaken_2.sh
endif

tests_transport_remote_test_killed_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_remote_test_killed_LDADD = $(UNIT_LIBS)
tests_transport_remote_test_remote_SOURCES = %D%/test_remote.c %D%/loop.c %D%/loop.h
tests_transport_remote_test_remote_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_remote_test_remote_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_remote_conformance_shaken_SOURCES = $(tests_transport_conformance_SOURCES) %D%/technologies_shaken.c
tests_transport_remote_conformance_shaken_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_transport_remote_conformance_shaken_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_transport_remote_conformance_shaken_LDADD = $(UNIT_LIBS) -lpthread

EXTRA_DIST += %D%/shaken_2.sh
