# libcombench: all that the benchmark programs stand on. mpi.h is seen by control and by the mpi
# technology alone, but an archive has one set of flags; the layering test watches over it.
noinst_LIBRARIES += libcombench.a

libcombench_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libcombench_a_SOURCES = \
	%D%/base/clock.c %D%/base/clock.h \
	%D%/base/context.c %D%/base/context.h %D%/base/context_check.c %D%/base/context_file.c \
	%D%/base/context_internal.h %D%/base/context_text.c %D%/base/context_tree.c \
	%D%/base/context_tree.h %D%/base/context_value.c \
	%D%/base/derive.c %D%/base/derive.h \
	%D%/base/grow.c %D%/base/grow.h \
	%D%/base/log.c %D%/base/log.h \
	%D%/base/memory.c %D%/base/memory.h \
	%D%/base/nearest.c %D%/base/nearest.h \
	%D%/base/options.c %D%/base/options.h %D%/base/options_help.c \
	%D%/base/order.h \
	%D%/base/parameters.c %D%/base/parameters.h \
	%D%/base/random.c %D%/base/random.h \
	%D%/base/settings.c %D%/base/settings.h \
	%D%/base/status.c %D%/base/status.h \
	%D%/base/streams.c %D%/base/streams.h \
	%D%/base/tick.c %D%/base/tick.h \
	%D%/base/units.c %D%/base/units.h \
	%D%/bench/algorithm.c \
	%D%/bench/bench.h %D%/bench/engine.h \
	%D%/bench/beside.c \
	%D%/bench/block.c %D%/bench/block.h \
	%D%/bench/builder.c %D%/bench/builder.h \
	%D%/bench/checker.c %D%/bench/checker.h \
	%D%/bench/crew.c %D%/bench/crew.h \
	%D%/bench/computing.c %D%/bench/computing.h \
	%D%/bench/configuration.c \
	%D%/bench/groups.c \
	%D%/bench/datagrams.c \
	%D%/bench/emit.c %D%/bench/emit.h \
	%D%/bench/environment.c \
	%D%/bench/farm.h %D%/bench/farm_closed.c %D%/bench/farm_faults.c \
	%D%/bench/farm_figures.c %D%/bench/farm_fragments.c \
	%D%/bench/farm_loops.c %D%/bench/farm_loops.h \
	%D%/bench/farm_measure.c %D%/bench/farm_measure.h \
	%D%/bench/farm_notes.c %D%/bench/farm_open.c \
	%D%/bench/farm_rank.c %D%/bench/farm_rank.h %D%/bench/farm_run.c \
	%D%/bench/farm_timeline.c \
	%D%/bench/figures.c \
	%D%/bench/harness.c \
	%D%/bench/ledger.c %D%/bench/ledger.h \
	%D%/bench/load.c %D%/bench/load.h \
	%D%/bench/main.c \
	%D%/bench/mailbox.c %D%/bench/mailbox.h \
	%D%/bench/measure.c \
	%D%/bench/occupation.c %D%/bench/occupation.h \
	%D%/bench/options.c %D%/bench/options.h \
	%D%/bench/parkbench.c %D%/bench/parkbench.h \
	%D%/bench/pace.c %D%/bench/pace.h \
	%D%/bench/passes.h \
	%D%/bench/patience.h \
	%D%/bench/placement.c %D%/bench/placement.h \
	%D%/bench/plan.c %D%/bench/plan.h \
	%D%/bench/plan_shapes.c %D%/bench/plan_shapes.h \
	%D%/bench/progress.c \
	%D%/bench/rank.c \
	%D%/bench/recorder.c %D%/bench/recorder.h \
	%D%/bench/run.c \
	%D%/bench/schedule.c %D%/bench/schedule.h \
	%D%/bench/shape.c %D%/bench/shape.h \
	%D%/bench/start.c \
	%D%/bench/timeline.c %D%/bench/timeline.h \
	%D%/bench/timeline_clock.c %D%/bench/timeline_clock.h \
	%D%/bench/timeline_trace.c %D%/bench/timeline_trace.h \
	%D%/bench/timeline_write.c \
	%D%/bench/traffic.c %D%/bench/traffic.h \
	%D%/bench/verify.c \
	%D%/control/clock.c %D%/control/clock.h \
	%D%/control/control.h %D%/control/control_mpi.c %D%/control/control_mpi.h \
	%D%/control/synchronise.c \
	%D%/host/environment.c %D%/host/host.h %D%/host/internal.h \
	%D%/host/task.c %D%/host/task.h \
	%D%/host/text.c \
	%D%/host/topology.c \
	%D%/host/work.c %D%/host/work.h \
	%D%/report/columns.c %D%/report/columns.h \
	%D%/report/csv.c \
	%D%/report/destinations.c %D%/report/destinations.h \
	%D%/report/document.c \
	%D%/report/escape.c %D%/report/escape.h \
	%D%/report/events.c %D%/report/events.h \
	%D%/report/figure.c %D%/report/figure.h \
	%D%/report/file.c %D%/report/file.h \
	%D%/report/form.h \
	%D%/report/json.c \
	%D%/report/path.c %D%/report/path.h \
	%D%/report/reading.c %D%/report/reading.h \
	%D%/report/report.h \
	%D%/report/settings.c %D%/report/settings.h \
	%D%/report/steps.c %D%/report/steps.h \
	%D%/report/stream.c %D%/report/stream.h \
	%D%/report/text.c \
	%D%/report/trace.c %D%/report/trace.h \
	%D%/report/types.c \
	%D%/report/value.c %D%/report/value.h \
	%D%/stats/fit.c %D%/stats/fit.h \
	%D%/stats/histogram.c %D%/stats/histogram.h \
	%D%/stats/parkbench.c %D%/stats/parkbench.h \
	%D%/stats/stats.c %D%/stats/stats.h \
	%D%/transport/buffer.h %D%/transport/group.c %D%/transport/group.h \
	%D%/transport/mpi/factory.c %D%/transport/mpi/group.c %D%/transport/mpi/internal.h \
	%D%/transport/mpi/multicast.c %D%/transport/mpi/receive.c %D%/transport/mpi/send.c \
	%D%/transport/mpi/wait.c \
	%D%/transport/null.c \
	%D%/transport/pool.c %D%/transport/pool.h \
	%D%/transport/socket/endpoint.c %D%/transport/socket/interface.c %D%/transport/socket/meet.c \
	%D%/transport/socket/socket.h \
	%D%/transport/tcp/buffers.c %D%/transport/tcp/close.c %D%/transport/tcp/connect.c \
	%D%/transport/tcp/factory.c %D%/transport/tcp/group.c %D%/transport/tcp/guests.c \
	%D%/transport/tcp/guests.h %D%/transport/tcp/internal.h %D%/transport/tcp/node.c \
	%D%/transport/tcp/receive.c %D%/transport/tcp/send.c %D%/transport/tcp/wait.c \
	%D%/transport/tcp/wire.c %D%/transport/tcp/wire.h \
	%D%/transport/udp/buffers.c %D%/transport/udp/datagram.c %D%/transport/udp/factory.c \
	%D%/transport/udp/faults.c %D%/transport/udp/faults.h %D%/transport/udp/group.c \
	%D%/transport/udp/internal.h %D%/transport/udp/multicast.c %D%/transport/udp/order.c \
	%D%/transport/udp/order.h %D%/transport/udp/receive.c %D%/transport/udp/send.c \
	%D%/transport/udp/stream.c %D%/transport/udp/wire.c %D%/transport/udp/wire.h \
	%D%/transport/technologies.c %D%/transport/technologies.h \
	%D%/transport/transport.c %D%/transport/transport.h

