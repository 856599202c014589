/* The wire format of the technology udp. A keyed hash of the payload would take longer than sending
 * it, so that only the header has one. */
#include "config.h"

#include "transport/udp/wire.h"

#include <string.h>

#ifdef HAVE_SODIUM
#include <sodium.h>

_Static_assert((int)SOCKET_KEY_BYTES == crypto_shorthash_siphashx24_KEYBYTES &&
                   (int)UDP_TAG_BYTES == crypto_shorthash_siphashx24_BYTES,
               "key and tag are those of SipHash");
#endif

void udp_tag(const socket_key *key, const unsigned char *data, size_t bytes,
             unsigned char out[UDP_TAG_BYTES])
{
#ifdef HAVE_SODIUM
    crypto_shorthash_siphashx24(out, data, bytes, key->bytes);
#else
    (void)data;
    (void)bytes;
    memcpy(out, key->bytes, UDP_TAG_BYTES);
#endif
}

static void tag_header(const unsigned char header[UDP_HEADER_BYTES], const socket_key *key,
                       uint32_t receiver, size_t payload_bytes, unsigned char out[UDP_TAG_BYTES])
{
    enum { FIELDS = UDP_HEADER_BYTES - UDP_TAG_BYTES };
    unsigned char tagged[FIELDS + 8];

    memcpy(tagged, header + UDP_TAG_BYTES, FIELDS);
    socket_put32(tagged + FIELDS, receiver);
    socket_put32(tagged + FIELDS + 4, (uint32_t)payload_bytes);
    udp_tag(key, tagged, sizeof(tagged), out);
}

static uint32_t receiver_of(udp_kind kind, uint32_t receiver)
{
    return kind == UDP_MULTICAST ? UINT32_MAX : receiver;
}

void udp_header_write(unsigned char out[UDP_HEADER_BYTES], const socket_key *key, uint32_t receiver,
                      size_t payload_bytes, const udp_header *header)
{
    socket_put32(out + UDP_KIND_AT, (uint32_t)header->kind);
    socket_put32(out + UDP_RANK_AT, header->rank);
    socket_put32(out + UDP_EPOCH_AT, header->epoch);
    socket_put32(out + UDP_NUMBER_AT, header->number);
    socket_put32(out + UDP_LIST_AT, (uint32_t)(header->list >> 32));
    socket_put32(out + UDP_LIST_AT + 4, (uint32_t)header->list);
    tag_header(out, key, receiver_of(header->kind, receiver), payload_bytes, out);
}

bool udp_header_read(const unsigned char bytes[UDP_HEADER_BYTES], const socket_key *key,
                     uint32_t receiver, size_t payload_bytes, int size, udp_header *out)
{
    const uint32_t kind = socket_get32(bytes + UDP_KIND_AT),
                   rank = socket_get32(bytes + UDP_RANK_AT);
    socket_key expected;

    if (kind >= UDP_KINDS || rank >= (uint32_t)size)
        return false;
    tag_header(bytes, key, receiver_of((udp_kind)kind, receiver), payload_bytes, expected.bytes);
    if (!socket_key_matches(bytes, &expected))
        return false;
    *out = (udp_header){.kind = (udp_kind)kind,
                        .rank = rank,
                        .epoch = socket_get32(bytes + UDP_EPOCH_AT),
                        .number = socket_get32(bytes + UDP_NUMBER_AT),
                        .list = (uint64_t)socket_get32(bytes + UDP_LIST_AT) << 32 |
                                socket_get32(bytes + UDP_LIST_AT + 4)};
    return true;
}
