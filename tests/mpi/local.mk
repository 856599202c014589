# Tests of the transport and of the control plane under mpirun.
if HAVE_CHECK
ALONE_TESTS = %D%/test_control_clock
check_PROGRAMS += $(ALONE_TESTS)
TESTS += $(ALONE_TESTS)
endif

tests_mpi_test_control_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_clock_LDADD = $(UNIT_LIBS)
