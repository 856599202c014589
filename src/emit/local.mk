libcombench_a_SOURCES += \
	%D%/scheduler.c %D%/scheduler.h \
	%D%/emit.c %D%/emit.h \
	%D%/fold.c %D%/fold.h \
	%D%/links.c %D%/links.h \
	%D%/recorder.c %D%/recorder.h \
	%D%/sections.c %D%/sections.h
