/* The header of a datagram, whose key shows that it is of this job. */
#include "transport/udp/wire.h"

#include <string.h>

enum { KIND_AT = 16, RANK_AT = 20, EPOCH_AT = 24, NUMBER_AT = 28, LIST_AT = 32 };

void udp_header_write(unsigned char out[UDP_HEADER_BYTES], const socket_key *key,
                      const udp_header *header)
{
    memcpy(out, key->bytes, SOCKET_KEY_BYTES);
    socket_put32(out + KIND_AT, (uint32_t)header->kind);
    socket_put32(out + RANK_AT, header->rank);
    socket_put32(out + EPOCH_AT, header->epoch);
    socket_put32(out + NUMBER_AT, header->number);
    socket_put32(out + LIST_AT, (uint32_t)(header->list >> 32));
    socket_put32(out + LIST_AT + 4, (uint32_t)header->list);
}

bool udp_header_read(const unsigned char bytes[UDP_HEADER_BYTES], const socket_key *key, int size,
                     udp_header *out)
{
    const uint32_t kind = socket_get32(bytes + KIND_AT), rank = socket_get32(bytes + RANK_AT);

    if (!socket_key_matches(bytes, key) || kind >= UDP_KINDS || rank >= (uint32_t)size)
        return false;
    *out = (udp_header){.kind = (udp_kind)kind,
                        .rank = rank,
                        .epoch = socket_get32(bytes + EPOCH_AT),
                        .number = socket_get32(bytes + NUMBER_AT),
                        .list = (uint64_t)socket_get32(bytes + LIST_AT) << 32 |
                                socket_get32(bytes + LIST_AT + 4)};
    return true;
}
