libcombench_a_SOURCES += \
	%D%/clock.c %D%/clock.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/trace.c %D%/trace.h \
	%D%/write.c %D%/write.h
