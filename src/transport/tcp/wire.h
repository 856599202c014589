/* The wire format of the technology tcp: the hello of a connection and the header of each message.
 * Numbers have four bytes in network order. Pure. */
#ifndef TRANSPORT_TCP_WIRE_H
#define TRANSPORT_TCP_WIRE_H

#include <string.h>

#include "transport/socket/socket.h"

enum {
    TCP_HELLO_BYTES = 32, /* 8 that name the format, 16 of the key, rank, number of ranks */
    TCP_HEADER_BYTES = 8  /* payload in bytes, number of the message on its connection */
};

/* In place of a payload's size: no further message follows. */
#define TCP_SHUTDOWN UINT32_MAX

typedef struct {
    uint32_t bytes, number;
} tcp_header;

static const unsigned char tcp_format_name[8] = {'c', 'b', '-', 't', 'c', 'p', '/', '1'};

enum { TCP_KEY_AT = 8, TCP_RANK_AT = 24, TCP_SIZE_AT = 28 };

/* The first bytes of a connection, which prove that both ends belong to the same job. */
static inline void tcp_hello_write(unsigned char out[TCP_HELLO_BYTES], const socket_key *key,
                                   int rank, int size)
{
    memcpy(out, tcp_format_name, sizeof(tcp_format_name));
    memcpy(out + TCP_KEY_AT, key->bytes, SOCKET_KEY_BYTES);
    socket_put32(out + TCP_RANK_AT, (uint32_t)rank);
    socket_put32(out + TCP_SIZE_AT, (uint32_t)size);
}

/* The rank that sent the hello; -1: not a hello of a rank of this job. */
static inline int tcp_hello_read(const unsigned char hello[TCP_HELLO_BYTES], const socket_key *key,
                                 int size)
{
    const uint32_t rank = socket_get32(hello + TCP_RANK_AT);

    if (memcmp(hello, tcp_format_name, sizeof(tcp_format_name)) != 0 ||
        !socket_key_matches(hello + TCP_KEY_AT, key) ||
        socket_get32(hello + TCP_SIZE_AT) != (uint32_t)size || rank >= (uint32_t)size)
        return -1;
    return (int)rank;
}

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
