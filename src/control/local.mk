libcombench_a_SOURCES += \
	%D%/clock.c %D%/clock.h \
	%D%/control.h \
	%D%/control_mpi.c %D%/control_mpi.h \
	%D%/synchronise.c
