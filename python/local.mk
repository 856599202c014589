# The driver's package: a folder for shared modules, and one for each group of verbs.
suitedir = $(pkgdatadir)/python/combench
dist_suite_DATA = \
	%D%/combench/__init__.py \
	%D%/combench/main.py \
	%D%/combench/manual.py
suite_commondir = $(suitedir)/common
dist_suite_common_DATA = \
	%D%/combench/common/__init__.py \
	%D%/combench/common/archives.py \
	%D%/combench/common/bundles.py \
	%D%/combench/common/catalogue.py \
	%D%/combench/common/documents.py \
	%D%/combench/common/errors.py \
	%D%/combench/common/figures.py \
	%D%/combench/common/files.py \
	%D%/combench/common/inference.py \
	%D%/combench/common/interpreter.py \
	%D%/combench/common/programs.py \
	%D%/combench/common/progress.py \
	%D%/combench/common/settings.py \
	%D%/combench/common/streams.py \
	%D%/combench/common/terminal.py \
	%D%/combench/common/thresholds.py \
	%D%/combench/common/values.py \
	%D%/combench/common/variation.py
suite_comparedir = $(suitedir)/compare
dist_suite_compare_DATA = \
	%D%/combench/compare/__init__.py \
	%D%/combench/compare/compare.py \
	%D%/combench/compare/comparison.py \
	%D%/combench/compare/links.py \
	%D%/combench/compare/parkbench.py \
	%D%/combench/compare/plot.py \
	%D%/combench/compare/sides.py \
	%D%/combench/compare/surroundings.py \
	%D%/combench/compare/text.py
suite_predictdir = $(suitedir)/predict
dist_suite_predict_DATA = \
	%D%/combench/predict/__init__.py \
	%D%/combench/predict/calibration.py \
	%D%/combench/predict/case.py \
	%D%/combench/predict/cases.py \
	%D%/combench/predict/columns.py \
	%D%/combench/predict/ending.py \
	%D%/combench/predict/emission.py \
	%D%/combench/predict/impacts.py \
	%D%/combench/predict/losses.py \
	%D%/combench/predict/model.py \
	%D%/combench/predict/options.py \
	%D%/combench/predict/predict.py \
	%D%/combench/predict/prediction.py \
	%D%/combench/predict/processes.py \
	%D%/combench/predict/replays.py \
	%D%/combench/predict/table.py \
	%D%/combench/predict/trace.py \
	%D%/combench/predict/validate.py \
	%D%/combench/predict/validation.py
suite_reportdir = $(suitedir)/report
dist_suite_report_DATA = \
	%D%/combench/report/__init__.py \
	%D%/combench/report/answer.py \
	%D%/combench/report/charts.py \
	%D%/combench/report/comparisons.py \
	%D%/combench/report/discussion.py \
	%D%/combench/report/draw.py \
	%D%/combench/report/facts.py \
	%D%/combench/report/figures.py \
	%D%/combench/report/fragments.py \
	%D%/combench/report/gallery.py \
	%D%/combench/report/incast.py \
	%D%/combench/report/limits.py \
	%D%/combench/report/linkmaps.py \
	%D%/combench/report/lists.py \
	%D%/combench/report/load.py \
	%D%/combench/report/network.py \
	%D%/combench/report/page.css \
	%D%/combench/report/page.html \
	%D%/combench/report/page.py \
	%D%/combench/report/predictions.py \
	%D%/combench/report/remarks.py \
	%D%/combench/report/report.py \
	%D%/combench/report/rows.py \
	%D%/combench/report/states.py \
	%D%/combench/report/tables.py \
	%D%/combench/report/timelines.py
suite_suitedir = $(suitedir)/suite
dist_suite_suite_DATA = \
	%D%/combench/suite/__init__.py \
	%D%/combench/suite/acceptance.py \
	%D%/combench/suite/allocation.py \
	%D%/combench/suite/anonymous.py \
	%D%/combench/suite/batch.py \
	%D%/combench/suite/bundle.py \
	%D%/combench/suite/directory.py \
	%D%/combench/suite/expand.py \
	%D%/combench/suite/judging.py \
	%D%/combench/suite/launcher.py \
	%D%/combench/suite/model.py \
	%D%/combench/suite/launches.py \
	%D%/combench/suite/manifest.py \
	%D%/combench/suite/measure.py \
	%D%/combench/suite/plan.py \
	%D%/combench/suite/precision.py \
	%D%/combench/suite/prediction.py \
	%D%/combench/suite/preflight.py \
	%D%/combench/suite/prepare.py \
	%D%/combench/suite/process.py \
	%D%/combench/suite/run.py
suite_plansdir = $(suitedir)/suite/plans
dist_suite_plans_DATA = \
	%D%/combench/suite/plans/acceptance.plan \
	%D%/combench/suite/plans/congestion.plan \
	%D%/combench/suite/plans/eventbuilding.plan \
	%D%/combench/suite/plans/farms.plan \
	%D%/combench/suite/plans/full.plan \
	%D%/combench/suite/plans/gpcnet.plan \
	%D%/combench/suite/plans/incast.plan \
	%D%/combench/suite/plans/links.plan \
	%D%/combench/suite/plans/note48.plan \
	%D%/combench/suite/plans/parkbench.plan \
	%D%/combench/suite/plans/quick.plan \
	%D%/combench/suite/plans/scaling.plan \
	%D%/combench/suite/plans/sci-note.plan \
	%D%/combench/suite/plans/technologies.plan
