libcombench_a_SOURCES += \
	%D%/scheduler.c %D%/scheduler.h \
	%D%/emit.c %D%/emit.h \
	%D%/recorder.c %D%/recorder.h
