# Unit tests of src/rate.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_arrivals \
	%D%/test_load \
	%D%/test_schedule \
	%D%/test_search
endif

tests_rate_test_arrivals_CPPFLAGS = $(UNIT_FLAGS)
tests_rate_test_arrivals_LDADD = $(UNIT_LIBS)
tests_rate_test_load_CPPFLAGS = $(UNIT_FLAGS)
tests_rate_test_load_LDADD = $(UNIT_LIBS)
tests_rate_test_schedule_CPPFLAGS = $(UNIT_FLAGS)
tests_rate_test_schedule_LDADD = $(UNIT_LIBS)
tests_rate_test_search_CPPFLAGS = $(UNIT_FLAGS)
tests_rate_test_search_LDADD = $(UNIT_LIBS)
