# Tests of the programs as users start them: results, bad input, faults.
TESTS += \
	%D%/agreement.sh %D%/bad_input.sh %D%/configuration.sh %D%/faults.sh %D%/forms.sh %D%/model.sh \
	%D%/model_knee.sh %D%/model_timeline.sh \
	%D%/occupation.sh %D%/options.sh %D%/oversubscription.sh %D%/timeline.sh %D%/validator.sh \
	%D%/verification.sh

# Benchmarks over technologies with a defect, or with less than mpi has.
check_PROGRAMS += %D%/faulty_oneway %D%/faulty_multicast %D%/faulty_funnel
tests_cli_faulty_oneway_SOURCES = benchmarks/cb_oneway.c %D%/technologies_faulty.c
tests_cli_faulty_multicast_SOURCES = benchmarks/cb_multicast.c %D%/technologies_faulty.c
tests_cli_faulty_funnel_SOURCES = benchmarks/cb_funnel.c %D%/technologies_faulty.c

EXTRA_DIST += \
	%D%/agreement.sh %D%/bad_input.sh %D%/configuration.sh %D%/faults.sh %D%/compare_forms.py %D%/forms.sh %D%/lib.sh \
	%D%/check_model_timeline.py %D%/model_knee.sh %D%/model_timeline.sh \
	%D%/model.sh %D%/occupation.sh %D%/options.sh %D%/oversubscription.sh %D%/test_validate.py \
	%D%/test_validate_trace.py %D%/timeline.sh %D%/validate.py %D%/validate_trace.py \
	%D%/validator.sh %D%/verification.sh

# A test that fails leaves its folder.
clean-local: clean-cli
clean-cli:
	-rm -rf %D%/work-*
.PHONY: clean-cli
