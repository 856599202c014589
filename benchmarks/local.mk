# One program a file; a new one is a line here and one in man/local.mk.
bin_PROGRAMS += cb_oneway cb_twoway cb_alltoall cb_pairs cb_outfarm cb_multicast cb_funnel \
	cb_pushfarm cb_pullfarm cb_pipeline cb_calibrate cb_comms1 cb_comms2 cb_comms3

cb_oneway_SOURCES = %D%/cb_oneway.c
cb_twoway_SOURCES = %D%/cb_twoway.c
cb_alltoall_SOURCES = %D%/cb_alltoall.c
cb_pairs_SOURCES = %D%/cb_pairs.c
cb_outfarm_SOURCES = %D%/cb_outfarm.c
cb_multicast_SOURCES = %D%/cb_multicast.c
cb_funnel_SOURCES = %D%/cb_funnel.c
cb_pushfarm_SOURCES = %D%/cb_pushfarm.c
cb_pullfarm_SOURCES = %D%/cb_pullfarm.c
cb_pipeline_SOURCES = %D%/cb_pipeline.c
cb_calibrate_SOURCES = %D%/cb_calibrate.c
cb_comms1_SOURCES = %D%/cb_comms1.c
cb_comms2_SOURCES = %D%/cb_comms2.c
cb_comms3_SOURCES = %D%/cb_comms3.c

LDADD = $(COMBENCH_LIBS)
