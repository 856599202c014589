/* The first bytes of a connection, which show that both ends belong to one job. */
#include "transport/tcp/wire.h"

#include <string.h>

static const unsigned char format_name[8] = {'c', 'b', '-', 't', 'c', 'p', '/', '1'};

enum { KEY_AT = 8, RANK_AT = 24, SIZE_AT = 28 };

void tcp_hello_write(unsigned char out[TCP_HELLO_BYTES], const socket_key *key, int rank, int size)
{
    memcpy(out, format_name, sizeof(format_name));
    memcpy(out + KEY_AT, key->bytes, SOCKET_KEY_BYTES);
    socket_put32(out + RANK_AT, (uint32_t)rank);
    socket_put32(out + SIZE_AT, (uint32_t)size);
}

int tcp_hello_read(const unsigned char hello[TCP_HELLO_BYTES], const socket_key *key, int size)
{
    const uint32_t rank = socket_get32(hello + RANK_AT);

    if (memcmp(hello, format_name, sizeof(format_name)) != 0 ||
        !socket_key_matches(hello + KEY_AT, key) ||
        socket_get32(hello + SIZE_AT) != (uint32_t)size || rank >= (uint32_t)size)
        return -1;
    return (int)rank;
}
