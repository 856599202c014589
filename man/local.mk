# Manual pages are made by the programs themselves, from the rows of their options.
man1_MANS = \
	%D%/cb_oneway.1 %D%/cb_twoway.1 %D%/cb_alltoall.1 %D%/cb_pairs.1 \
	%D%/cb_outfarm.1 %D%/cb_multicast.1 %D%/cb_funnel.1 \
	%D%/cb_pushfarm.1 %D%/cb_pullfarm.1 %D%/cb_pipeline.1
CLEANFILES += $(man1_MANS)

$(man1_MANS): %D%/%.1: %$(EXEEXT)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)./$< --manual > $@.tmp && mv $@.tmp $@

# Those of the software SISCI library and of files are written by hand.
dist_man_MANS = %D%/combench-config.5 %D%/sisci-shm.7 %D%/sisci-shm-clean.1
