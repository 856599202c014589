libcombench_a_SOURCES += \
	%D%/buffer.h \
	%D%/group.c %D%/group.h \
	%D%/mpi/factory.c \
	%D%/mpi/group.c \
	%D%/mpi/internal.h \
	%D%/mpi/multicast.c \
	%D%/mpi/receive.c \
	%D%/mpi/send.c \
	%D%/mpi/wait.c \
	%D%/null.c \
	%D%/pool.c %D%/pool.h \
	%D%/socket/endpoint.c \
	%D%/socket/interface.c \
	%D%/socket/meet.c \
	%D%/socket/socket.h \
	%D%/tcp/buffers.c \
	%D%/tcp/close.c \
	%D%/tcp/connect.c \
	%D%/tcp/factory.c \
	%D%/tcp/group.c \
	%D%/tcp/guests.c %D%/tcp/guests.h \
	%D%/tcp/internal.h \
	%D%/tcp/node.c \
	%D%/tcp/receive.c \
	%D%/tcp/send.c \
	%D%/tcp/wait.c \
	%D%/tcp/wire.c %D%/tcp/wire.h \
	%D%/technologies.c %D%/technologies.h \
	%D%/transport.c %D%/transport.h \
	%D%/udp/buffers.c \
	%D%/udp/datagram.c \
	%D%/udp/factory.c \
	%D%/udp/faults.c %D%/udp/faults.h \
	%D%/udp/group.c \
	%D%/udp/internal.h \
	%D%/udp/multicast.c \
	%D%/udp/order.c %D%/udp/order.h \
	%D%/udp/receive.c \
	%D%/udp/send.c \
	%D%/udp/stream.c \
	%D%/udp/wire.c %D%/udp/wire.h

if HAVE_SISCI
libcombench_a_CPPFLAGS += $(SISCI_CFLAGS)
libcombench_a_SOURCES += \
	%D%/sci/bootstrap.c \
	%D%/sci/buffers.c \
	%D%/sci/credit.c \
	%D%/sci/device.c \
	%D%/sci/factory.c \
	%D%/sci/group.c \
	%D%/sci/internal.h \
	%D%/sci/interrupt.c \
	%D%/sci/layout.c %D%/sci/layout.h \
	%D%/sci/line.h \
	%D%/sci/local_segment.c \
	%D%/sci/membership.c \
	%D%/sci/multicast.c \
	%D%/sci/node.c \
	%D%/sci/receive.c \
	%D%/sci/remote_segment.c \
	%D%/sci/send.c \
	%D%/sci/sequence.c \
	%D%/sci/sisci.h \
	%D%/sci/wait.c \
	%D%/sci/word.h
endif
