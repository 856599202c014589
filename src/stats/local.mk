libcombench_a_SOURCES += \
	%D%/fit.c %D%/fit.h \
	%D%/histogram.c %D%/histogram.h \
	%D%/parkbench.c %D%/parkbench.h \
	%D%/stats.c %D%/stats.h
