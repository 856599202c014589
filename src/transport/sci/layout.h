/* Layout of a process's segment, derived from the settings of all processes: headers, lines,
 * receive buffers, one area after the other. Pure except for the error text. */
#ifndef TRANSPORT_SCI_LAYOUT_H
#define TRANSPORT_SCI_LAYOUT_H

#include "transport/sci/parameters.h"

/* Words of a header that are notices. With lines it holds credits only, and if more messages may be
 * outstanding as well: their notices are in the row. */
enum { SCI_HEADER_NOTICES = 8 };

/* The parts of the segment of `receiver` that `sender` uses; offsets in bytes from its start. */
typedef struct {
    uint64_t notices, credits; /* words, written by `sender` */
    uint64_t lines;            /* one for each outstanding message; valid with has_lines */
    bool has_lines;
    uint64_t buffers; /* of the receiver, shared by all senders */
    uint64_t buffer_bytes;
    uint32_t outstanding; /* of `sender` */
    uint32_t piece_bytes; /* maximum size of a piece of a message */
    uint64_t row;         /* a sci_row, which `sender` writes */
} sci_layout;

/* After the areas of the note, and not part of recv_seg_size, each other process has a row, about
 * multicast groups and for notices. A group's root writes the first two words, a member those up to
 * `consumed`; each word has one writer. Words are initially 0. */
enum {
    SCI_LIVING_GROUPS = 64,  /* existing groups of one root, maximum */
    SCI_MULTICAST_PLACES = 8 /* lines of a group, and buffers of pieces */
};

typedef struct {
    uint32_t group_id;  /* of the last announced group */
    uint32_t announced; /* number of groups that the root has announced to this member */
    uint32_t connected; /* number of these that the root has connected to */
    uint32_t joined;    /* number of groups of this root that the member has joined */
    uint32_t unused[12];
    uint32_t consumed[SCI_LIVING_GROUPS]; /* by the group's slot: a sci_consumed (word.h) */
    uint32_t notices[SCI_HEADER_BYTES / sizeof(uint32_t)];
} sci_row;

/* Size of the whole segment of `rank`. */
size_t sci_layout_segment_bytes(const cb_settings *settings, size_t rank);

sci_layout sci_layout_of(const cb_settings *settings, size_t receiver, size_t sender);

/* Size up to which a message to any receiver of the job is a single piece. */
size_t sci_layout_least_piece(const cb_settings *settings);

/* Where a receive buffer begins. */
static inline uint64_t sci_layout_buffer(const sci_layout *layout, uint32_t number)
{
    return layout->buffers + number * layout->buffer_bytes;
}

/* Check the limits of the segment of `rank`; CB_ERROR_USAGE, logged, with the value needed. */
cb_status sci_layout_check(const cb_settings *settings, size_t rank);

#endif
