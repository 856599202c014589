# Programs beside the benchmarks.
bin_PROGRAMS += sisci-shm-clean

sisci_shm_clean_SOURCES = %D%/sisci-shm-clean.c
sisci_shm_clean_CPPFLAGS = $(AM_CPPFLAGS) -D_REENTRANT
sisci_shm_clean_LDADD = libsisci-shm.a $(SISCI_SHM_LIBS)

# ccmod links the model, and of libcombench what needs no MPI; the linker would complain otherwise.
bin_PROGRAMS += ccmod
ccmod_SOURCES = \
	%D%/ccmod/calibrate.c %D%/ccmod/convert.c %D%/ccmod/convert_cct.c %D%/ccmod/convert_forms.h \
	%D%/ccmod/convert_goal.c %D%/ccmod/convert_goal_order.c %D%/ccmod/convert_goal_order.h \
	%D%/ccmod/convert_matrix.c %D%/ccmod/generate.c %D%/ccmod/matrix.c %D%/ccmod/matrix.h \
	%D%/ccmod/convert_program.c %D%/ccmod/convert_program.h %D%/ccmod/convert_ti.c \
	%D%/ccmod/info.c %D%/ccmod/inputs.c %D%/ccmod/inputs.h %D%/ccmod/knee.c %D%/ccmod/main.c \
	%D%/ccmod/measurements.c %D%/ccmod/measurements.h %D%/ccmod/measurements_columns.c \
	%D%/ccmod/measurements_columns.h %D%/ccmod/observe.c %D%/ccmod/observe.h %D%/ccmod/run.c %D%/ccmod/tool.c \
	%D%/ccmod/tool.h %D%/ccmod/traffic.c %D%/ccmod/traffic.h %D%/ccmod/values.c %D%/ccmod/values.h
ccmod_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
ccmod_LDADD = $(CCMOD_LIBS) libcombench.a $(JANSSON_LIBS)

pkgconfig_DATA += %D%/ccmod/ccmod.pc

# Hosts on one machine; the switch and the orders are linked into unit tests, too.
bin_PROGRAMS += combench-testbed
TESTBED_SWITCH = \
	tools/testbed/ecn.c tools/testbed/ecn.h tools/testbed/switch.c tools/testbed/switch.h
TESTBED_ORDERS = \
	tools/testbed/hosts.c tools/testbed/orders.c tools/testbed/testbed.h
combench_testbed_SOURCES = \
	$(TESTBED_SWITCH) $(TESTBED_ORDERS) \
	%D%/testbed/loop.c %D%/testbed/main.c %D%/testbed/space.c
combench_testbed_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
combench_testbed_LDADD = libcombench.a
