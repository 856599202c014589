# Tests of the technology null.
if HAVE_CHECK
UNIT_TESTS += %D%/test_null
endif

tests_transport_null_test_null_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_null_test_null_LDADD = $(UNIT_LIBS)
