# Tests of the technology sci, with processes of their own and no launcher, and programs over it.
if SISCI_SOFTWARE
if HAVE_CHECK
SCI_TESTS = %D%/test_sci_layout %D%/test_sci_lossy %D%/test_sci_pair %D%/test_sci_states %D%/test_sci_word
UNIT_TESTS += $(SCI_TESTS)
THREADS_TESTS += $(SCI_TESTS)
endif
TESTS += %D%/multicast_sci.sh
LONG_TESTS += %D%/programs_sci.sh %D%/shared_memory.sh
OTHER_TESTS += %D%/multicast_sci.sh
endif
EXTRA_DIST += %D%/multicast_sci.sh %D%/programs_sci.sh %D%/shared_memory.sh

SCI_PAIR_SOURCES = %D%/pair.c %D%/pair.h
SCI_TEST_CPPFLAGS = $(UNIT_FLAGS) $(SISCI_CFLAGS)

tests_transport_sci_test_sci_layout_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_transport_sci_test_sci_layout_LDADD = $(UNIT_LIBS)
tests_transport_sci_test_sci_lossy_SOURCES = %D%/test_sci_lossy.c $(SCI_PAIR_SOURCES)
tests_transport_sci_test_sci_lossy_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_transport_sci_test_sci_lossy_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_sci_test_sci_pair_SOURCES = %D%/test_sci_pair.c $(SCI_PAIR_SOURCES)
tests_transport_sci_test_sci_pair_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_transport_sci_test_sci_pair_LDADD = $(UNIT_LIBS) -lpthread
tests_transport_sci_test_sci_pair_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sisci_shm_mt_SCICheckSequence \
	-Wl,--wrap=sisci_shm_mt_SCIStartSequence
tests_transport_sci_test_sci_states_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_transport_sci_test_sci_states_LDADD = $(UNIT_LIBS)
tests_transport_sci_test_sci_word_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_transport_sci_test_sci_word_LDADD = $(UNIT_LIBS)
