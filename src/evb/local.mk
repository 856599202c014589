libcombench_a_SOURCES += \
	%D%/method.c %D%/method.h \
	%D%/options.c %D%/options.h \
	%D%/schedules.c %D%/schedules.h \
	%D%/unit.c %D%/unit.h
