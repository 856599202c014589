# libsisci-shm: the SISCI API over POSIX shared memory. It stands alone, and is installed for others
# as a shared and a static library. The project's own programs and tests are linked with an archive
# of the same sources: it is not compiled as position-independent code, the programs start from the
# build folder without libtool's scripts, and the tests call internal functions.
lib_LTLIBRARIES += libsisci-shm.la
noinst_LIBRARIES += libsisci-shm.a

SISCI_SHM_SOURCES = \
	%D%/connections.c %D%/connections.h \
	%D%/data_interrupt.c \
	%D%/device.c \
	%D%/dma.c \
	%D%/internal.h \
	%D%/interrupt.c \
	%D%/library.c \
	%D%/map.c \
	%D%/peer.c %D%/peer.h \
	%D%/registry.c %D%/registry.h \
	%D%/remote.c \
	%D%/segment.c \
	%D%/start.c \
	%D%/transfer.c \
	%D%/wire.c %D%/wire.h
SISCI_SHM_CPPFLAGS = -D_GNU_SOURCE -D_REENTRANT -I$(top_srcdir)/src
SISCI_SHM_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

libsisci_shm_la_CPPFLAGS = $(SISCI_SHM_CPPFLAGS)
libsisci_shm_la_CFLAGS = $(SISCI_SHM_CFLAGS)
libsisci_shm_la_SOURCES = $(SISCI_SHM_SOURCES)
# CURRENT:REVISION:AGE of the interface: see "Updating library version information" of libtool's manual.
libsisci_shm_la_LDFLAGS = $(SANITIZER_CFLAGS) -no-undefined -version-info 0:0:0
libsisci_shm_la_LIBADD = $(SISCI_SHM_LIBS)

libsisci_shm_a_CPPFLAGS = $(SISCI_SHM_CPPFLAGS)
libsisci_shm_a_CFLAGS = $(SISCI_SHM_CFLAGS)
libsisci_shm_a_SOURCES = $(SISCI_SHM_SOURCES)

sisci_shmincludedir = $(includedir)/sisci-shm
dist_sisci_shminclude_HEADERS = %D%/sisci_api.h %D%/sisci_error.h %D%/sisci_types.h

pkgconfig_DATA += %D%/sisci-shm.pc
