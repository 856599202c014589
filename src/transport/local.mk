libcombench_a_SOURCES += \
	%D%/buffer.c %D%/buffer.h \
	%D%/common/group.c %D%/common/group.h \
	%D%/common/host.c %D%/common/host.h \
	%D%/common/technology.c %D%/common/technology.h \
	%D%/error.c \
	%D%/factory.c \
	%D%/registry.c \
	%D%/remote/buffers.c \
	%D%/remote/close.c \
	%D%/remote/credit.c \
	%D%/remote/internal.h \
	%D%/remote/open.c \
	%D%/remote/parameters.c \
	%D%/remote/parameters.h \
	%D%/remote/presence.c \
	%D%/remote/progress.c \
	%D%/remote/receive.c \
	%D%/remote/remote.h \
	%D%/remote/send.c \
	%D%/socket/endpoint.c \
	%D%/socket/interface.c \
	%D%/socket/meet.c \
	%D%/socket/socket.h \
	%D%/transport.h

# One line for each technology: its folder's files.
libcombench_a_SOURCES += %D%/mpi/group.c %D%/mpi/internal.h %D%/mpi/multicast.c %D%/mpi/receive.c %D%/mpi/send.c %D%/mpi/technology.c
libcombench_a_SOURCES += %D%/null/technology.c
libcombench_a_SOURCES += %D%/ofi/parameters.c %D%/ofi/parameters.h %D%/ofi/technology.c
libcombench_a_SOURCES += %D%/rma/internal.h %D%/rma/parameters.c %D%/rma/parameters.h %D%/rma/technology.c %D%/rma/transfer.c %D%/rma/window.c
libcombench_a_SOURCES += %D%/sci/parameters.c %D%/sci/parameters.h %D%/sci/technology.c
libcombench_a_SOURCES += %D%/tcp/connect.c %D%/tcp/connection.c %D%/tcp/info.c %D%/tcp/internal.h %D%/tcp/receive.c %D%/tcp/send.c %D%/tcp/technology.c %D%/tcp/wire.h
libcombench_a_SOURCES += %D%/ucx/parameters.c %D%/ucx/parameters.h %D%/ucx/technology.c
libcombench_a_SOURCES += %D%/udp/datagram.c %D%/udp/group.c %D%/udp/internal.h %D%/udp/multicast.c %D%/udp/order.c %D%/udp/order.h %D%/udp/receive.c %D%/udp/send.c %D%/udp/stream.c %D%/udp/technology.c %D%/udp/wire.c %D%/udp/wire.h
libcombench_a_CPPFLAGS += $(SODIUM_CFLAGS)

if HAVE_SISCI
libcombench_a_CPPFLAGS += $(SISCI_CFLAGS)
libcombench_a_SOURCES += %D%/sci/bootstrap.c %D%/sci/buffers.c %D%/sci/credit.c %D%/sci/factory.c %D%/sci/group.c %D%/sci/internal.h %D%/sci/layout.c %D%/sci/layout.h %D%/sci/membership.c %D%/sci/multicast.c %D%/sci/node.c %D%/sci/receive.c %D%/sci/send.c %D%/sci/sisci.c %D%/sci/sisci.h %D%/sci/word.h
endif

if HAVE_LIBFABRIC
libcombench_a_CPPFLAGS += $(LIBFABRIC_CFLAGS)
libcombench_a_SOURCES += %D%/ofi/fabric.c %D%/ofi/internal.h %D%/ofi/leftovers.c %D%/ofi/provider.c %D%/ofi/transfer.c
endif

if HAVE_UCX
libcombench_a_CPPFLAGS += $(UCX_CFLAGS)
libcombench_a_SOURCES += %D%/ucx/factory.c %D%/ucx/internal.h %D%/ucx/receive.c %D%/ucx/resources.c %D%/ucx/send.c
endif

# Libraries of technologies. The archive of this project has to be built before a program is linked,
# unlike Dolphin's library.
if SISCI_SOFTWARE
TRANSPORT_LIBS = libsisci-shm.a $(SISCI_SHM_LIBS)
else
TRANSPORT_LIBS = $(SISCI_LIBS)
endif
TRANSPORT_LIBS += $(LIBFABRIC_LIBS) $(UCX_LIBS) $(SODIUM_LIBS)
