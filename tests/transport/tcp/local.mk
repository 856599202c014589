# Tests of the technology tcp, with processes of their own and no launcher.
if HAVE_CHECK
UNIT_TESTS += %D%/test_tcp
THREADS_TESTS += %D%/test_tcp
endif

tests_transport_tcp_test_tcp_SOURCES = %D%/test_tcp.c $(ENDS_SOURCES)
tests_transport_tcp_test_tcp_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_tcp_test_tcp_LDADD = $(UNIT_LIBS)
