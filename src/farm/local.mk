libcombench_a_SOURCES += \
	%D%/builder.c %D%/builder.h \
	%D%/closed.c %D%/closed.h \
	%D%/farm.h \
	%D%/figures.c %D%/figures.h \
	%D%/ledger.c %D%/ledger.h \
	%D%/load.c %D%/load.h \
	%D%/loops.c %D%/loops.h \
	%D%/messages.c %D%/messages.h \
	%D%/method.c \
	%D%/open.c %D%/open.h \
	%D%/options.c %D%/options.h \
	%D%/rank.c %D%/rank.h \
	%D%/recording.c %D%/recording.h \
	%D%/run.c %D%/run.h
