libcombench_a_SOURCES += \
	%D%/accept.c %D%/accept.h \
	%D%/builder.c %D%/builder.h \
	%D%/farm.h \
	%D%/fetch.c %D%/fetch.h \
	%D%/figures.c %D%/figures.h \
	%D%/ledger.c %D%/ledger.h \
	%D%/loops.c %D%/loops.h \
	%D%/messages.c %D%/messages.h \
	%D%/method.c \
	%D%/options.c %D%/options.h \
	%D%/passes.c %D%/passes.h \
	%D%/rank.c %D%/rank.h \
	%D%/run.c %D%/run.h
