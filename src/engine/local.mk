libcombench_a_SOURCES += \
	%D%/budget.c %D%/budget.h \
	%D%/definition.c %D%/definition.h \
	%D%/describe.c %D%/describe.h \
	%D%/environment.c %D%/environment.h \
	%D%/figures.c %D%/figures.h \
	%D%/fragments.c %D%/fragments.h \
	%D%/measurement.c %D%/measurement.h \
	%D%/options.c %D%/options.h \
	%D%/meters.c %D%/meters.h \
	%D%/method.h \
	%D%/outcome.h \
	%D%/pass.c %D%/pass.h \
	%D%/plan.c %D%/plan.h \
	%D%/plan_run.c %D%/plan_run.h \
	%D%/program.c %D%/program.h \
	%D%/rank.c %D%/rank.h \
	%D%/senders.c %D%/senders.h \
	%D%/shares.h \
	%D%/session.c %D%/session.h \
	%D%/traffic.c %D%/traffic.h \
	%D%/verification.c %D%/verification.h \
	%D%/wait.c %D%/wait.h
