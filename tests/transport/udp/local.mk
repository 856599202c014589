# Tests of the technology udp, with processes of their own and no launcher.
if HAVE_CHECK
UNIT_TESTS += %D%/test_udp %D%/test_udp_order
THREADS_TESTS += %D%/test_udp %D%/test_udp_order
endif

tests_transport_udp_test_udp_SOURCES = %D%/test_udp.c $(ENDS_SOURCES)
tests_transport_udp_test_udp_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_udp_test_udp_LDADD = $(UNIT_LIBS)
tests_transport_udp_test_udp_order_CPPFLAGS = $(UNIT_FLAGS)
tests_transport_udp_test_udp_order_LDADD = $(UNIT_LIBS)
