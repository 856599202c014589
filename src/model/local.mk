# libccmod: the communication model, a library of its own with all that it needs of base and report.
lib_LIBRARIES += libccmod.a
ccmodincludedir = $(includedir)/combench
ccmodinclude_HEADERS = \
	%D%/ccmod.h %D%/ccmod_calibration.h %D%/ccmod_errors.h %D%/ccmod_evaluation.h %D%/ccmod_network.h \
	%D%/ccmod_observers.h %D%/ccmod_signals.h %D%/ccmod_workload.h
ccmodbaseincludedir = $(ccmodincludedir)/base
ccmodbaseinclude_HEADERS = src/base/status.h

libccmod_a_CPPFLAGS = $(AM_CPPFLAGS)
# The same result with every compiler: none makes one operation, rounded once, of two.
libccmod_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
libccmod_a_SOURCES = \
	src/base/grow.c src/base/random.c src/base/status.c src/base/units.c \
	src/report/escape.c src/report/escape.h src/report/events.c src/report/events.h \
	src/report/svg.c src/report/svg.h \
	src/stats/fit.c src/stats/fit.h \
	%D%/background.c \
	%D%/calibration.c %D%/calibration_file.c %D%/calibration_fit.c \
	%D%/checks.c \
	%D%/clock_heaps.h %D%/clock_marks.h \
	%D%/conversations.c %D%/conversations.h \
	%D%/engine.c %D%/engine.h \
	%D%/error.c \
	%D%/fifo.h %D%/fifo_acknowledgements.c %D%/fifo_lines.c \
	%D%/flows_clock.c %D%/flows_fifo.c %D%/flows_plain.c \
	%D%/matching.c \
	%D%/messages.c \
	%D%/names.c \
	%D%/network.c %D%/networks.h \
	%D%/network_arguments.c %D%/network_sizes.c %D%/network_trees.c \
	%D%/network_crossbar.c %D%/network_dragonfly.c %D%/network_ends.c %D%/network_fattree.c %D%/network_file.c \
	%D%/network_myrinet.c %D%/network_torus.c \
	%D%/observer_printer.c %D%/observer_timeline.c \
	%D%/pairing_heap.h %D%/pairs.c %D%/pairs.h \
	%D%/processors.c \
	%D%/queue.c \
	%D%/rate.c %D%/rate.h \
	%D%/shares.c %D%/shares.h \
	%D%/signals.c \
	%D%/standstill.c \
	%D%/timeline.h %D%/timeline_paje.c %D%/timeline_perfetto.c %D%/timeline_svg.c \
	%D%/topology.c %D%/topology.h %D%/topology_parser.h %D%/topology_graph.c %D%/topology_links.c \
	%D%/topology_parse.c %D%/topology_routes.c \
	%D%/trace.h %D%/trace_parser.h \
	%D%/trace_expression.c %D%/trace_fields.c %D%/trace_file.c %D%/trace_lists.c \
	%D%/trace_parse.c %D%/trace_scan.c %D%/trace_workload.c

CCMOD_LIBS = libccmod.a
