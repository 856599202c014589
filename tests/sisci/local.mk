# Tests of libsisci-shm, by Check and with processes of their own; the tool; and the detection of
# Dolphin's library.
if HAVE_CHECK
SISCI_TESTS = \
	%D%/test_sisci_library \
	%D%/test_sisci_segment \
	%D%/test_sisci_connection
check_PROGRAMS += $(SISCI_TESTS)
TESTS += $(SISCI_TESTS)
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
