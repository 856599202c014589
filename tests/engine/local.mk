# Unit tests of src/engine. test_solo takes the control plane of a process alone in place of the archive's
# over MPI.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_bounce \
	%D%/test_checker \
	%D%/test_figures \
	%D%/test_plan \
	%D%/test_rank \
	%D%/test_senders \
	%D%/test_shape \
	%D%/test_solo \
	%D%/test_traffic \
	%D%/test_wait
THREADS_TESTS += %D%/test_senders
endif

# A technology of queues, for tests of what stands above the transport.
LOOP_SOURCES = %D%/loop.c %D%/loop.h

tests_engine_test_bounce_SOURCES = %D%/test_bounce.c $(LOOP_SOURCES)
tests_engine_test_bounce_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_bounce_LDADD = $(UNIT_LIBS)
tests_engine_test_checker_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_checker_LDADD = $(UNIT_LIBS)
tests_engine_test_figures_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_figures_LDADD = $(UNIT_LIBS)
tests_engine_test_plan_SOURCES = \
	%D%/test_plan.c %D%/plans.h %D%/plan_counts.c %D%/plan_farms.c %D%/plan_options.c \
	%D%/plan_participants.c %D%/plan_sizes.c %D%/plan_variants.c
tests_engine_test_plan_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_plan_LDADD = $(UNIT_LIBS)
tests_engine_test_rank_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_rank_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc \
	-Wl,--wrap=reallocarray -Wl,--wrap=posix_memalign
tests_engine_test_rank_LDADD = $(UNIT_LIBS)
tests_engine_test_senders_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_senders_LDADD = $(UNIT_LIBS) -lpthread
tests_engine_test_shape_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_shape_LDADD = $(UNIT_LIBS)
tests_engine_test_solo_SOURCES = %D%/test_solo.c %D%/control_solo.c
tests_engine_test_solo_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_solo_LDADD = $(UNIT_LIBS)
tests_engine_test_traffic_SOURCES = %D%/test_traffic.c $(LOOP_SOURCES)
tests_engine_test_traffic_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_traffic_LDADD = $(UNIT_LIBS)
tests_engine_test_wait_CPPFLAGS = $(UNIT_FLAGS)
tests_engine_test_wait_LDADD = $(UNIT_LIBS)
tests_engine_test_wait_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime -Wl,--wrap=sched_yield -Wl,--wrap=cb_sleep_ns

EXTRA_DIST += %D%/own_options.h
