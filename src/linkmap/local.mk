libcombench_a_SOURCES += \
	%D%/faults.c %D%/faults.h \
	%D%/link.c %D%/link.h \
	%D%/map.c %D%/map.h \
	%D%/method.c %D%/method.h \
	%D%/options.h \
	%D%/places.c %D%/places.h \
	%D%/rounds.c %D%/rounds.h \
	%D%/row.c %D%/row.h \
	%D%/steps.c %D%/steps.h
