# Tests of the programs as users start them: results, bad input, faults.
CLI_TESTS = \
	%D%/agreement.sh \
	%D%/arrivals.sh \
	%D%/bad_input.sh \
	%D%/bare.sh \
	%D%/byte_order_marks.sh \
	%D%/collective.sh \
	%D%/configuration.sh \
	%D%/cpu.sh \
	%D%/emit_trace.sh \
	%D%/emitted.py \
	%D%/evb.sh \
	%D%/farm_faults.sh \
	%D%/farm_input.sh \
	%D%/farm_small.sh \
	%D%/farm_technologies.sh \
	%D%/farm_verification.sh \
	%D%/faults.sh \
	%D%/fills.sh \
	%D%/forger.sh \
	%D%/forms.sh \
	%D%/hints.sh \
	%D%/host_names.sh \
	%D%/linkmap.sh \
	%D%/losses.sh \
	%D%/fragments.sh \
	%D%/model.sh \
	%D%/model_calibrate.sh \
	%D%/model_convert.sh \
	%D%/model_generate.py \
	%D%/model_knee.sh \
	%D%/model_progress.py \
	%D%/model_timeline.sh \
	%D%/occupation.sh \
	%D%/options.sh \
	%D%/outputs.sh \
	%D%/standard_output.sh \
	%D%/parkbench.sh \
	%D%/record.sh \
	%D%/sockets.sh \
	%D%/technologies.sh \
	%D%/threads.sh \
	%D%/timeline.sh \
	%D%/validator.sh \
	%D%/verification.sh \
	%D%/world.sh
CLI_LONG_TESTS = %D%/farms.sh %D%/oversubscription.sh
TESTS += $(CLI_TESTS)
LONG_TESTS += $(CLI_LONG_TESTS)
SMALL_TESTS += %D%/farm_small.sh %D%/model.sh %D%/world.sh
THREADS_SH_TESTS += %D%/technologies.sh
OTHER_TESTS += \
	%D%/agreement.sh %D%/bad_input.sh %D%/farm_faults.sh %D%/farm_small.sh %D%/faults.sh \
	%D%/occupation.sh %D%/oversubscription.sh %D%/sockets.sh %D%/farm_technologies.sh %D%/threads.sh %D%/verification.sh

# Any benchmark by its name over technologies with a defect or with less than mpi has, over one that
# loses messages, with a collective call of MPI that fails in one rank alone, and a program whose ranks
# perform one measurement and count what they send.
check_PROGRAMS += %D%/faulty %D%/lossy %D%/counting %D%/alone
BY_NAME_FLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -include tests/cli/by_name.h '-DBENCHMARK=*by_name(&argc, &argv)' '-DPLAN=by_name_plan(definition)'
tests_cli_faulty_CPPFLAGS = $(BY_NAME_FLAGS)
tests_cli_faulty_SOURCES = benchmarks/main.c %D%/by_name.c %D%/by_name.h %D%/technologies_faulty.c %D%/defects.c %D%/defects.h
tests_cli_faulty_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=verification_timeout_ns
tests_cli_lossy_CPPFLAGS = $(BY_NAME_FLAGS)
tests_cli_lossy_SOURCES = benchmarks/main.c %D%/by_name.c %D%/by_name.h %D%/technologies_lossy.c %D%/defects.c %D%/defects.h
tests_cli_alone_CPPFLAGS = $(BY_NAME_FLAGS) $(MPI_CFLAGS)
tests_cli_alone_SOURCES = benchmarks/main.c %D%/by_name.c %D%/by_name.h %D%/collective_faulty.c
tests_cli_counting_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_SOURCES = %D%/by_name.c %D%/by_name.h %D%/counting_main.c %D%/technologies_counting.c %D%/technologies_counting.h

# Any benchmark that counts how often its buffers are filled.
check_PROGRAMS += %D%/filling
tests_cli_filling_CPPFLAGS = $(BY_NAME_FLAGS)
tests_cli_filling_SOURCES = benchmarks/main.c %D%/by_name.c %D%/by_name.h %D%/filling.c
tests_cli_filling_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=block_run -Wl,--wrap=block_run_stepwise \
	-Wl,--wrap=traffic_fill -Wl,--wrap=cb_allocate_aligned -Wl,--wrap=transport_pool_grow

# Parkbench on a clock with a defect.
check_PROGRAMS += %D%/faulty_clock
tests_cli_faulty_clock_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -DBENCHMARK=cb_comms1
tests_cli_faulty_clock_SOURCES = benchmarks/main.c %D%/clock_faulty.c
tests_cli_faulty_clock_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime

EXTRA_DIST += $(CLI_TESTS) $(CLI_LONG_TESTS) \
	%D%/benchmarks.py \
	%D%/check_model_timeline.py \
	%D%/check_parkbench.py \
	%D%/compare_forms.py \
	%D%/compare_sent.py \
	%D%/trace_text.py \
	%D%/farm_rows.json \
	%D%/forge.py \
	%D%/lib.sh \
	%D%/test_validate.py \
	%D%/test_validate_trace.py \
	%D%/validate.py \
	%D%/validate_trace.py \
	$(srcdir)/tests/cli/golden/*/*

# A test that fails leaves its folder.
clean-local: clean-cli
clean-cli:
	-rm -rf %D%/work-*
.PHONY: clean-cli
