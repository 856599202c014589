libcombench_a_SOURCES += \
	%D%/faults.c %D%/faults.h \
	%D%/figures.c %D%/figures.h \
	%D%/link.c %D%/link.h \
	%D%/map.c %D%/map.h \
	%D%/method.c %D%/method.h \
	%D%/options.h \
	%D%/places.c %D%/places.h \
	%D%/polish.c %D%/polish.h \
	%D%/rounds.c %D%/rounds.h \
	%D%/row.c %D%/row.h \
	%D%/samples.h %D%/search.h \
	%D%/slow.c %D%/slow.h \
	%D%/stalls.c %D%/stalls.h \
	%D%/steps.c %D%/steps.h
