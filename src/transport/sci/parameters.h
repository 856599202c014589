/* The Context SCI: names, defaults and places are those of section 10 of the note, inline_area_size
 * and the ranges ours. Without SISCI, so that files are read alike in a build without the rest of
 * the technology. */
#ifndef TRANSPORT_SCI_PARAMETERS_H
#define TRANSPORT_SCI_PARAMETERS_H

#include "base/settings.h"

/* Widths that the protocol fixes: one transfer of SCI, and with it one header; what a header of 16
 * words has room for. */
enum { SCI_LINE_BYTES = 64, SCI_HEADER_BYTES = 64, SCI_MAX_OUTSTANDING = 15 };

/* Adapters have ids that are multiples of 4; the id of all of them, for multicast, is no node's. */
enum { SCI_NODE_MULTIPLE = 4, SCI_NODE_MOST = 65532, SCI_ALL_NODES = 252 };

/* The Context of one process. Areas follow each other in the segment and hold whole lines; their
 * sum is at most recv_seg_size. */
typedef struct {
    uint64_t max_outst_buffers; /* that this process sends to a node before one is acknowledged */
    uint64_t recv_seg_id;       /* processes that share an SCI node add their rank on it */
    uint64_t recv_seg_size;     /* bytes */
    uint64_t header_area_size;  /* bytes: SCI_HEADER_BYTES for each other process */
    uint64_t inline_area_size;  /* bytes; 0: nothing goes in the line of its notification. Else
                                   SCI_LINE_BYTES for each buffer that any other process may have
                                   outstanding here */
    uint64_t recv_buffer_no;   /* at least what all others may have outstanding, and what is held */
    uint64_t recv_buffer_size; /* bytes; a longer message comes in pieces */
    uint64_t use_send_pool;    /* 0: send buffers come from the heap, as they are asked for */
    uint64_t send_buffer_no;
    uint64_t send_buffer_size; /* bytes */
    uint64_t
        node_id; /* of SCI; CB_PARAMETER_ABSENT: the card, or the software in its place, knows */
} sci_settings;

extern const cb_parameter_set sci_parameters;

/* The values for a job without files. Pure. There is a header, and there are inline lines and
 * receive buffers, for each other process and all that it may have outstanding, and receive buffers
 * for what is held; the segment is full to the byte. A receive buffer takes the largest message of
 * the run, as long as one for each peer does not need more than 256 MiB. */
void sci_derive(const cb_job *job, void *values);

/* The values of a rank; the settings are those of this technology. */
static inline sci_settings *sci_settings_of(const cb_settings *settings, size_t rank)
{
    return cb_settings_values(settings, rank);
}

#endif
