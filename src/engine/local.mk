libcombench_a_SOURCES += \
	%D%/algorithm.c \
	%D%/benchmark.h \
	%D%/describe.c %D%/describe.h \
	%D%/definition.c %D%/definition.h \
	%D%/block.c %D%/block.h \
	%D%/checker.c %D%/checker.h \
	%D%/configuration.c \
	%D%/counters.c %D%/counters.h \
	%D%/environment.c \
	%D%/figures.c \
	%D%/groups.c %D%/groups.h \
	%D%/harness.c \
	%D%/measure.c \
	%D%/options.c %D%/options.h \
	%D%/pace.c %D%/pace.h \
	%D%/parkbench.c %D%/parkbench.h \
	%D%/passes.h \
	%D%/patience.h \
	%D%/placement.c %D%/placement.h \
	%D%/plan.c %D%/plan.h \
	%D%/program.c \
	%D%/progress.c \
	%D%/rank.c \
	%D%/run.c \
	%D%/session.h \
	%D%/shape.c %D%/shape.h \
	%D%/sides.c %D%/sides.h \
	%D%/start.c \
	%D%/traffic.c %D%/traffic.h \
	%D%/verify.c
