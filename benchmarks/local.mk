# A benchmark is a file, a block below, and a line in registry.h.
noinst_LIBRARIES += libbenchmarks.a
libbenchmarks_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
libbenchmarks_a_SOURCES = %D%/pair.h %D%/registry.c %D%/registry.h
BENCHMARK_LIBS = libbenchmarks.a libworld.a $(CCMOD_LIBS) $(COMBENCH_LIBS)
LDADD = $(BENCHMARK_LIBS)
benchmark_manuals =

# The description of all benchmarks, for the driver and other programs.
noinst_PROGRAMS += %D%/catalogue
benchmarks_catalogue_SOURCES = %D%/catalogue.c
benchmarks_catalogue_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS)
nodist_pkgdata_DATA = benchmarks.json
CLEANFILES += benchmarks.json
benchmarks.json: %D%/catalogue$(EXEEXT)
	$(AM_V_GEN)%D%/catalogue$(EXEEXT) > $@.tmp && mv $@.tmp $@

# Definitions, and their programs: all are main.c, compiled with the name of the definition.
bin_PROGRAMS += cb_oneway
benchmark_manuals += man/cb_oneway.1
libbenchmarks_a_SOURCES += %D%/cb_oneway.c
cb_oneway_SOURCES = %D%/main.c
cb_oneway_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_oneway

bin_PROGRAMS += cb_twoway
benchmark_manuals += man/cb_twoway.1
libbenchmarks_a_SOURCES += %D%/cb_twoway.c
cb_twoway_SOURCES = %D%/main.c
cb_twoway_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_twoway

bin_PROGRAMS += cb_alltoall
benchmark_manuals += man/cb_alltoall.1
libbenchmarks_a_SOURCES += %D%/cb_alltoall.c
cb_alltoall_SOURCES = %D%/main.c
cb_alltoall_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_alltoall

bin_PROGRAMS += cb_pairs
benchmark_manuals += man/cb_pairs.1
libbenchmarks_a_SOURCES += %D%/cb_pairs.c
cb_pairs_SOURCES = %D%/main.c
cb_pairs_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_pairs

bin_PROGRAMS += cb_outfarm
benchmark_manuals += man/cb_outfarm.1
libbenchmarks_a_SOURCES += %D%/cb_outfarm.c
cb_outfarm_SOURCES = %D%/main.c
cb_outfarm_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_outfarm

bin_PROGRAMS += cb_multicast
benchmark_manuals += man/cb_multicast.1
libbenchmarks_a_SOURCES += %D%/cb_multicast.c
cb_multicast_SOURCES = %D%/main.c
cb_multicast_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_multicast

bin_PROGRAMS += cb_funnel
benchmark_manuals += man/cb_funnel.1
libbenchmarks_a_SOURCES += %D%/cb_funnel.c
cb_funnel_SOURCES = %D%/main.c
cb_funnel_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_funnel

bin_PROGRAMS += cb_pushfarm
benchmark_manuals += man/cb_pushfarm.1
libbenchmarks_a_SOURCES += %D%/cb_pushfarm.c
cb_pushfarm_SOURCES = %D%/main.c
cb_pushfarm_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_pushfarm

bin_PROGRAMS += cb_pullfarm
benchmark_manuals += man/cb_pullfarm.1
libbenchmarks_a_SOURCES += %D%/cb_pullfarm.c
cb_pullfarm_SOURCES = %D%/main.c
cb_pullfarm_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_pullfarm

bin_PROGRAMS += cb_pipeline
benchmark_manuals += man/cb_pipeline.1
libbenchmarks_a_SOURCES += %D%/cb_pipeline.c
cb_pipeline_SOURCES = %D%/main.c
cb_pipeline_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_pipeline

bin_PROGRAMS += cb_evb
benchmark_manuals += man/cb_evb.1
libbenchmarks_a_SOURCES += %D%/cb_evb.c
cb_evb_SOURCES = %D%/main.c
cb_evb_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_evb

bin_PROGRAMS += cb_linkmap
benchmark_manuals += man/cb_linkmap.1
libbenchmarks_a_SOURCES += %D%/cb_linkmap.c
cb_linkmap_SOURCES = %D%/main.c
cb_linkmap_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_linkmap
bin_PROGRAMS += cb_ring
benchmark_manuals += man/cb_ring.1
libbenchmarks_a_SOURCES += %D%/cb_ring.c
cb_ring_SOURCES = %D%/main.c
cb_ring_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_ring

bin_PROGRAMS += cb_calibrate
benchmark_manuals += man/cb_calibrate.1
libbenchmarks_a_SOURCES += %D%/cb_calibrate.c
cb_calibrate_SOURCES = %D%/main.c
cb_calibrate_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_calibrate

bin_PROGRAMS += cb_bare
benchmark_manuals += man/cb_bare.1
libbenchmarks_a_SOURCES += %D%/cb_bare.c
cb_bare_SOURCES = %D%/main.c
cb_bare_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_bare

bin_PROGRAMS += cb_comms1
benchmark_manuals += man/cb_comms1.1
libbenchmarks_a_SOURCES += %D%/cb_comms1.c
cb_comms1_SOURCES = %D%/main.c
cb_comms1_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_comms1

bin_PROGRAMS += cb_comms2
benchmark_manuals += man/cb_comms2.1
libbenchmarks_a_SOURCES += %D%/cb_comms2.c
cb_comms2_SOURCES = %D%/main.c
cb_comms2_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_comms2

bin_PROGRAMS += cb_comms3
benchmark_manuals += man/cb_comms3.1
libbenchmarks_a_SOURCES += %D%/cb_comms3.c
cb_comms3_SOURCES = %D%/main.c
cb_comms3_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_comms3

bin_PROGRAMS += cb_congest
benchmark_manuals += man/cb_congest.1
libbenchmarks_a_SOURCES += %D%/cb_congest.c
cb_congest_SOURCES = %D%/main.c
cb_congest_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_congest -DPLAN=congest_plan

# Plays a trace: links the model library.
bin_PROGRAMS += cb_replay
benchmark_manuals += man/cb_replay.1
libbenchmarks_a_SOURCES += %D%/cb_replay.c
cb_replay_SOURCES = %D%/main.c
cb_replay_CPPFLAGS = $(libbenchmarks_a_CPPFLAGS) -DBENCHMARK=cb_replay -DPLAN=replay_plan
cb_replay_LDADD = libreplay.a $(BENCHMARK_LIBS)
