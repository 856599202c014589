/* Maps as the other files see them. */
#ifndef SISCI_MAP_H
#define SISCI_MAP_H

#include <stdatomic.h>

#include "sisci/library.h"
#include "sisci/remote.h"
#include "sisci/segment.h"
#include "sisci/wire.h"

struct sci_map {
    sisci_resource resource;
    sci_local_segment_t local; /* one of these two is NULL */
    sci_remote_segment_t remote;
    unsigned char *address;
    size_t size;
    void *mapping; /* from the page on in which it starts; NULL: the shadow has its own */
    size_t mapping_bytes;
    sisci_shadow *shadow; /* remote, in lossy mode; else NULL */
    bool for_reading;     /* stores would be a fault of the processor */
    unsigned sequences;
};

/* The remote map of this process that has all of a piece of memory; NULL: none. The library is
 * locked. */
sci_map_t sisci_map_around(const volatile void *address, size_t size);

/* Flush all maps of this process. The library is locked. */
void sisci_maps_flush(void);

/* Send what was stored to a remote map, and keep it before all that follows. */
static inline void sisci_map_flush(sci_map_t map)
{
    if (map->shadow != NULL)
        sisci_shadow_push(map->shadow);
    atomic_thread_fence(memory_order_seq_cst);
}

#endif
