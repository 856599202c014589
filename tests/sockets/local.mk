# Tests of the technologies over sockets, with processes of their own and no launcher.
if HAVE_CHECK
SOCKET_TESTS = %D%/test_tcp %D%/test_udp %D%/test_udp_order
check_PROGRAMS += $(SOCKET_TESTS)
TESTS += $(SOCKET_TESTS)
endif

tests_sockets_test_tcp_SOURCES = %D%/test_tcp.c %D%/ends.c %D%/ends.h
tests_sockets_test_tcp_CPPFLAGS = $(UNIT_FLAGS)
tests_sockets_test_tcp_LDADD = $(UNIT_LIBS)
tests_sockets_test_udp_SOURCES = %D%/test_udp.c %D%/ends.c %D%/ends.h
tests_sockets_test_udp_CPPFLAGS = $(UNIT_FLAGS)
tests_sockets_test_udp_LDADD = $(UNIT_LIBS)
tests_sockets_test_udp_order_CPPFLAGS = $(UNIT_FLAGS)
tests_sockets_test_udp_order_LDADD = $(UNIT_LIBS)
