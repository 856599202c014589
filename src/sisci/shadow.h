/* What a remote map is made of in lossy mode: private memory that takes the program's stores until
 * a flush, a barrier or a check sends them. Every word (4 aligned bytes) that is not written holds
 * a secret pattern; a word that holds anything else was stored, and travels. So a store is noticed
 * whatever the remote memory holds meanwhile, and one that was lost must be made again by the
 * program. What that costs: the map cannot be read, and stores are seen in whole words. */
#ifndef SISCI_SHADOW_H
#define SISCI_SHADOW_H

#include "sisci/wire.h"

typedef struct sisci_shadow sisci_shadow;

/* A shadow for a wire and of its size; the wire becomes the shadow's. `mapping_flags` and `where`
 * are those of mmap(2). NULL: see errno; the wire is still the caller's. */
sisci_shadow *sisci_shadow_create(const sisci_wire *wire, int mapping_flags, void *where);
void sisci_shadow_destroy(sisci_shadow *shadow);

/* Where the program stores. */
void *sisci_shadow_memory(sisci_shadow *shadow);

/* Send all that was stored. Safe in several threads. */
void sisci_shadow_push(sisci_shadow *shadow);

/* Send bytes without the detour; false: not all has arrived. */
bool sisci_shadow_send(sisci_shadow *shadow, size_t offset, const void *source, size_t size);

/* Read the remote memory, of the first target. */
void sisci_shadow_read(sisci_shadow *shadow, size_t offset, void *destination, size_t size);

#endif
