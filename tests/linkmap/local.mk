# Unit tests of src/linkmap.
if HAVE_CHECK
UNIT_TESTS += %D%/test_rounds %D%/test_faults %D%/test_places
endif

tests_linkmap_test_rounds_CPPFLAGS = $(UNIT_FLAGS)
tests_linkmap_test_rounds_LDADD = $(UNIT_LIBS)
tests_linkmap_test_faults_CPPFLAGS = $(UNIT_FLAGS)
tests_linkmap_test_faults_LDADD = $(UNIT_LIBS)
tests_linkmap_test_places_CPPFLAGS = $(UNIT_FLAGS)
tests_linkmap_test_places_LDADD = $(UNIT_LIBS)