if HAVE_SISCI
libcombench_a_CPPFLAGS += $(SISCI_CFLAGS)
libcombench_a_SOURCES += \
	%D%/transport/sci/bootstrap.c %D%/transport/sci/buffers.c %D%/transport/sci/credit.c \
	%D%/transport/sci/device.c %D%/transport/sci/factory.c %D%/transport/sci/group.c \
	%D%/transport/sci/internal.h %D%/transport/sci/interrupt.c %D%/transport/sci/layout.c \
	%D%/transport/sci/layout.h %D%/transport/sci/line.h %D%/transport/sci/local_segment.c \
	%D%/transport/sci/membership.c %D%/transport/sci/multicast.c %D%/transport/sci/node.c \
	%D%/transport/sci/receive.c %D%/transport/sci/remote_segment.c %D%/transport/sci/send.c \
	%D%/transport/sci/sequence.c %D%/transport/sci/sisci.h %D%/transport/sci/wait.c \
	%D%/transport/sci/word.h
endif

# The archive of this project has to be built before a program is linked, unlike Dolphin's library.
if SISCI_SOFTWARE
SISCI_ARCHIVE = libsisci-shm.a
SISCI_SYSTEM_LIBS = $(SISCI_SHM_LIBS)
else
SISCI_ARCHIVE =
SISCI_SYSTEM_LIBS = $(SISCI_LIBS)
endif
COMBENCH_LIBS = libcombench.a $(SISCI_ARCHIVE) $(SISCI_SYSTEM_LIBS) $(HWLOC_LIBS) $(JANSSON_LIBS) $(CONFUSE_LIBS) $(MPI_LIBS)

