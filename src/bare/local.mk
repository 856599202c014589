libcombench_a_SOURCES += \
	%D%/loops.c %D%/loops.h \
	%D%/method.c %D%/method.h
