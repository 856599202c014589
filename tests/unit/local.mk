# Unit tests of the pure modules, by Check. One program for each module.
if HAVE_CHECK
UNIT_TESTS = \
	%D%/test_bounce \
	%D%/test_builder \
	%D%/test_checker \
	%D%/test_clock \
	%D%/test_context \
	%D%/test_context_text \
	%D%/test_scheduler \
	%D%/test_derive \
	%D%/test_environment \
	%D%/test_farm_figures \
	%D%/test_farm_loops \
	%D%/test_figures \
	%D%/test_fit \
	%D%/test_histogram \
	%D%/test_input \
	%D%/test_ledger \
	%D%/test_load \
	%D%/test_log \
	%D%/test_memory \
	%D%/test_nearest \
	%D%/test_noise \
	%D%/test_occupation \
	%D%/test_options \
	%D%/test_parkbench \
	%D%/test_plan \
	%D%/test_plan_shapes \
	%D%/test_random \
	%D%/test_recorder \
	%D%/test_report \
	%D%/test_report_file \
	%D%/test_report_parkbench \
	%D%/test_report_stream \
	%D%/test_schedule \
	%D%/test_shape \
	%D%/test_solo \
	%D%/test_stats \
	%D%/test_status \
	%D%/test_svg \
	%D%/test_task \
	%D%/test_tick \
	%D%/test_timeline \
	%D%/test_timeline_trace \
	%D%/test_topology \
	%D%/test_trace \
	%D%/test_traffic \
	%D%/test_units \
	%D%/test_work
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

UNIT_FLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(CHECK_CFLAGS)
UNIT_LIBS = $(BENCHMARK_LIBS) $(CHECK_LIBS)

tests_unit_test_bounce_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_bounce_LDADD = $(UNIT_LIBS)
tests_unit_test_builder_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_builder_LDADD = $(UNIT_LIBS)
tests_unit_test_checker_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_checker_LDADD = $(UNIT_LIBS)
tests_unit_test_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_clock_LDADD = $(UNIT_LIBS)
tests_unit_test_context_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_context_LDADD = $(UNIT_LIBS)
tests_unit_test_context_text_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_context_text_LDADD = $(UNIT_LIBS)
tests_unit_test_scheduler_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_scheduler_LDADD = $(UNIT_LIBS)
tests_unit_test_derive_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_derive_LDADD = $(UNIT_LIBS)
tests_unit_test_environment_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_environment_LDADD = $(UNIT_LIBS)
tests_unit_test_farm_figures_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_farm_figures_LDADD = $(UNIT_LIBS)
tests_unit_test_farm_loops_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_farm_loops_LDADD = $(UNIT_LIBS)
tests_unit_test_figures_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_figures_LDADD = $(UNIT_LIBS)
tests_unit_test_fit_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_fit_LDADD = $(UNIT_LIBS)
tests_unit_test_histogram_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_histogram_LDADD = $(UNIT_LIBS)
tests_unit_test_input_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_input_LDADD = $(UNIT_LIBS)
tests_unit_test_ledger_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_ledger_LDADD = $(UNIT_LIBS)
tests_unit_test_load_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_load_LDADD = $(UNIT_LIBS)
tests_unit_test_log_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_log_LDADD = $(UNIT_LIBS)
tests_unit_test_memory_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_memory_LDADD = $(UNIT_LIBS)
tests_unit_test_nearest_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_nearest_LDADD = $(UNIT_LIBS)
tests_unit_test_noise_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_noise_LDADD = $(UNIT_LIBS)
tests_unit_test_occupation_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_occupation_LDADD = $(UNIT_LIBS)
tests_unit_test_options_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_options_LDADD = $(UNIT_LIBS)
tests_unit_test_parkbench_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_parkbench_LDADD = $(UNIT_LIBS)
tests_unit_test_plan_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_plan_LDADD = $(UNIT_LIBS)
tests_unit_test_plan_shapes_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_plan_shapes_LDADD = $(UNIT_LIBS)
tests_unit_test_random_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_random_LDADD = $(UNIT_LIBS)
tests_unit_test_recorder_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_recorder_LDADD = $(UNIT_LIBS)
tests_unit_test_report_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_LDADD = $(UNIT_LIBS)
tests_unit_test_report_file_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_file_LDADD = $(UNIT_LIBS)
tests_unit_test_report_parkbench_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_parkbench_LDADD = $(UNIT_LIBS)
tests_unit_test_report_stream_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_report_stream_LDADD = $(UNIT_LIBS)
tests_unit_test_schedule_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_schedule_LDADD = $(UNIT_LIBS)
tests_unit_test_shape_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_shape_LDADD = $(UNIT_LIBS)
tests_unit_test_solo_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_solo_LDADD = $(UNIT_LIBS)
tests_unit_test_stats_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_stats_LDADD = $(UNIT_LIBS)
tests_unit_test_status_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_status_LDADD = $(UNIT_LIBS)
tests_unit_test_svg_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_task_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_task_LDADD = $(UNIT_LIBS)
tests_unit_test_tick_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_tick_LDADD = $(UNIT_LIBS)
tests_unit_test_timeline_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_timeline_LDADD = $(UNIT_LIBS)
tests_unit_test_timeline_trace_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_timeline_trace_LDADD = $(UNIT_LIBS)
tests_unit_test_topology_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_topology_LDADD = $(UNIT_LIBS)
tests_unit_test_trace_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_trace_LDADD = $(UNIT_LIBS)
tests_unit_test_traffic_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_traffic_LDADD = $(UNIT_LIBS)
tests_unit_test_units_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_units_LDADD = $(UNIT_LIBS)
tests_unit_test_work_CPPFLAGS = $(UNIT_FLAGS)
tests_unit_test_work_LDADD = $(UNIT_LIBS)

tests_unit_test_svg_LDADD = $(CCMOD_LIBS) $(CHECK_LIBS)

# Programs of several files.
tests_unit_test_plan_SOURCES = \
	%D%/test_plan.c %D%/plans.h %D%/plan_counts.c %D%/plan_farms.c %D%/plan_options.c \
	%D%/plan_participants.c %D%/plan_sizes.c %D%/plan_variants.c
tests_unit_test_report_SOURCES = \
	%D%/test_report.c %D%/report.h %D%/report_farms.c %D%/report_golden.c %D%/report_lines.c \
	%D%/report_rows.c %D%/report_values.c

# A technology of queues, for tests of what stands above the transport.
LOOP_SOURCES = %D%/loop.c %D%/loop.h

tests_unit_test_farm_loops_SOURCES = %D%/test_farm_loops.c $(LOOP_SOURCES)
tests_unit_test_bounce_SOURCES = %D%/test_bounce.c $(LOOP_SOURCES)
tests_unit_test_traffic_SOURCES = %D%/test_traffic.c $(LOOP_SOURCES)

# The control plane of a process alone takes the place of the archive's over MPI.
tests_unit_test_solo_SOURCES = %D%/test_solo.c %D%/control_solo.c

EXTRA_DIST += %D%/lists.h %D%/messages.h %D%/own_options.h %D%/technologies.h %D%/unit.h $(srcdir)/tests/unit/golden/*
