# Fuzz targets with a driver of their own, so that every run of the tests fuzzes for a moment. With
# clang -fsanitize=fuzzer a target links without the driver and fuzzes by coverage.
check_PROGRAMS += %D%/fuzz_arrivals %D%/fuzz_calibration %D%/fuzz_commands %D%/fuzz_context %D%/fuzz_convert %D%/fuzz_counters %D%/fuzz_loads \
	%D%/fuzz_matrix %D%/fuzz_network %D%/fuzz_options %D%/fuzz_topology %D%/fuzz_trace \
	%D%/fuzz_values %D%/fuzz_wire
TESTS += %D%/bundles.py %D%/fuzz_arrivals.sh %D%/fuzz_calibration.sh %D%/fuzz_commands.sh %D%/fuzz_context.sh %D%/fuzz_convert.sh %D%/fuzz_counters.sh %D%/fuzz_loads.sh \
	%D%/fuzz_matrix.sh %D%/fuzz_network.sh %D%/fuzz_options.sh %D%/fuzz_topology.sh %D%/fuzz_trace.sh \
	%D%/fuzz_values.sh %D%/fuzz_wire.sh
SMALL_TESTS += %D%/fuzz_arrivals.sh %D%/fuzz_commands.sh %D%/fuzz_context.sh %D%/fuzz_loads.sh %D%/fuzz_options.sh %D%/fuzz_topology.sh \
	%D%/fuzz_trace.sh %D%/fuzz_wire.sh

tests_fuzz_fuzz_arrivals_SOURCES = %D%/fuzz_arrivals.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_arrivals_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_commands_SOURCES = %D%/fuzz_commands.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_commands_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_commands_LDADD = $(BENCHMARK_LIBS)
tests_fuzz_fuzz_context_SOURCES = %D%/fuzz_context.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_context_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_loads_SOURCES = %D%/fuzz_loads.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_loads_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_options_SOURCES = %D%/fuzz_options.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_options_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)

tests_fuzz_fuzz_counters_SOURCES = %D%/fuzz_counters.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_counters_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_counters_LDADD = $(COMBENCH_LIBS)

tests_fuzz_fuzz_wire_SOURCES = %D%/fuzz_wire.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_wire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_wire_LDADD = $(COMBENCH_LIBS)

tests_fuzz_fuzz_trace_SOURCES = %D%/fuzz_trace.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_trace_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_trace_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_topology_SOURCES = %D%/fuzz_topology.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_topology_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_topology_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_calibration_SOURCES = %D%/fuzz_calibration.c %D%/fuzz.h %D%/standalone.c \
	tools/ccmod/measurements_columns.c tools/ccmod/measurements_columns.h
tests_fuzz_fuzz_calibration_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_calibration_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_convert_SOURCES = %D%/fuzz_convert.c %D%/fuzz.h %D%/standalone.c \
	tools/ccmod/convert_cct.c tools/ccmod/convert_forms.h tools/ccmod/convert_goal.c \
	tools/ccmod/convert_goal_order.c tools/ccmod/convert_goal_order.h \
	tools/ccmod/convert_program.c tools/ccmod/convert_program.h tools/ccmod/convert_ti.c
tests_fuzz_fuzz_convert_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_convert_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_matrix_SOURCES = %D%/fuzz_matrix.c %D%/fuzz.h %D%/standalone.c \
	tools/ccmod/convert_program.c tools/ccmod/convert_program.h tools/ccmod/matrix.c tools/ccmod/matrix.h
tests_fuzz_fuzz_matrix_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_matrix_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_network_SOURCES = %D%/fuzz_network.c %D%/fuzz.h %D%/standalone.c
tests_fuzz_fuzz_network_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_network_LDADD = $(CCMOD_LIBS)

tests_fuzz_fuzz_values_SOURCES = %D%/fuzz_values.c %D%/fuzz.h %D%/standalone.c \
	tools/ccmod/values.c tools/ccmod/values.h
tests_fuzz_fuzz_values_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_fuzz_fuzz_values_LDADD = $(CCMOD_LIBS)

# The driver in processes of its own: mutated runs, signals, scarce resources.
TESTS += %D%/driver.py

EXTRA_DIST += %D%/bundles.py %D%/driver.py %D%/campaign.sh %D%/fuzz_arrivals.sh %D%/fuzz_calibration.sh %D%/fuzz_commands.sh %D%/fuzz_context.sh %D%/fuzz_convert.sh %D%/fuzz_counters.sh %D%/fuzz_loads.sh \
	%D%/fuzz_matrix.sh %D%/fuzz_network.sh %D%/fuzz_options.sh %D%/fuzz_topology.sh %D%/fuzz_trace.sh %D%/fuzz_values.sh \
	%D%/fuzz_wire.sh \
	$(srcdir)/tests/fuzz/corpus/*/*
