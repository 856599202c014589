# Tests of the technology ucx. The conformance of its methods over several transports is under mpirun.
if HAVE_UCX
TESTS += %D%/programs_ucx.sh
if HAVE_CHECK
UNIT_TESTS += %D%/test_ucx
TESTS += %D%/conformance_ucx.sh
endif
endif

tests_transport_ucx_test_ucx_SOURCES = %D%/test_ucx.c $(ENDS_SOURCES)
tests_transport_ucx_test_ucx_CPPFLAGS = $(UNIT_FLAGS) $(UCX_CFLAGS)
tests_transport_ucx_test_ucx_LDADD = $(UNIT_LIBS) -ldl

EXTRA_DIST += %D%/conformance_ucx.sh %D%/programs_ucx.sh
