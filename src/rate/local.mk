libcombench_a_SOURCES += \
	%D%/arrivals.c %D%/arrivals.h \
	%D%/chain.c %D%/chain.h \
	%D%/load.c %D%/load.h \
	%D%/outcome.c %D%/outcome.h \
	%D%/rates.c %D%/rates.h \
	%D%/search.c %D%/search.h \
	%D%/train.c %D%/train.h
