# Unit tests of src/evb.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_evb_options
endif

tests_evb_test_evb_options_CPPFLAGS = $(UNIT_FLAGS)
tests_evb_test_evb_options_LDADD = $(UNIT_LIBS)
