libcombench_a_SOURCES += \
	%D%/counters.c %D%/counters.h \
	%D%/environment.c \
	%D%/host.h \
	%D%/internal.h \
	%D%/preflight.c %D%/preflight.h \
	%D%/topology.c \
	%D%/work.c %D%/work.h
