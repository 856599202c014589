# libsisci-shm: the SISCI API over POSIX shared memory. It stands alone, and is installed for others: a
# static library, since the project needs no shared one and so no libtool.
lib_LIBRARIES += libsisci-shm.a

libsisci_shm_a_CPPFLAGS = -D_GNU_SOURCE -D_REENTRANT -I$(top_srcdir)/src
libsisci_shm_a_SOURCES = \
	%D%/connections.c %D%/connections.h \
	%D%/constants.c %D%/constants.h \
	%D%/copy.c \
	%D%/data_interrupt.c \
	%D%/dma.c %D%/dma.h %D%/dma_engine.c \
	%D%/environment.c \
	%D%/error.c \
	%D%/event.c \
	%D%/event_queue.c %D%/event_queue.h \
	%D%/export.h \
	%D%/faults.c %D%/faults.h \
	%D%/interrupt.c \
	%D%/library.c %D%/library.h \
	%D%/line.c %D%/line.h \
	%D%/map.c %D%/map.h \
	%D%/multicast.c %D%/multicast.h \
	%D%/names.c %D%/names.h \
	%D%/objects.c %D%/objects.h \
	%D%/peer.c %D%/peer.h \
	%D%/process.c %D%/process.h \
	%D%/query.c \
	%D%/remote.c %D%/remote.h \
	%D%/segment.c %D%/segment.h \
	%D%/sequence.c %D%/sequence.h \
	%D%/session.c %D%/session.h \
	%D%/shadow.c %D%/shadow.h \
	%D%/shared.c %D%/shared.h \
	%D%/wire.c %D%/wire.h

sisci_shmincludedir = $(includedir)/sisci-shm
dist_sisci_shminclude_HEADERS = %D%/sisci_api.h %D%/sisci_error.h %D%/sisci_types.h

pkgconfig_DATA += %D%/sisci-shm.pc
