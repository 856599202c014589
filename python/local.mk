# The driver's package, with the plans that come with it.
suitedir = $(pkgdatadir)/python/combench
dist_suite_DATA = \
	%D%/combench/__init__.py \
	%D%/combench/allocation.py \
	%D%/combench/arguments.py \
	%D%/combench/batch.py \
	%D%/combench/benchmarks.py \
	%D%/combench/calibration.py \
	%D%/combench/cases.py \
	%D%/combench/columns.py \
	%D%/combench/compare.py \
	%D%/combench/compare_plot.py \
	%D%/combench/compare_text.py \
	%D%/combench/comparison.py \
	%D%/combench/ending.py \
	%D%/combench/errors.py \
	%D%/combench/expand.py \
	%D%/combench/figures.py \
	%D%/combench/inference.py \
	%D%/combench/launcher.py \
	%D%/combench/main.py \
	%D%/combench/manifest.py \
	%D%/combench/manual.py \
	%D%/combench/measure.py \
	%D%/combench/model.py \
	%D%/combench/parkbench.py \
	%D%/combench/plan.py \
	%D%/combench/predict.py \
	%D%/combench/predict_options.py \
	%D%/combench/prediction.py \
	%D%/combench/prediction_table.py \
	%D%/combench/prepare.py \
	%D%/combench/process.py \
	%D%/combench/programs.py \
	%D%/combench/progress.py \
	%D%/combench/results.py \
	%D%/combench/run.py \
	%D%/combench/sides.py \
	%D%/combench/storage.py \
	%D%/combench/surroundings.py \
	%D%/combench/validate.py \
	%D%/combench/validation.py \
	%D%/combench/workloads.py
suite_plansdir = $(suitedir)/plans
dist_suite_plans_DATA = \
	%D%/combench/plans/farms.plan \
	%D%/combench/plans/full.plan \
	%D%/combench/plans/note48.plan \
	%D%/combench/plans/parkbench.plan \
	%D%/combench/plans/quick.plan \
	%D%/combench/plans/scaling.plan
suite_reportdir = $(suitedir)/report
dist_suite_report_DATA = \
	%D%/combench/report/__init__.py \
	%D%/combench/report/answer.py \
	%D%/combench/report/charts.py \
	%D%/combench/report/computing.py \
	%D%/combench/report/discussion.py \
	%D%/combench/report/draw.py \
	%D%/combench/report/facts.py \
	%D%/combench/report/figures.py \
	%D%/combench/report/fits.py \
	%D%/combench/report/gallery.py \
	%D%/combench/report/limits.py \
	%D%/combench/report/load.py \
	%D%/combench/report/page.css \
	%D%/combench/report/page.html \
	%D%/combench/report/page.py \
	%D%/combench/report/predictions.py \
	%D%/combench/report/remarks.py \
	%D%/combench/report/rows.py \
	%D%/combench/report/states.py \
	%D%/combench/report/tables.py
