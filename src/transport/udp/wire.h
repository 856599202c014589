/* The wire format of the technology udp: the header of each datagram. Numbers are of four bytes,
 * the highest first. Pure. */
#ifndef TRANSPORT_UDP_WIRE_H
#define TRANSPORT_UDP_WIRE_H

#include "transport/socket/socket.h"

/* 16 of the key, then kind, rank, epoch, number, and 8 of the list. */
enum { UDP_HEADER_BYTES = 40 };

typedef enum {
    UDP_MESSAGE,
    UDP_MULTICAST, /* a message to the members of a list */
    UDP_JOINED,    /* a member to the root of a list: I receive its multicasts */
    UDP_WELCOME,   /* the root's answer */
    UDP_KINDS
} udp_kind;

typedef struct {
    udp_kind kind;
    uint32_t rank;   /* of the sender */
    uint32_t epoch;  /* counts the sender's preparations; numbers begin anew with each */
    uint32_t number; /* of a message, on its way from this sender to this receiver or list */
    uint64_t list;   /* of multicasts and what concerns them, else 0 */
} udp_header;

void udp_header_write(unsigned char out[UDP_HEADER_BYTES], const socket_key *key,
                      const udp_header *header);

/* False when these bytes are no header of a rank of this job. */
bool udp_header_read(const unsigned char bytes[UDP_HEADER_BYTES], const socket_key *key, int size,
                     udp_header *out);

#endif
