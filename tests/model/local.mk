# Tests of the communication model; they link its library alone.
if HAVE_CHECK
MODEL_TESTS = %D%/test_reference
check_PROGRAMS += $(MODEL_TESTS)
TESTS += $(MODEL_TESTS)
endif

MODEL_HELPERS = \
	%D%/networks.c %D%/networks.h %D%/records.c %D%/records.h %D%/reference.c %D%/reference.h
MODEL_LIBS = $(CCMOD_LIBS) $(CHECK_LIBS)

tests_model_test_reference_SOURCES = %D%/test_reference.c $(MODEL_HELPERS)
tests_model_test_reference_CPPFLAGS = $(UNIT_FLAGS)
tests_model_test_reference_LDADD = $(MODEL_LIBS)
