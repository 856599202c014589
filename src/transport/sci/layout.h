/* Where things lie in the segment of a process, which follows from the settings of all: headers,
 * lines, receive buffers, one area behind the other. Pure but for the error text. */
#ifndef TRANSPORT_SCI_LAYOUT_H
#define TRANSPORT_SCI_LAYOUT_H

#include "transport/sci/parameters.h"

/* Words of a header: with lines it holds credits alone; without, as many notices and credits, or,
 * where more may be outstanding, one notice for all and up to 15 credits. */
enum { SCI_HEADER_NOTICES = 8, SCI_COUNTED_NOTICES = 1 };

/* What of the segment of `receiver` is for `sender`; offsets in bytes from its begin. */
typedef struct {
    uint64_t header; /* written by `sender` */
    uint64_t lines;  /* one for each message outstanding; with has_lines */
    bool has_lines;
    bool counted;     /* one notice: the number of messages so far; a size ends each buffer */
    uint64_t buffers; /* of the receiver, for all senders */
    uint64_t buffer_bytes;
    uint32_t outstanding; /* of `sender` */
    uint32_t piece_bytes; /* of a message that are sent at once */
    uint64_t row;         /* what `sender` writes about multicast groups: a sci_group_row */
} sci_layout;

/* Behind the areas of the note, and not part of recv_seg_size, each other process has a row about
 * groups. As the root of one it writes the first two words, as a member the others; each is written
 * by one thread. A word is 0 in the beginning. */
enum {
    SCI_LIVING_GROUPS = 64,  /* of one root at a time */
    SCI_MULTICAST_PLACES = 8 /* lines of a group, and buffers of pieces */
};

typedef struct {
    uint32_t group_id;  /* of the group announced last */
    uint32_t announced; /* groups that the root has announced to this member so far */
    uint32_t connected; /* and of these, those that it has connected to */
    uint32_t joined;    /* groups of this root that the member is part of, so far */
    uint32_t unused[12];
    uint32_t consumed[SCI_LIVING_GROUPS]; /* by the group's slot: a sci_consumed (word.h) */
} sci_group_row;

/* Bytes of the whole segment of `rank`. */
size_t sci_layout_segment_bytes(const cb_settings *settings, size_t rank);

sci_layout sci_layout_of(const cb_settings *settings, size_t receiver, size_t sender);

/* What goes to any receiver of the job as one piece. */
size_t sci_layout_least_piece(const cb_settings *settings);

/* Where in a header the first credit is. */
static inline uint64_t sci_layout_credits(const sci_layout *layout)
{
    const uint64_t notices = layout->has_lines ? 0
                             : layout->counted ? SCI_COUNTED_NOTICES
                                               : SCI_HEADER_NOTICES;

    return layout->header + notices * sizeof(uint32_t);
}

/* The limits that the segment of `rank` has to keep; CB_ERROR_USAGE, logged, with the value needed.
 */
cb_status sci_layout_check(const cb_settings *settings, size_t rank);

#endif
