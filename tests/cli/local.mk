# Tests of the programs as users start them: results, bad input, faults.
CLI_TESTS = \
	%D%/agreement.sh \
	%D%/bad_input.sh \
	%D%/configuration.sh \
	%D%/emit_trace.sh \
	%D%/farm_faults.sh \
	%D%/farm_input.sh \
	%D%/farm_small.sh \
	%D%/farm_verification.sh \
	%D%/farms.sh \
	%D%/faults.sh \
	%D%/forms.sh \
	%D%/model.sh \
	%D%/model_calibrate.sh \
	%D%/model_convert.sh \
	%D%/model_knee.sh \
	%D%/model_progress.py \
	%D%/model_timeline.sh \
	%D%/occupation.sh \
	%D%/options.sh \
	%D%/oversubscription.sh \
	%D%/parkbench.sh \
	%D%/sockets.sh \
	%D%/timeline.sh \
	%D%/validator.sh \
	%D%/verification.sh
TESTS += $(CLI_TESTS)

# Benchmarks over technologies with a defect, or with less than mpi has.
check_PROGRAMS += %D%/faulty_oneway %D%/faulty_multicast %D%/faulty_funnel
FAULTY_SOURCES = %D%/technologies_faulty.c %D%/defects.c %D%/defects.h
tests_cli_faulty_oneway_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_faulty_oneway_SOURCES = benchmarks/cb_oneway.c $(FAULTY_SOURCES)
tests_cli_faulty_multicast_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_faulty_multicast_SOURCES = benchmarks/cb_multicast.c $(FAULTY_SOURCES)
tests_cli_faulty_funnel_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_faulty_funnel_SOURCES = benchmarks/cb_funnel.c $(FAULTY_SOURCES)

# Parkbench on a clock with a defect.
check_PROGRAMS += %D%/faulty_clock
tests_cli_faulty_clock_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_faulty_clock_SOURCES = benchmarks/cb_comms1.c %D%/clock_faulty.c
tests_cli_faulty_clock_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime

check_PROGRAMS += %D%/lossy_pushfarm %D%/lossy_pullfarm %D%/lossy_pipeline
LOSSY_SOURCES = %D%/technologies_lossy.c %D%/defects.c %D%/defects.h
tests_cli_lossy_pushfarm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_lossy_pushfarm_SOURCES = benchmarks/cb_pushfarm.c $(LOSSY_SOURCES)
tests_cli_lossy_pullfarm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_lossy_pullfarm_SOURCES = benchmarks/cb_pullfarm.c $(LOSSY_SOURCES)
tests_cli_lossy_pipeline_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_lossy_pipeline_SOURCES = benchmarks/cb_pipeline.c $(LOSSY_SOURCES)

# Benchmarks whose ranks perform one measurement and count what they send, for a comparison with its
# trace.
check_PROGRAMS += \
	%D%/counting_oneway %D%/counting_twoway %D%/counting_alltoall %D%/counting_pairs \
	%D%/counting_outfarm %D%/counting_multicast %D%/counting_funnel %D%/counting_pushfarm \
	%D%/counting_pullfarm %D%/counting_pipeline %D%/counting_calibrate \
	%D%/counting_comms1 %D%/counting_comms2 %D%/counting_comms3
COUNTING_SOURCES = %D%/counting_main.c %D%/technologies_counting.c %D%/technologies_counting.h
tests_cli_counting_oneway_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_oneway_SOURCES = benchmarks/cb_oneway.c $(COUNTING_SOURCES)
tests_cli_counting_twoway_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_twoway_SOURCES = benchmarks/cb_twoway.c $(COUNTING_SOURCES)
tests_cli_counting_alltoall_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_alltoall_SOURCES = benchmarks/cb_alltoall.c $(COUNTING_SOURCES)
tests_cli_counting_pairs_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_pairs_SOURCES = benchmarks/cb_pairs.c $(COUNTING_SOURCES)
tests_cli_counting_outfarm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_outfarm_SOURCES = benchmarks/cb_outfarm.c $(COUNTING_SOURCES)
tests_cli_counting_multicast_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_multicast_SOURCES = benchmarks/cb_multicast.c $(COUNTING_SOURCES)
tests_cli_counting_funnel_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_funnel_SOURCES = benchmarks/cb_funnel.c $(COUNTING_SOURCES)
tests_cli_counting_pushfarm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_pushfarm_SOURCES = benchmarks/cb_pushfarm.c $(COUNTING_SOURCES)
tests_cli_counting_pullfarm_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_pullfarm_SOURCES = benchmarks/cb_pullfarm.c $(COUNTING_SOURCES)
tests_cli_counting_pipeline_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_pipeline_SOURCES = benchmarks/cb_pipeline.c $(COUNTING_SOURCES)
tests_cli_counting_calibrate_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_calibrate_SOURCES = benchmarks/cb_calibrate.c $(COUNTING_SOURCES)
tests_cli_counting_comms1_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_comms1_SOURCES = benchmarks/cb_comms1.c $(COUNTING_SOURCES)
tests_cli_counting_comms2_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_comms2_SOURCES = benchmarks/cb_comms2.c $(COUNTING_SOURCES)
tests_cli_counting_comms3_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_cli_counting_comms3_SOURCES = benchmarks/cb_comms3.c $(COUNTING_SOURCES)

EXTRA_DIST += $(CLI_TESTS) \
	%D%/check_model_timeline.py \
	%D%/check_parkbench.py \
	%D%/compare_forms.py \
	%D%/compare_sent.py \
	%D%/farm_rows.json \
	%D%/lib.sh \
	%D%/test_validate.py \
	%D%/test_validate_trace.py \
	%D%/validate.py \
	%D%/validate_trace.py

# A test that fails leaves its folder.
clean-local: clean-cli
clean-cli:
	-rm -rf %D%/work-*
.PHONY: clean-cli
