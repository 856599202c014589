# Tests of the transport and of the control plane under mpirun.
if HAVE_CHECK
ALONE_TESTS = %D%/test_control_clock %D%/test_null %D%/test_pool %D%/test_stubs
check_PROGRAMS += $(ALONE_TESTS)
TESTS += $(ALONE_TESTS)
endif

tests_mpi_test_control_clock_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_control_clock_LDADD = $(UNIT_LIBS)
tests_mpi_test_null_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_null_LDADD = $(UNIT_LIBS)
tests_mpi_test_pool_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_pool_LDADD = $(UNIT_LIBS)
tests_mpi_test_stubs_CPPFLAGS = $(UNIT_FLAGS)
tests_mpi_test_stubs_LDADD = $(UNIT_LIBS)
