# libcombench: all that the benchmark programs stand on. mpi.h is seen by few of them, but an
# archive has one set of flags; the layering test watches over it.
noinst_LIBRARIES += libcombench.a

libcombench_a_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libcombench_a_SOURCES =

include src/base/local.mk
include src/stats/local.mk
include src/host/local.mk
include src/control/local.mk
include src/report/local.mk
include src/transport/local.mk
include src/engine/local.mk
include src/rate/local.mk
include src/farm/local.mk
include src/evb/local.mk
include src/linkmap/local.mk
include src/occupation/local.mk
include src/bare/local.mk
include src/parkbench/local.mk
include src/timeline/local.mk
include src/emit/local.mk
include src/world/local.mk
include src/congest/local.mk
include src/replay/local.mk

COMBENCH_LIBS = libcombench.a $(TRANSPORT_LIBS) $(HWLOC_LIBS) $(JANSSON_LIBS) $(CONFUSE_LIBS) $(CONTEXT_LIBS) $(MPI_LIBS)

