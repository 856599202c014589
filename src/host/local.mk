libcombench_a_SOURCES += \
	%D%/environment.c \
	%D%/host.h \
	%D%/internal.h \
	%D%/topology.c \
	%D%/work.c %D%/work.h
