/* The wire format of the technology udp: the header of each datagram. Numbers have four bytes in
 * network order. Pure. */
#ifndef TRANSPORT_UDP_WIRE_H
#define TRANSPORT_UDP_WIRE_H

#include "transport/socket/socket.h"

/* A tag, which takes the place of the job's key, then kind, rank, epoch, number, and 8 of the list.
 */
enum { UDP_TAG_BYTES = 16, UDP_HEADER_BYTES = 40 };

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
    UDP_KIND_AT = UDP_TAG_BYTES,
    UDP_RANK_AT = 20,
    UDP_EPOCH_AT = 24,
    UDP_NUMBER_AT = 28,
    UDP_LIST_AT = 32
};

/* The tag of these bytes: 128 bits of SipHash-2-4, which whoever reads a datagram cannot make for
 * another. In a build without libsodium it is the key itself. */
void udp_tag(const socket_key *key, const unsigned char *data, size_t bytes,
             unsigned char out[UDP_TAG_BYTES]);

/* Hot. The header of a datagram with this payload to the rank `receiver`, which a multicast has
 * not. The tag is that of header, receiver and payload_bytes. */
void udp_header_write(unsigned char out[UDP_HEADER_BYTES], const socket_key *key, uint32_t receiver,
                      size_t payload_bytes, const udp_header *header);

/* Hot. False if these bytes are not such a header by a rank of this job. */
bool udp_header_read(const unsigned char bytes[UDP_HEADER_BYTES], const socket_key *key,
                     uint32_t receiver, size_t payload_bytes, int size, udp_header *out);

#endif
