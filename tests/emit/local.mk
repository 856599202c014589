# Unit tests of src/emit.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_fold \
	%D%/test_links \
	%D%/test_recorder \
	%D%/test_scheduler
endif

tests_emit_test_fold_CPPFLAGS = $(UNIT_FLAGS)
tests_emit_test_fold_LDADD = $(UNIT_LIBS)
tests_emit_test_links_CPPFLAGS = $(UNIT_FLAGS)
tests_emit_test_links_LDADD = $(UNIT_LIBS)
tests_emit_test_recorder_CPPFLAGS = $(UNIT_FLAGS)
tests_emit_test_recorder_LDADD = $(UNIT_LIBS)
tests_emit_test_scheduler_CPPFLAGS = $(UNIT_FLAGS)
tests_emit_test_scheduler_LDADD = $(UNIT_LIBS)
