/* The Context SCI: names, defaults and scopes are those of section 10 of the note;
 * inline_area_size, acknowledge_each, transfer_multiple and the ranges are additions, whose
 * defaults make the protocol that of the note. Independent of SISCI, so that a build without this
 * technology reads the same files. */
#ifndef TRANSPORT_SCI_PARAMETERS_H
#define TRANSPORT_SCI_PARAMETERS_H

#include "base/settings.h"

/* Sizes fixed by the protocol: one SCI transfer, which is one header; the capacity of a header of
 * 16 words. */
enum { SCI_LINE_BYTES = 64, SCI_HEADER_BYTES = 64, SCI_MAX_OUTSTANDING = 15 };

/* Adapter ids are multiples of 4; the id for all adapters, used by multicast, belongs to no node.
 */
enum { SCI_NODE_MULTIPLE = 4, SCI_NODE_MOST = 65532, SCI_ALL_NODES = 252 };

/* The parameters of one process. Areas follow each other in the segment and hold whole lines; their
 * sum is at most recv_seg_size. */
typedef struct {
    uint64_t max_outst_buffers; /* maximum messages to a node before one is acknowledged */
    uint64_t recv_seg_id;       /* processes that share an SCI node add their rank to it */
    uint64_t recv_seg_size;     /* bytes */
    uint64_t header_area_size;  /* bytes: SCI_HEADER_BYTES for each other process */
    uint64_t
        inline_area_size; /* bytes; 0: notifications carry no payload. Otherwise SCI_LINE_BYTES for
                             each message that any other process may have outstanding here */
    uint64_t acknowledge_each;  /* 0: credits may be given several at a time */
    uint64_t transfer_multiple; /* bytes, a power of 2, at most SCI_LINE_BYTES: data are written in
                                   multiples of it */
    uint64_t
        recv_buffer_no; /* at least all outstanding messages of the others plus the held buffers */
    uint64_t recv_buffer_size; /* bytes; a longer message is sent in pieces */
    uint64_t use_send_pool;    /* 0: send buffers are allocated from the heap on request */
    uint64_t send_buffer_no;
    uint64_t send_buffer_size; /* bytes */
    uint64_t node_id; /* of SCI; CB_PARAMETER_ABSENT: ask the card, or the software library */
} sci_settings;

extern const cb_parameter_set sci_parameters;

/* The values for a job without files. Pure. For each other process there is a header, and inline
 * lines and receive buffers for its outstanding messages; also receive buffers for those held. The
 * segment has no unused byte. A receive buffer holds the largest message of the run, as long as one
 * buffer per peer needs at most 256 MiB. */
void sci_derive(const cb_job *job, void *values);

/* The values of a rank; the settings must be those of this technology. */
static inline sci_settings *sci_settings_of(const cb_settings *settings, size_t rank)
{
    return cb_settings_values(settings, rank);
}

#endif
