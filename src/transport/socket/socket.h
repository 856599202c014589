/* Shared by the technologies over sockets: the address that a process uses, the key of the job, the
 * exchange of both over the bootstrap, and socket options. IPv4 only. */
#ifndef TRANSPORT_SOCKET_SOCKET_H
#define TRANSPORT_SOCKET_SOCKET_H

#include <net/if.h>
#include <netinet/in.h>

#include "transport/transport.h"

enum { SOCKET_KEY_BYTES = 16, SOCKET_TEXT_BYTES = 32 };

/* Drawn by rank 0 and the same in all ranks: a connection from elsewhere lacks it. */
typedef struct {
    unsigned char bytes[SOCKET_KEY_BYTES];
} socket_key;

/* An interface of this host and its address. */
typedef struct {
    char name[IF_NAMESIZE];
    struct in_addr address;
    unsigned mtu_bytes; /* largest packet of the interface in bytes, including the IP header */
} socket_interface;

/* The place of this process in the job. */
typedef struct {
    socket_key key;
    socket_interface interface;
    unsigned local_rank; /* index of this rank among those on this host */
} socket_place;

/* interface.c: the interface of that name. Without a name (NULL): loopback if the job runs on
 * `one_host`, else the one with the address of the host's name, else the only one that is not
 * loopback. CB_ERROR_USAGE, logged with the available names, if none can be chosen. */
cb_status socket_choose_interface(const char *name, bool one_host, socket_interface *out);

/* The interfaces among which to choose, for the slot probe of transport_technology. */
cb_status socket_probe(char *text, size_t bytes);

/* meet.c: learn about the other ranks and agree on the key. Collective; fails in all ranks alike.
 */
cb_status socket_meet(const transport_bootstrap *bootstrap, const char *technology,
                      socket_place *out);

/* Exchange the addresses at which the processes listen. If any process passes a `status` other than
 * CB_OK, the call fails in all ranks. `all` has room for all ranks. Collective. */
cb_status socket_exchange_addresses(const transport_bootstrap *bootstrap, cb_status status,
                                    const struct sockaddr_in *mine, struct sockaddr_in *all);

/* The worst status of all ranks, or CB_OK. Collective. */
cb_status socket_agree(const transport_bootstrap *bootstrap, cb_status status);

/* Whether two keys are equal, in a time that does not depend on where they differ. */
bool socket_key_matches(const unsigned char *bytes, const socket_key *key);

/* endpoint.c: a non-blocking socket of this type (SOCK_STREAM or SOCK_DGRAM), bound to the address
 * of the interface and to `port` (0: any); *bound is its address. CB_ERROR_SYSTEM, logged. */
cb_status socket_bind(const char *technology, int type, const socket_interface *interface,
                      unsigned port, int *out, struct sockaddr_in *bound);

/* The port of this process, from the port of the Context: 0 (any), or the port plus the local rank.
 * CB_ERROR_USAGE, logged, if that is not a valid port. */
cb_status socket_port(const char *technology, uint64_t first, unsigned local_rank, unsigned *out);

/* Request kernel buffers of that many bytes in both directions; 0 leaves the system's default. Only
 * a privileged process gets more than the system's limit. */
void socket_set_buffers(int fd, uint64_t bytes);

/* "127.0.0.1:4711" */
const char *socket_text(const struct sockaddr_in *address, char text[SOCKET_TEXT_BYTES]);

/* "lo 127.0.0.1", for the result. */
void socket_describe(const socket_interface *interface, char *text, size_t bytes);

/* Four bytes in network order, as all numbers of the wire formats. */
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
