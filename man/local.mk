# Manual pages are made by the programs themselves, from the rows of their options.
ccmod_subcommands = \
	%D%/ccmod-calibrate.1 %D%/ccmod-convert.1 %D%/ccmod-generate.1 %D%/ccmod-info.1 %D%/ccmod-knee.1 %D%/ccmod-run.1 %D%/ccmod-signals.1 %D%/ccmod-timeline.1
man1_MANS = $(benchmark_manuals) %D%/ccmod.1 %D%/combench-testbed.1 $(ccmod_subcommands)
CLEANFILES += $(man1_MANS)

$(benchmark_manuals) %D%/ccmod.1 %D%/combench-testbed.1: %D%/%.1: %$(EXEEXT)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)./$< --manual > $@.tmp && mv $@.tmp $@

$(ccmod_subcommands): %D%/ccmod-%.1: ccmod$(EXEEXT)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)./$< $* --manual > $@.tmp && mv $@.tmp $@

# The driver generates its pages from the parsers of its verbs.
driver_verbs = %D%/combench-run.1 %D%/combench-acceptance.1 %D%/combench-bundle.1 %D%/combench-compare.1 %D%/combench-parkbench.1 \
	%D%/combench-predict.1 %D%/combench-report.1 %D%/combench-validate.1
driver_manuals = %D%/combench.1 $(driver_verbs)
if HAVE_PYTHON3
man1_MANS += $(driver_manuals)
endif
CLEANFILES += $(driver_manuals)
driver_manual = PYTHONDONTWRITEBYTECODE=1 $(PYTHON3) $(top_srcdir)/scripts/combench

%D%/combench.1: $(dist_suite_DATA)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(driver_manual) --manual > $@.tmp && mv $@.tmp $@

$(driver_verbs): %D%/combench-%.1: $(dist_suite_DATA) $(dist_suite_report_DATA)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(driver_manual) $* --manual > $@.tmp && mv $@.tmp $@

# Those of the software SISCI library, of the tracer and of files are written by hand.
dist_man_MANS = %D%/combench-config.5 %D%/libcombench-trace.7 %D%/sisci-shm.7 %D%/sisci-shm-clean.1
