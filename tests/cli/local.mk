# Tests of the programs as users start them: results, bad input, faults.
TESTS += \
	%D%/agreement.sh %D%/bad_input.sh %D%/configuration.sh %D%/farm_faults.sh %D%/farm_input.sh \
	%D%/farm_small.sh %D%/farm_verification.sh %D%/farms.sh %D%/faults.sh %D%/forms.sh \
	%D%/model.sh %D%/model_calibrate.sh %D%/model_knee.sh %D%/model_timeline.sh %D%/occupation.sh %D%/options.sh %D%/oversubscription.sh %D%/parkbench.sh %D%/timeline.sh \
	%D%/validator.sh %D%/verification.sh

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

EXTRA_DIST += \
	%D%/farm_faults.sh %D%/farm_input.sh %D%/farm_rows.json %D%/farm_small.sh \
	%D%/farm_verification.sh %D%/farms.sh \
	%D%/agreement.sh %D%/bad_input.sh %D%/check_parkbench.py %D%/configuration.sh %D%/faults.sh %D%/compare_forms.py %D%/forms.sh %D%/lib.sh \
	%D%/check_model_timeline.py %D%/model_calibrate.sh %D%/model_knee.sh %D%/model_timeline.sh \
	%D%/model.sh %D%/occupation.sh %D%/options.sh %D%/oversubscription.sh %D%/parkbench.sh %D%/test_validate.py \
	%D%/test_validate_trace.py %D%/timeline.sh %D%/validate.py %D%/validate_trace.py \
	%D%/validator.sh %D%/verification.sh

# A test that fails leaves its folder.
clean-local: clean-cli
clean-cli:
	-rm -rf %D%/work-*
.PHONY: clean-cli
