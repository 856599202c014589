# The driver of the suite: its plans, its faults over a fake mpirun, and the whole over a real one.
SUITE_TESTS = \
	%D%/test_report_comparisons.py \
	%D%/test_report_incast.py \
	%D%/test_report_page.py \
	%D%/test_report_parts.py \
	%D%/test_report_timelines.py \
	%D%/test_suite_catalogue.py \
	%D%/test_suite_acceptance.py %D%/test_suite_compare.py \
	%D%/test_suite_documents.py \
	%D%/test_suite_faults.py \
	%D%/test_suite_foreign.py \
	%D%/test_suite_fuzz.py \
	%D%/test_suite_launches.py \
	%D%/test_suite_layers.py \
	%D%/test_suite_losses.py \
	%D%/test_suite_model.py \
	%D%/test_suite_parkbench.py \
	%D%/test_suite_plans.py \
	%D%/test_suite_prediction.py \
	%D%/test_suite_workloads.py \
	%D%/test_suite_predictions.py \
	%D%/test_suite_process.py \
	%D%/test_suite_released.py \
	%D%/test_suite_validation.py \
	%D%/test_suite_variation.py
TESTS += $(SUITE_TESTS) %D%/suite_run.sh

EXTRA_DIST += \
	$(SUITE_TESTS) \
	%D%/check_run.py \
	%D%/documents.py \
	%D%/fake_mpirun.py \
	%D%/released/1/knee.json \
	%D%/released/1/model.json \
	%D%/released/1/prediction.json \
	%D%/released/1/run/manifest.json \
	%D%/released/1/run/results/oneway-busy.mpi.source.json \
	%D%/released/1/run/results/oneway.mpi.none.json \
	%D%/released/1/run/results/pipeline.mpi.1-1-1.json \
	%D%/released/1/run/results/pushfarm-load.mpi.1x1.json \
	%D%/released/1/run/results/pushfarm.mpi.1x1.json \
	%D%/released/1/run/small.plan \
	%D%/released/1/validation.json \
	%D%/report/alltoall.json \
	%D%/report/discussion/cost.md \
	%D%/report/discussion/summary.md \
	%D%/report/discussion/users.md \
	%D%/report/funnel.json \
	%D%/report/load.json \
	%D%/report/manifest.json \
	%D%/report/oneway-source.json \
	%D%/report/oneway.json \
	%D%/report/pipeline.json \
	%D%/report/prediction.json \
	%D%/report/pullfarm.json \
	%D%/report/pushfarm.json \
	%D%/report/search.json \
	%D%/report/tables.txt \
	%D%/rows.plan \
	%D%/stage.py \
	%D%/suite_run.sh
