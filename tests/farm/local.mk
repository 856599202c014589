# Unit tests of src/farm.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_accept \
	%D%/test_builder \
	%D%/test_farm_figures \
	%D%/test_fetch \
	%D%/test_farm_loops \
	%D%/test_ledger \
	%D%/test_plan_shapes
endif

tests_farm_test_accept_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_accept_LDADD = $(UNIT_LIBS)
tests_farm_test_builder_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_builder_LDADD = $(UNIT_LIBS)
tests_farm_test_farm_figures_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_farm_figures_LDADD = $(UNIT_LIBS)
tests_farm_test_farm_loops_SOURCES = %D%/test_farm_loops.c $(LOOP_SOURCES)
tests_farm_test_farm_loops_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_farm_loops_LDADD = $(UNIT_LIBS)
tests_farm_test_fetch_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_fetch_LDADD = $(UNIT_LIBS)
tests_farm_test_ledger_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_ledger_LDADD = $(UNIT_LIBS)
tests_farm_test_plan_shapes_CPPFLAGS = $(UNIT_FLAGS)
tests_farm_test_plan_shapes_LDADD = $(UNIT_LIBS)
