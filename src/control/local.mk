libcombench_a_SOURCES += \
	%D%/clock.c \
	%D%/control.h \
	%D%/control_mpi.c
