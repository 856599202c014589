# Unit tests of src/base.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_clock \
	%D%/test_coroutine \
	%D%/test_context \
	%D%/test_context_text \
	%D%/test_derive \
	%D%/test_formula \
	%D%/test_fragments \
	%D%/test_input \
	%D%/test_log \
	%D%/test_memory \
	%D%/test_nearest \
	%D%/test_options \
	%D%/test_output \
	%D%/test_random \
	%D%/test_status \
	%D%/test_tick \
	%D%/test_units
endif

tests_base_test_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_clock_LDADD = $(UNIT_LIBS)
tests_base_test_coroutine_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_coroutine_LDADD = $(UNIT_LIBS)
tests_base_test_context_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_context_LDADD = $(UNIT_LIBS)
tests_base_test_context_text_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_context_text_LDADD = $(UNIT_LIBS)
tests_base_test_derive_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_derive_LDADD = $(UNIT_LIBS)
tests_base_test_formula_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_formula_LDADD = $(UNIT_LIBS)
tests_base_test_fragments_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_fragments_LDADD = $(UNIT_LIBS)
tests_base_test_input_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_input_LDADD = $(UNIT_LIBS)
tests_base_test_log_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_log_LDADD = $(UNIT_LIBS)
tests_base_test_memory_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_memory_LDADD = $(UNIT_LIBS)
tests_base_test_nearest_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_nearest_LDADD = $(UNIT_LIBS)
tests_base_test_options_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_options_LDADD = $(UNIT_LIBS)
tests_base_test_output_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_output_LDADD = $(UNIT_LIBS)
tests_base_test_random_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_random_LDADD = $(UNIT_LIBS)
tests_base_test_status_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_status_LDADD = $(UNIT_LIBS)
tests_base_test_tick_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_tick_LDADD = $(UNIT_LIBS)
tests_base_test_units_CPPFLAGS = $(UNIT_FLAGS)
tests_base_test_units_LDADD = $(UNIT_LIBS)

EXTRA_DIST += %D%/technologies.h $(srcdir)/tests/base/golden/*
