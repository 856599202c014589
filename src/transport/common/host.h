/* Which processes are on one host: names may be equal on several machines, as on cloned ones. */
#ifndef TRANSPORT_COMMON_HOST_H
#define TRANSPORT_COMMON_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* Plain data, which ranks exchange. An empty text or 0: unknown. */
typedef struct {
    char name[64];
    char boot[40];      /* the kernel's boot id: another one on each machine */
    uint64_t network;   /* namespace: hosts on one machine may have the same name */
    uint64_t processes; /* namespace of process ids */
    uint64_t users;     /* namespace of users: of each container without root */
} transport_host;

/* Sets every byte. */
void transport_identify_host(transport_host *out);

/* Whether both have one name and one kernel. Their networks may differ. */
bool transport_same_host(const transport_host *one, const transport_host *other);

#endif
