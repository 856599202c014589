/* What the technologies over sockets share: which address a process uses, the key of the job, the
 * exchange of both over the bootstrap, and the options of a socket. IPv4. */
#ifndef TRANSPORT_SOCKET_SOCKET_H
#define TRANSPORT_SOCKET_SOCKET_H

#include <net/if.h>
#include <netinet/in.h>

#include "transport/transport.h"

enum { SOCKET_KEY_BYTES = 16, SOCKET_TEXT_BYTES = 32 };

/* Drawn by rank 0, the same in all ranks: what comes from elsewhere lacks it. */
typedef struct {
    unsigned char bytes[SOCKET_KEY_BYTES];
} socket_key;

/* An interface of this host, with its address. */
typedef struct {
    char name[IF_NAMESIZE];
    struct in_addr address;
    unsigned mtu_bytes; /* the largest packet that the interface takes, IP header included */
} socket_interface;

/* Where this process is in the job. */
typedef struct {
    socket_key key;
    socket_interface interface;
    unsigned local_rank; /* ranks on this host come one behind the other */
} socket_place;

/* interface.c: the interface of that name; without a name (NULL) loopback if the job stays on
 * `one_host`, else the one with the address of the host's name, else the only one that is not
 * loopback. CB_ERROR_USAGE, logged with the names that there are, where none can be chosen. */
cb_status socket_choose_interface(const char *name, bool one_host, socket_interface *out);

/* meet.c: find out about the others and agree on the key. Collective; fails in all ranks alike. */
cb_status socket_meet(const transport_bootstrap *bootstrap, const char *technology,
                      socket_place *out);

/* Tell the others at which address this process listens, or that it does not (any `status` but
 * CB_OK): then the call fails in all ranks. `all` has room for all ranks. Collective. */
cb_status socket_exchange_addresses(const transport_bootstrap *bootstrap, cb_status status,
                                    const struct sockaddr_in *mine, struct sockaddr_in *all);

/* The worst status of all ranks, or CB_OK. Collective. */
cb_status socket_agree(const transport_bootstrap *bootstrap, cb_status status);

/* Whether two keys are the same, in a time that does not depend on where they differ. */
bool socket_key_matches(const unsigned char *bytes, const socket_key *key);

/* endpoint.c: a non-blocking socket of this type (SOCK_STREAM or SOCK_DGRAM), bound to the address
 * of the interface and to `port` (0: any); *bound is what it got. CB_ERROR_SYSTEM, logged. */
cb_status socket_bind(const char *technology, int type, const socket_interface *interface,
                      unsigned port, int *out, struct sockaddr_in *bound);

/* The port for this process, from that of the Context: 0 (any), or the port plus the local rank.
 * CB_ERROR_USAGE, logged, where that is none. */
cb_status socket_port(const char *technology, uint64_t first, unsigned local_rank, unsigned *out);

/* Ask for buffers in the kernel of so many bytes in both directions; 0 leaves them to the system.
 * Beyond the system's limit only a privileged process gets what it asks for. */
void socket_set_buffers(int fd, uint64_t bytes);

/* "127.0.0.1:4711" */
const char *socket_text(const struct sockaddr_in *address, char text[SOCKET_TEXT_BYTES]);

/* "lo 127.0.0.1", for the result. */
void socket_describe(const socket_interface *interface, char *text, size_t bytes);

/* Four bytes, the highest first, as all numbers of the wire formats. */
static inline void socket_put32(unsigned char *bytes, uint32_t value)
{
    bytes[0] = (unsigned char)(value >> 24);
    bytes[1] = (unsigned char)(value >> 16);
    bytes[2] = (unsigned char)(value >> 8);
    bytes[3] = (unsigned char)value;
}

static inline uint32_t socket_get32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

#endif
