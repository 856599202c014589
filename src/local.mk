# libcombench: all that the benchmark programs stand on. mpi.h is seen by control and by the mpi
# technology alone, but an archive has one set of flags; the layering test watches over it.
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
include src/farm/local.mk
include src/occupation/local.mk
include src/timeline/local.mk
include src/emit/local.mk

# The archive of this project has to be built before a program is linked, unlike Dolphin's library.
if SISCI_SOFTWARE
SISCI_ARCHIVE = libsisci-shm.a
SISCI_SYSTEM_LIBS = $(SISCI_SHM_LIBS)
else
SISCI_ARCHIVE =
SISCI_SYSTEM_LIBS = $(SISCI_LIBS)
endif
COMBENCH_LIBS = libcombench.a $(SISCI_ARCHIVE) $(SISCI_SYSTEM_LIBS) $(HWLOC_LIBS) $(JANSSON_LIBS) $(CONFUSE_LIBS) $(MPI_LIBS)

