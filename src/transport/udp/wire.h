/* The wire format of the technology udp: the header of each datagram. Numbers have four bytes in
 * network order. Pure. */
#ifndef TRANSPORT_UDP_WIRE_H
#define TRANSPORT_UDP_WIRE_H

#include <string.h>

#include "transport/socket/socket.h"

/* 16 of the key, then kind, rank, epoch, number, and 8 of the list. */
enum { UDP_HEADER_BYTES = 40 };

typedef enum {
    UDP_MESSAGE,
    UDP_MULTICAST, /* a message to the members of a list */
    UDP_JOINED,    /* from a member to the root of a list: it receives its multicasts */
    UDP_WELCOME,   /* the root's answer */
    UDP_KINDS
} udp_kind;

typedef struct {
    udp_kind kind;
    uint32_t rank;   /* of the sender */
    uint32_t epoch;  /* counts the sender's preparations; numbers restart with each */
    uint32_t number; /* of the message between this sender and this receiver or list */
    uint64_t list;   /* for multicasts and list messages, else 0 */
} udp_header;

enum {
    UDP_KIND_AT = 16,
    UDP_RANK_AT = 20,
    UDP_EPOCH_AT = 24,
    UDP_NUMBER_AT = 28,
    UDP_LIST_AT = 32
};

static inline void udp_header_write(unsigned char out[UDP_HEADER_BYTES], const socket_key *key,
                                    const udp_header *header)
{
    memcpy(out, key->bytes, SOCKET_KEY_BYTES);
    socket_put32(out + UDP_KIND_AT, (uint32_t)header->kind);
    socket_put32(out + UDP_RANK_AT, header->rank);
    socket_put32(out + UDP_EPOCH_AT, header->epoch);
    socket_put32(out + UDP_NUMBER_AT, header->number);
    socket_put32(out + UDP_LIST_AT, (uint32_t)(header->list >> 32));
    socket_put32(out + UDP_LIST_AT + 4, (uint32_t)header->list);
}

/* False if these bytes are not a header of a rank of this job. */
static inline bool udp_header_read(const unsigned char bytes[UDP_HEADER_BYTES],
                                   const socket_key *key, int size, udp_header *out)
{
    const uint32_t kind = socket_get32(bytes + UDP_KIND_AT),
                   rank = socket_get32(bytes + UDP_RANK_AT);

    if (!socket_key_matches(bytes, key) || kind >= UDP_KINDS || rank >= (uint32_t)size)
        return false;
    *out = (udp_header){.kind = (udp_kind)kind,
                        .rank = rank,
                        .epoch = socket_get32(bytes + UDP_EPOCH_AT),
                        .number = socket_get32(bytes + UDP_NUMBER_AT),
                        .list = (uint64_t)socket_get32(bytes + UDP_LIST_AT) << 32 |
                                socket_get32(bytes + UDP_LIST_AT + 4)};
    return true;
}

#endif
