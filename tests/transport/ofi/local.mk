# Tests of the technology ofi. The conformance of its methods over several providers is under mpirun.
if HAVE_LIBFABRIC
if HAVE_CHECK
UNIT_TESTS += %D%/test_ofi
TESTS += %D%/conformance_ofi.sh
TESTS += %D%/leftovers.sh
endif
endif

tests_transport_ofi_test_ofi_SOURCES = %D%/test_ofi.c $(ENDS_SOURCES)
tests_transport_ofi_test_ofi_CPPFLAGS = $(UNIT_FLAGS) $(LIBFABRIC_CFLAGS)
tests_transport_ofi_test_ofi_LDADD = $(UNIT_LIBS) -ldl

EXTRA_DIST += %D%/conformance_ofi.sh %D%/leftovers.sh
