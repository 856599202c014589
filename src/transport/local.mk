libcombench_a_SOURCES += \
	%D%/buffer.c %D%/buffer.h \
	%D%/common/group.c %D%/common/group.h \
	%D%/common/technology.c %D%/common/technology.h \
	%D%/error.c \
	%D%/factory.c \
	%D%/registry.c \
	%D%/socket/endpoint.c \
	%D%/socket/interface.c \
	%D%/socket/meet.c \
	%D%/socket/socket.h \
	%D%/transport.h

# One line for each technology: its folder's files.
libcombench_a_SOURCES += %D%/mpi/group.c %D%/mpi/internal.h %D%/mpi/multicast.c %D%/mpi/receive.c %D%/mpi/send.c %D%/mpi/technology.c
libcombench_a_SOURCES += %D%/null/technology.c
libcombench_a_SOURCES += %D%/sci/parameters.c %D%/sci/parameters.h %D%/sci/technology.c
libcombench_a_SOURCES += %D%/tcp/connect.c %D%/tcp/connection.c %D%/tcp/internal.h %D%/tcp/receive.c %D%/tcp/send.c %D%/tcp/technology.c %D%/tcp/wire.h
libcombench_a_SOURCES += %D%/udp/datagram.c %D%/udp/group.c %D%/udp/internal.h %D%/udp/multicast.c %D%/udp/order.c %D%/udp/order.h %D%/udp/receive.c %D%/udp/send.c %D%/udp/stream.c %D%/udp/technology.c %D%/udp/wire.h

if HAVE_SISCI
libcombench_a_CPPFLAGS += $(SISCI_CFLAGS)
libcombench_a_SOURCES += %D%/sci/bootstrap.c %D%/sci/buffers.c %D%/sci/credit.c %D%/sci/factory.c %D%/sci/group.c %D%/sci/internal.h %D%/sci/layout.c %D%/sci/layout.h %D%/sci/membership.c %D%/sci/multicast.c %D%/sci/node.c %D%/sci/receive.c %D%/sci/send.c %D%/sci/sisci.c %D%/sci/sisci.h %D%/sci/word.h
endif

# Libraries of technologies. The archive of this project has to be built before a program is linked,
# unlike Dolphin's library.
if SISCI_SOFTWARE
TRANSPORT_LIBS = libsisci-shm.a $(SISCI_SHM_LIBS)
else
TRANSPORT_LIBS = $(SISCI_LIBS)
endif
