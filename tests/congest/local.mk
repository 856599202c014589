# Tests of src/congest.
TESTS += %D%/congest.sh
OTHER_TESTS += %D%/congest.sh
EXTRA_DIST += %D%/congest.sh
if HAVE_CHECK
UNIT_TESTS += %D%/test_congest
endif

tests_congest_test_congest_CPPFLAGS = $(UNIT_FLAGS)
tests_congest_test_congest_LDADD = $(UNIT_LIBS)
