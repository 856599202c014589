libcombench_a_SOURCES += \
	%D%/method.c %D%/method.h \
	%D%/occupation.c %D%/occupation.h
