# Unit tests of src/host.
if HAVE_CHECK
UNIT_TESTS += \
	%D%/test_environment \
	%D%/test_network \
	%D%/test_noise \
	%D%/test_task \
	%D%/test_topology \
	%D%/test_work
endif

tests_host_test_environment_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_environment_LDADD = $(UNIT_LIBS)
tests_host_test_network_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_network_LDADD = $(UNIT_LIBS)
tests_host_test_noise_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_noise_LDADD = $(UNIT_LIBS)
tests_host_test_task_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_task_LDADD = $(UNIT_LIBS)
tests_host_test_topology_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_topology_LDADD = $(UNIT_LIBS)
tests_host_test_work_CPPFLAGS = $(UNIT_FLAGS)
tests_host_test_work_LDADD = $(UNIT_LIBS)
