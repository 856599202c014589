libcombench_a_SOURCES += \
	%D%/beside.c \
	%D%/computing.c %D%/computing.h
