# Tests of libsisci-shm, by Check and with processes of their own; the tool; and the detection of
# Dolphin's library.
if HAVE_CHECK
SISCI_TESTS = \
	%D%/test_sisci_library \
	%D%/test_sisci_segment \
	%D%/test_sisci_connection \
	%D%/test_sisci_event \
	%D%/test_sisci_copy \
	%D%/test_sisci_interrupt \
	%D%/test_sisci_dma \
	%D%/test_sisci_multicast \
	%D%/test_sisci_registry \
	%D%/test_sisci_lossy \
	%D%/test_sisci_protocol \
	%D%/test_sisci_states \
	%D%/test_sisci_lines \
	%D%/test_sisci_handles \
	%D%/test_sisci_limits \
	%D%/test_sisci_peers \
	%D%/test_sisci_threads
UNIT_TESTS += $(SISCI_TESTS)
THREADS_TESTS += $(SISCI_TESTS)
endif

SISCI_TEST_FLAGS = -D_GNU_SOURCE -D_REENTRANT -I$(top_srcdir)/src -I$(top_srcdir)/src/sisci \
	-I$(top_srcdir) $(CHECK_CFLAGS)
SISCI_TEST_LIBS = libsisci-shm.a $(SISCI_SHM_LIBS) $(CHECK_LIBS)
SISCI_TEST_FIXTURE = %D%/fixture.c %D%/fixture.h

tests_sisci_test_sisci_library_SOURCES = %D%/test_sisci_library.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_library_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_library_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_segment_SOURCES = %D%/test_sisci_segment.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_segment_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_segment_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_connection_SOURCES = %D%/test_sisci_connection.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_connection_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_connection_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_event_SOURCES = %D%/test_sisci_event.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_event_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_event_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_copy_SOURCES = %D%/test_sisci_copy.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_copy_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_copy_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_interrupt_SOURCES = %D%/test_sisci_interrupt.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_interrupt_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_interrupt_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_interrupt_LDFLAGS = -Wl,--wrap=sisci_interrupt_trigger
tests_sisci_test_sisci_dma_SOURCES = %D%/test_sisci_dma.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_dma_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_dma_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_multicast_SOURCES = %D%/test_sisci_multicast.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_multicast_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_multicast_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_registry_SOURCES = %D%/test_sisci_registry.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_registry_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_registry_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_lossy_SOURCES = %D%/test_sisci_lossy.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_lossy_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_lossy_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_protocol_SOURCES = %D%/test_sisci_protocol.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_protocol_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_protocol_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_states_SOURCES = %D%/test_sisci_states.c %D%/states.c %D%/states.h $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_states_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_states_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_lines_SOURCES = %D%/test_sisci_lines.c %D%/states.c %D%/states.h $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_lines_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_lines_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_handles_SOURCES = %D%/test_sisci_handles.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_handles_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_handles_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_limits_SOURCES = %D%/test_sisci_limits.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_limits_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_limits_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_peers_SOURCES = %D%/test_sisci_peers.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_peers_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_peers_LDADD = $(SISCI_TEST_LIBS)
tests_sisci_test_sisci_threads_SOURCES = %D%/test_sisci_threads.c $(SISCI_TEST_FIXTURE)
tests_sisci_test_sisci_threads_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_test_sisci_threads_LDADD = $(SISCI_TEST_LIBS)

# Programs that take no test library, and the scripts that start them.
check_PROGRAMS += %D%/leave_objects
tests_sisci_leave_objects_SOURCES = %D%/leave_objects.c
tests_sisci_leave_objects_CPPFLAGS = $(SISCI_TEST_FLAGS)
tests_sisci_leave_objects_LDADD = libsisci-shm.a $(SISCI_SHM_LIBS)
TESTS += %D%/sisci_clean.sh %D%/sisci_installed.sh
LONG_TESTS += %D%/sisci_detection.sh

EXTRA_DIST += \
	%D%/sisci_clean.sh %D%/sisci_detection.sh %D%/sisci_installed.sh %D%/both_sisci.c %D%/use_sisci.c %D%/use_technology.c %D%/mock_dis/sisci.c \
	%D%/mock_dis/sisci_api.h %D%/mock_dis/sisci_error.h %D%/mock_dis/sisci_types.h
