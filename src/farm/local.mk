libcombench_a_SOURCES += \
	%D%/builder.c %D%/builder.h \
	%D%/closed.c \
	%D%/farm.h \
	%D%/faults.c \
	%D%/figures.c \
	%D%/fragments.c \
	%D%/ledger.c %D%/ledger.h \
	%D%/load.c %D%/load.h \
	%D%/loops.c %D%/loops.h \
	%D%/measure.c %D%/measure.h \
	%D%/notes.c \
	%D%/open.c \
	%D%/options.c %D%/options.h \
	%D%/rank.c %D%/rank.h \
	%D%/run.c \
	%D%/schedule.c %D%/schedule.h \
	%D%/timeline.c
