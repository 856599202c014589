# libccmod: the communication model, a library of its own with all that it needs of base and report.
lib_LTLIBRARIES += libccmod.la
ccmodincludedir = $(includedir)/combench/ccmod
ccmodinclude_HEADERS = \
	%D%/include/ccmod/calibration.h %D%/include/ccmod/ccmod.h %D%/include/ccmod/base.h \
	%D%/include/ccmod/evaluation.h %D%/include/ccmod/network.h %D%/include/ccmod/observers.h \
	%D%/include/ccmod/signals.h %D%/include/ccmod/workload.h

libccmod_la_CPPFLAGS = $(AM_CPPFLAGS)
# The same result with every compiler: none makes one operation, rounded once, of two.
libccmod_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off -fvisibility=hidden
# current:revision:age, the version of the binary interface: a release that only corrects adds 1 to the revision; one
# that adds names counts current and age up and sets the revision to 0; any other sets age to 0, too.
libccmod_la_LDFLAGS = $(SANITIZER_CFLAGS) -no-undefined -version-info 1:0:0
libccmod_la_LIBADD = -lm
libccmod_la_SOURCES = \
	src/base/event_heap.h src/base/grow.h src/base/input.c src/base/input.h src/base/parts.h src/base/random.c \
	src/base/units.c \
	src/report/escape.c src/report/escape.h src/report/events.c src/report/events.h \
	src/report/svg.c src/report/svg.h \
	src/stats/fit.c src/stats/fit.h src/stats/student.c src/stats/student.h \
	%D%/base.c \
	%D%/calibration/calibration.c %D%/calibration/file.c %D%/calibration/packets.c \
	%D%/evaluation/delivery.c %D%/evaluation/delivery.h %D%/evaluation/engine.h \
	%D%/evaluation/evaluation.c %D%/evaluation/matching.c %D%/evaluation/matching.h \
	%D%/evaluation/parameters.c %D%/evaluation/pairs.c %D%/evaluation/pairs.h \
	%D%/evaluation/queue.c %D%/evaluation/queue.h %D%/evaluation/rate.c %D%/evaluation/rate.h \
	%D%/evaluation/reactions.c %D%/evaluation/reactions.h \
	%D%/evaluation/records.c %D%/evaluation/records.h \
	%D%/networks/crossbar.c %D%/networks/dragonfly.c %D%/networks/ends.c %D%/networks/fattree.c \
	%D%/networks/kinds.c %D%/networks/myrinet.c %D%/networks/networks.c %D%/networks/networks.h \
	%D%/networks/topology.c %D%/networks/topology.h %D%/networks/topology_file.c \
	%D%/networks/topology_file.h %D%/networks/topology_network.c %D%/networks/torus.c \
	%D%/observers/printer.c %D%/observers/signals.c %D%/observers/signals.h \
	%D%/observers/timeline.c %D%/observers/timeline.h %D%/observers/timeline_forms.c \
	%D%/sharing/cells.c %D%/sharing/cells.h %D%/sharing/clock.h %D%/sharing/conversations.c \
	%D%/sharing/conversations.h %D%/sharing/fifo.c %D%/sharing/fifo.h \
	%D%/sharing/fifo_horizons.c %D%/sharing/fifo_horizons.h %D%/sharing/flows.h \
	%D%/sharing/flows_clock.c %D%/sharing/flows_fifo.c %D%/sharing/flows_plain.c %D%/sharing/flows_tcp.c \
	%D%/sharing/horizons.c %D%/sharing/horizons.h %D%/sharing/pairing_heap.h %D%/sharing/tcp.h \
	%D%/sharing/tcp_receiver.c %D%/sharing/tcp_receiver.h %D%/sharing/tcp_sender.c %D%/sharing/tcp_sender.h %D%/sharing/traffic.c %D%/sharing/traffic.h \
	%D%/traces/expressions.c %D%/traces/expressions.h %D%/traces/plain_lines.h %D%/traces/trace.h %D%/traces/trace_file.c \
	%D%/traces/trace_parse.c %D%/traces/trace_workload.c

CCMOD_LIBS = libccmod.la
