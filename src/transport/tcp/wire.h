/* The wire format of the technology tcp: what a connection begins with, and the header of each
 * message. Numbers are of four bytes, the highest first. Pure. */
#ifndef TRANSPORT_TCP_WIRE_H
#define TRANSPORT_TCP_WIRE_H

#include "transport/socket/socket.h"

enum {
    TCP_HELLO_BYTES = 32, /* 8 that name the format, 16 of the key, rank, number of ranks */
    TCP_HEADER_BYTES = 8  /* payload in bytes, number of the message on its connection */
};

/* In place of a payload's size: this was all. */
#define TCP_GOODBYE UINT32_MAX

typedef struct {
    uint32_t bytes, number;
} tcp_header;

void tcp_hello_write(unsigned char out[TCP_HELLO_BYTES], const socket_key *key, int rank, int size);

/* The rank of who said it; -1 when it is no hello of a rank of this job. */
int tcp_hello_read(const unsigned char hello[TCP_HELLO_BYTES], const socket_key *key, int size);

static inline void tcp_header_write(unsigned char out[TCP_HEADER_BYTES], tcp_header header)
{
    socket_put32(out, header.bytes);
    socket_put32(out + 4, header.number);
}

static inline tcp_header tcp_header_read(const unsigned char *bytes)
{
    return (tcp_header){.bytes = socket_get32(bytes), .number = socket_get32(bytes + 4)};
}

#endif
