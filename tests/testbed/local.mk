# The testbed: its switch and its orders alone, and the whole where root and TUN are there.
if HAVE_CHECK
UNIT_TESTS += %D%/test_orders %D%/test_switch
endif
TESTS += %D%/testbed.sh
LONG_TESTS += %D%/testbed_counters.sh %D%/testbed_faults.sh %D%/testbed_linkmap.sh %D%/testbed_mpi.sh
SMALL_TESTS += %D%/testbed_faults.sh
OTHER_TESTS += %D%/testbed_mpi.sh

tests_testbed_test_switch_SOURCES = %D%/test_switch.c $(TESTBED_SWITCH)
tests_testbed_test_switch_CPPFLAGS = $(UNIT_FLAGS)
tests_testbed_test_switch_LDADD = libcombench.a $(CHECK_LIBS)
tests_testbed_test_orders_SOURCES = %D%/test_orders.c $(TESTBED_ORDERS) $(TESTBED_SWITCH)
tests_testbed_test_orders_CPPFLAGS = $(UNIT_FLAGS)
tests_testbed_test_orders_LDADD = libcombench.a $(CHECK_LIBS)

EXTRA_DIST += %D%/burst.py %D%/testbed_counters.sh %D%/testbed_linkmap.sh %D%/peer.py %D%/testbed.sh %D%/testbed_faults.sh \
	%D%/testbed_mpi.sh
