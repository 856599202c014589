/* Where things lie in the segment of a process, which follows from the settings of all: headers,
 * lines, receive buffers, one area behind the other. Pure but for the error text. */
#ifndef TRANSPORT_SCI_LAYOUT_H
#define TRANSPORT_SCI_LAYOUT_H

#include "base/settings.h"

/* Words of a header: with lines it holds credits alone, else notices and credits. */
enum { SCI_HEADER_NOTICES = 8, SCI_HEADER_CREDITS = 8 };

/* What of the segment of `receiver` is for `sender`; offsets in bytes from its begin. */
typedef struct {
    uint64_t header; /* written by `sender` */
    uint64_t lines;  /* one for each message outstanding; with has_lines */
    bool has_lines;
    uint64_t buffers; /* of the receiver, for all senders */
    uint64_t buffer_bytes;
    uint32_t outstanding; /* of `sender` */
    uint32_t piece_bytes; /* of a message that are sent at once */
} sci_layout;

sci_layout sci_layout_of(const cb_settings *settings, size_t receiver, size_t sender);

/* Where in a header the first credit is. */
static inline uint64_t sci_layout_credits(const sci_layout *layout)
{
    return layout->has_lines ? layout->header
                             : layout->header + SCI_HEADER_NOTICES * sizeof(uint32_t);
}

/* The limits that the segment of `rank` has to keep; CB_ERROR_USAGE, logged, with the value needed.
 */
cb_status sci_layout_check(const cb_settings *settings, size_t rank);

#endif
