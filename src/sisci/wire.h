/* The way from here to remote memory: one target, or all members of a group. Data travel in pieces
 * of one aligned 64-byte line; in lossy mode lines arrive in any order, in part, or not at all. The
 * caller sees to it that only one thread sends at a time. */
#ifndef SISCI_WIRE_H
#define SISCI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sisci/faults.h"
#include "sisci/session.h"

enum { SISCI_LINE_BYTES = 64 };

typedef struct {
    size_t line;                           /* its number from the start of the targets */
    uint64_t mask;                         /* bit n: byte n travels */
    unsigned char bytes[SISCI_LINE_BYTES]; /* those whose bit is set */
} sisci_piece;

typedef struct {
    unsigned char **targets; /* each of `size` bytes, at the start of a line */
    size_t count;
    size_t size;
    size_t before; /* so many bytes earlier, at the start of a page, each target's mapping begins */
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

/* Send one piece to all targets; false: at least one did not get it whole. */
bool sisci_wire_send_piece(sisci_wire *wire, const sisci_piece *piece);

/* Tell the session that something did not arrive. */
void sisci_wire_report(sisci_wire *wire);

/* Send bytes to an offset; false: not all has arrived, which was reported. */
bool sisci_wire_send(sisci_wire *wire, size_t offset, const void *source, size_t size);

#endif
