# Unit tests of src/timeline.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_timeline \
	%D%/test_timeline_trace
endif

tests_timeline_test_timeline_CPPFLAGS = $(UNIT_FLAGS)
tests_timeline_test_timeline_LDADD = $(UNIT_LIBS)
tests_timeline_test_timeline_trace_CPPFLAGS = $(UNIT_FLAGS)
tests_timeline_test_timeline_trace_LDADD = $(UNIT_LIBS)
