libcombench_a_SOURCES += \
	%D%/clock.c \
	%D%/planes.c \
	%D%/control.h \
	%D%/control_mpi.c \
	%D%/operations.h
