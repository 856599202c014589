# Tests of the transport and of the control plane under mpirun. JOB_TESTS start a program with so many
# ranks; the other programs need no launcher.
if HAVE_CHECK
JOB_RUNNERS = %D%/test_control
JOB_TESTS = \
	%D%/control_2.sh %D%/control_5.sh %D%/control_17.sh
ALONE_TESTS = %D%/test_control_clock %D%/test_null %D%/test_pool %D%/test_stubs
check_PROGRAMS += $(JOB_RUNNERS) $(ALONE_TESTS)
TESTS += $(JOB_TESTS) $(ALONE_TESTS)
endif

JOB_SOURCES = %D%/job.c %D%/job.h

tests_mpi_test_control_SOURCES = %D%/test_control.c $(JOB_SOURCES)
tests_mpi_test_control_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_LDADD = $(UNIT_LIBS)
tests_mpi_test_control_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_clock_LDADD = $(UNIT_LIBS)
tests_mpi_test_null_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_null_LDADD = $(UNIT_LIBS)
tests_mpi_test_pool_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_pool_LDADD = $(UNIT_LIBS)
tests_mpi_test_stubs_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_stubs_LDADD = $(UNIT_LIBS)

EXTRA_DIST += \
	%D%/control_2.sh %D%/control_5.sh %D%/control_17.sh %D%/launch.sh
