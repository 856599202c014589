libcombench_a_SOURCES += \
	%D%/fit.c %D%/fit.h \
	%D%/stats.c %D%/stats.h \
	%D%/student.c %D%/student.h
