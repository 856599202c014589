libcombench_a_SOURCES += \
	%D%/recording.c %D%/recording.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/trace.c %D%/trace.h \
	%D%/write.c %D%/write.h
