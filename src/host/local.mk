libcombench_a_SOURCES += \
	%D%/environment.c \
	%D%/host.h \
	%D%/internal.h \
	%D%/task.c %D%/task.h \
	%D%/text.c \
	%D%/topology.c \
	%D%/work.c %D%/work.h
