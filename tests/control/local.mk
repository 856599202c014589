# Tests of src/control: the arithmetic of its clocks alone, the rest under mpirun.
if HAVE_CHECK
UNIT_TESTS += %D%/test_control_clock
JOB_RUNNERS += %D%/test_control %D%/test_synchronise
JOB_TESTS += \
	%D%/control_2.sh \
	%D%/control_5.sh \
	%D%/control_17.sh \
	%D%/synchronise_2.sh \
	%D%/synchronise_5.sh
SMALL_TESTS += %D%/control_2.sh %D%/synchronise_2.sh
endif

tests_control_test_control_SOURCES = %D%/test_control.c $(JOB_SOURCES)
tests_control_test_control_CPPFLAGS = $(UNIT_FLAGS)
tests_control_test_control_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_control_test_control_LDADD = $(UNIT_LIBS)
tests_control_test_control_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_control_test_control_clock_LDADD = $(UNIT_LIBS)
tests_control_test_synchronise_SOURCES = %D%/test_synchronise.c $(JOB_SOURCES)
tests_control_test_synchronise_CPPFLAGS = $(UNIT_FLAGS) $(MPI_CFLAGS)
tests_control_test_synchronise_LDFLAGS = $(LDFLAGS_OF_JOBS)
tests_control_test_synchronise_LDADD = $(UNIT_LIBS)

EXTRA_DIST += %D%/control_2.sh %D%/control_5.sh %D%/control_17.sh %D%/synchronise_2.sh %D%/synchronise_5.sh
