# The tracer: its parts alone, and the whole over a program of four ranks.
if HAVE_CHECK
UNIT_TESTS += %D%/test_order %D%/test_patterns %D%/test_records
endif
TESTS += %D%/applications.sh %D%/fortran.sh %D%/special.sh %D%/tracer.sh
OTHER_TESTS += %D%/fortran.sh %D%/special.sh %D%/tracer.sh

tests_tracer_test_order_SOURCES = %D%/test_order.c src/tracer/order.c
tests_tracer_test_order_CPPFLAGS = $(UNIT_FLAGS)
tests_tracer_test_order_LDADD = libcombench.a $(CHECK_LIBS)
tests_tracer_test_patterns_SOURCES = %D%/test_patterns.c src/tracer/patterns.c
tests_tracer_test_patterns_CPPFLAGS = $(UNIT_FLAGS)
tests_tracer_test_patterns_LDADD = libcombench.a $(CHECK_LIBS)
tests_tracer_test_records_SOURCES = %D%/test_records.c src/tracer/records.c src/tracer/requests.c
tests_tracer_test_records_CPPFLAGS = $(UNIT_FLAGS)
tests_tracer_test_records_LDADD = libcombench.a $(CHECK_LIBS)

# Built as the tracer is: what is loaded before a program with sanitizers is not theirs.
check_PROGRAMS += %D%/special %D%/traced
tests_tracer_special_SOURCES = %D%/special.c
tests_tracer_special_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_tracer_special_CFLAGS = -std=gnu11 $(WARNING_CFLAGS)
tests_tracer_special_LDFLAGS =
tests_tracer_special_LDADD = $(MPI_LIBS)
tests_tracer_traced_SOURCES = %D%/traced.c
tests_tracer_traced_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_tracer_traced_CFLAGS = -std=gnu11 $(WARNING_CFLAGS)
tests_tracer_traced_LDFLAGS =
tests_tracer_traced_LDADD = $(MPI_LIBS)

EXTRA_DIST += %D%/applications.sh %D%/check_started.py %D%/check_wavefront.py %D%/fortran.sh %D%/special.sh \
	%D%/traced.F90 %D%/tracer.sh
