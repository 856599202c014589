# Tests of the technology sci, with processes of their own and no launcher.
if HAVE_CHECK
if SISCI_SOFTWARE
SCI_TESTS = %D%/test_sci_layout %D%/test_sci_lossy %D%/test_sci_pair %D%/test_sci_word
check_PROGRAMS += $(SCI_TESTS)
TESTS += $(SCI_TESTS)
endif
endif
if SISCI_SOFTWARE
TESTS += %D%/multicast_sci.sh %D%/programs_sci.sh %D%/shared_memory.sh
endif
EXTRA_DIST += %D%/multicast_sci.sh %D%/programs_sci.sh %D%/shared_memory.sh

SCI_PAIR_SOURCES = %D%/pair.c %D%/pair.h
SCI_TEST_CPPFLAGS = $(UNIT_FLAGS) $(SISCI_CFLAGS)

tests_sci_test_sci_layout_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_sci_test_sci_layout_LDADD = $(UNIT_LIBS)
tests_sci_test_sci_lossy_SOURCES = %D%/test_sci_lossy.c $(SCI_PAIR_SOURCES)
tests_sci_test_sci_lossy_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_sci_test_sci_lossy_LDADD = $(UNIT_LIBS) -lpthread
tests_sci_test_sci_pair_SOURCES = %D%/test_sci_pair.c $(SCI_PAIR_SOURCES)
tests_sci_test_sci_pair_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_sci_test_sci_pair_LDADD = $(UNIT_LIBS) -lpthread
tests_sci_test_sci_pair_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sisci_shm_mt_SCICheckSequence \
	-Wl,--wrap=sisci_shm_mt_SCIStartSequence
tests_sci_test_sci_word_CPPFLAGS = $(SCI_TEST_CPPFLAGS)
tests_sci_test_sci_word_LDADD = $(UNIT_LIBS)
