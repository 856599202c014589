libcombench_a_SOURCES += \
	%D%/method.c %D%/method.h
