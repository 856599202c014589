libcombench_a_SOURCES += \
	%D%/environment.c %D%/environment.h \
	%D%/host.h \
	%D%/noise.c %D%/noise.h \
	%D%/task.c %D%/task.h \
	%D%/text.c %D%/text.h \
	%D%/topology.c %D%/topology.h \
	%D%/work.c %D%/work.h
