/* Transfers to remote memory. A wire leads to one target, or to all members of a group. Data travel
 * in pieces of one aligned 64-byte line; in lossy mode lines arrive in any order, in part, or not
 * at all. The caller makes sure that only one thread at a time sends over a wire.
 *
 * A shadow is what a remote map consists of in lossy mode: private memory that takes the program's
 * stores until a flush, a barrier or a check sends them over the shadow's wire. Every word (4
 * aligned bytes) that is not written holds a secret pattern; a word that holds anything else was
 * stored, and travels. So a store is noticed whatever the remote memory holds meanwhile, and a
 * store that was lost must be made again by the program. The price: the map cannot be read, and
 * stores are seen in whole words. */
#ifndef SISCI_WIRE_H
#define SISCI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sisci/faults.h"

enum { SISCI_LINE_BYTES = 64 };

typedef struct {
    unsigned char **targets; /* each of `size` bytes, at the start of a line */
    size_t count;
    size_t size;
    size_t before; /* bytes from the start of each target's mapping, a page, to the target */
    sisci_session *session;
    const sisci_faults *faults;
    sisci_dice dice;
    size_t *order; /* of the lines of one transfer: room for all lines of a target */
} sisci_wire;

/* Make a wire for at most `room` targets; `stream` makes its faults differ from those of others.
 * False: out of memory. */
bool sisci_wire_initialise(sisci_wire *wire, size_t room, size_t before, size_t size,
                           sisci_session *session, const sisci_faults *faults, uint64_t stream);

/* Add a target: a mapping of before + size bytes, which becomes the wire's. */
void sisci_wire_add(sisci_wire *wire, void *mapping);

/* Unmap the targets and free; the wire itself is the caller's. */
void sisci_wire_destroy(sisci_wire *wire);

/* Put `count` lines that are in wire->order into the order in which they travel. */
void sisci_wire_arrange(sisci_wire *wire, size_t count);

/* Send bytes to an offset; false: not all has arrived, which was reported. */
bool sisci_wire_send(sisci_wire *wire, size_t offset, const void *source, size_t size);

typedef struct sisci_shadow sisci_shadow;

/* A shadow for a wire and of its size; the wire becomes the shadow's. `mapping_flags` and `where`
 * as in mmap(2). NULL: see errno; the wire remains the caller's. */
sisci_shadow *sisci_shadow_create(const sisci_wire *wire, int mapping_flags, void *where);
void sisci_shadow_destroy(sisci_shadow *shadow);

/* Where the program stores. */
void *sisci_shadow_memory(sisci_shadow *shadow);

/* Send all that was stored. Safe in several threads. */
void sisci_shadow_push(sisci_shadow *shadow);

/* Send bytes at once, without a store to the shadow; false: not all has arrived. */
bool sisci_shadow_send(sisci_shadow *shadow, size_t offset, const void *source, size_t size);

/* Read the remote memory, of the first target. */
void sisci_shadow_read(sisci_shadow *shadow, size_t offset, void *destination, size_t size);

#endif
