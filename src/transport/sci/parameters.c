/* The rows of the Context SCI, the values derived from a job, and the limits. KB and MB are 2^10
 * and 2^20 in the note: 8 KB of headers and 127 receive buffers of 8 KB fill the segment of 1 MB
 * exactly. */
#include "transport/sci/parameters.h"

#include <stdio.h>

#define KB (UINT64_C(1) << 10)
#define MB (UINT64_C(1) << 20)
#define LARGEST_AREA (UINT64_C(1) << 40)
#define LARGEST_BUFFER (UINT64_C(1) << 31)
/* The local rank is added to it, and the sum must fit 32 bits. */
#define LARGEST_SEGMENT_ID (UINT64_C(0xffffffff) - 0xffff)

enum { MOST_BUFFERS = 1 << 20, ANY_NODE = CB_SCOPE_TOP | CB_SCOPE_NODE | CB_SCOPE_JOB };

static bool is_node_id(uint64_t value, char why[CB_WHY_BYTES])
{
    if (value % SCI_NODE_MULTIPLE == 0 && value != SCI_ALL_NODES)
        return true;
    snprintf(why, CB_WHY_BYTES,
             "not the id of an SCI node; use a multiple of %d other than %d, which means all nodes",
             SCI_NODE_MULTIPLE, SCI_ALL_NODES);
    return false;
}

/* So that whole lines are made of whole multiples. */
static bool is_power_of_2(uint64_t value, char why[CB_WHY_BYTES])
{
    if ((value & (value - 1)) == 0)
        return true;
    snprintf(why, CB_WHY_BYTES, "not a power of 2; use 1, 2, 4, 8, 16, 32 or 64");
    return false;
}

enum {
    MAX_OUTST_BUFFERS,
    RECV_SEG_ID,
    RECV_SEG_SIZE,
    HEADER_AREA_SIZE,
    INLINE_AREA_SIZE,
    ACKNOWLEDGE_EACH,
    TRANSFER_MULTIPLE,
    RECV_BUFFER_NO,
    RECV_BUFFER_SIZE,
    USE_SEND_POOL,
    SEND_BUFFER_NO,
    SEND_BUFFER_SIZE,
    NODE_ID,
    ROWS
};

#define FIELD(name) offsetof(sci_settings, name)

static const cb_parameter rows[ROWS] = {
    [MAX_OUTST_BUFFERS] = {.name = "max_outst_buffers",
                           .scopes = ANY_NODE,
                           .offset = FIELD(max_outst_buffers),
                           .default_value = 1,
                           .minimum = 1,
                           .maximum = SCI_MAX_OUTSTANDING,
                           .help = "Maximum number of messages to another node that are not yet "
                                   "acknowledged"},
    [RECV_SEG_ID] = {.name = "recv_seg_id",
                     .scopes = ANY_NODE,
                     .offset = FIELD(recv_seg_id),
                     .default_value = 8,
                     .maximum = LARGEST_SEGMENT_ID,
                     .help = "Id of the segment; processes that share an SCI node add their local "
                             "rank"},
    [RECV_SEG_SIZE] = {.name = "recv_seg_size",
                       .scopes = ANY_NODE,
                       .kind = CB_PARAMETER_SIZE,
                       .offset = FIELD(recv_seg_size),
                       .default_value = 1 * MB,
                       .minimum = SCI_LINE_BYTES,
                       .maximum = LARGEST_AREA,
                       .multiple = SCI_LINE_BYTES,
                       .help = "Size of the segment"},
    [HEADER_AREA_SIZE] = {.name = "header_area_size",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_SIZE,
                          .offset = FIELD(header_area_size),
                          .default_value = 8 * KB,
                          .minimum = SCI_HEADER_BYTES,
                          .maximum = LARGEST_AREA,
                          .multiple = SCI_HEADER_BYTES,
                          .help = "Size of the headers, 64 bytes for each peer"},
    [INLINE_AREA_SIZE] = {.name = "inline_area_size",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_SIZE,
                          .offset = FIELD(inline_area_size),
                          .maximum = LARGEST_AREA,
                          .multiple = SCI_LINE_BYTES,
                          .help = "Size of the lines, which carry a short message with its "
                                  "notification; 0: no lines"},
    [ACKNOWLEDGE_EACH] = {.name = "acknowledge_each",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_FLAG,
                          .offset = FIELD(acknowledge_each),
                          .default_value = 1,
                          .maximum = 1,
                          .help = "Whether each receive is acknowledged at once, or several "
                                  "together"},
    [TRANSFER_MULTIPLE] = {.name = "transfer_multiple",
                           .scopes = ANY_NODE,
                           .kind = CB_PARAMETER_SIZE,
                           .offset = FIELD(transfer_multiple),
                           .default_value = SCI_LINE_BYTES,
                           .minimum = 1,
                           .maximum = SCI_LINE_BYTES,
                           .accepts = is_power_of_2,
                           .help = "Data are written in multiples of this size, a power of 2"},
    [RECV_BUFFER_NO] = {.name = "recv_buffer_no",
                        .scopes = ANY_NODE,
                        .offset = FIELD(recv_buffer_no),
                        .default_value = 127,
                        .minimum = 1,
                        .maximum = MOST_BUFFERS,
                        .help = "Number of receive buffers"},
    [RECV_BUFFER_SIZE] = {.name = "recv_buffer_size",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_SIZE,
                          .offset = FIELD(recv_buffer_size),
                          .default_value = 8 * KB,
                          .minimum = SCI_LINE_BYTES,
                          .maximum = LARGEST_BUFFER,
                          .multiple = SCI_LINE_BYTES,
                          .help = "Size of a receive buffer; a longer message is sent in pieces"},
    [USE_SEND_POOL] = {.name = "use_send_pool",
                       .scopes = ANY_NODE,
                       .kind = CB_PARAMETER_FLAG,
                       .offset = FIELD(use_send_pool),
                       .maximum = 1,
                       .help = "Whether send buffers are allocated in advance"},
    [SEND_BUFFER_NO] = {.name = "send_buffer_no",
                        .scopes = ANY_NODE,
                        .offset = FIELD(send_buffer_no),
                        .default_value = 127,
                        .minimum = 1,
                        .maximum = MOST_BUFFERS,
                        .help = "Number of send buffers"},
    [SEND_BUFFER_SIZE] = {.name = "send_buffer_size",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_SIZE,
                          .offset = FIELD(send_buffer_size),
                          .default_value = 8 * KB,
                          .minimum = SCI_LINE_BYTES,
                          .maximum = LARGEST_BUFFER,
                          .multiple = SCI_LINE_BYTES,
                          .help = "Size of a send buffer"},
    [NODE_ID] = {.name = "node_id",
                 .scopes = CB_SCOPE_MACHINE,
                 .offset = FIELD(node_id),
                 .default_value = CB_PARAMETER_ABSENT,
                 .minimum = SCI_NODE_MULTIPLE,
                 .maximum = SCI_NODE_MOST,
                 .accepts = is_node_id,
                 .help = "The SCI node id of a machine; by default the card reports it"},
};

/* Deriving */

/* Limits of all receive buffers of a segment. The first applies to more than one outstanding buffer
 * per peer: more buffers hide the latency of an acknowledgement, but memory beyond the caches costs
 * more than that. The second applies to one buffer per peer, beyond which messages are sent in
 * pieces: many processes share the memory of a host. */
static const uint64_t moderate_bytes = UINT64_C(8) << 20, most_bytes = UINT64_C(256) << 20;

static uint64_t at_least(uint64_t value, uint64_t minimum)
{
    return value > minimum ? value : minimum;
}

static uint64_t at_most(uint64_t value, uint64_t maximum)
{
    return value < maximum ? value : maximum;
}

void sci_derive(const cb_job *job, void *values)
{
    sci_settings *sci = values;
    const uint64_t peers = at_least(job->ranks, 2) - 1;
    const uint64_t largest = at_most(job->largest_bytes, most_bytes / peers);
    const uint64_t lines = at_least((largest + SCI_LINE_BYTES - 1) / SCI_LINE_BYTES, 1);
    const uint64_t bytes = lines * SCI_LINE_BYTES;
    const uint64_t outstanding =
        at_least(at_most(moderate_bytes / (peers * bytes), SCI_MAX_OUTSTANDING), 1);
    const uint64_t buffers = peers * outstanding + job->held_buffers;

    sci->max_outst_buffers = outstanding;
    sci->header_area_size = peers * SCI_HEADER_BYTES;
    sci->inline_area_size = peers * outstanding * SCI_LINE_BYTES;
    sci->acknowledge_each = 0;
    sci->transfer_multiple = 1;
    sci->recv_buffer_no = buffers;
    sci->recv_buffer_size = bytes;
    sci->recv_seg_size = sci->header_area_size + sci->inline_area_size + buffers * bytes;
    sci->use_send_pool = 1; /* no allocation during a send */
    sci->send_buffer_no = buffers;
    sci->send_buffer_size = bytes;
}

/* Limits. Receive buffers of each receiver must match a sender's max_outst_buffers. */

/* Maximum number of outstanding messages of the other processes at this one. */
static uint64_t incoming(const cb_situation *here)
{
    const sci_settings *node = here->node, *total = here->total;

    return total->max_outst_buffers - node->max_outst_buffers;
}

static uint64_t headers_needed(const cb_situation *here, char why[CB_WHY_BYTES])
{
    snprintf(why, CB_WHY_BYTES, "%llu peers with a header of %d bytes each",
             (unsigned long long)here->peers, SCI_HEADER_BYTES);
    return here->peers * SCI_HEADER_BYTES;
}

/* Without an area there is no limit. */
static uint64_t inline_needed(const cb_situation *here, char why[CB_WHY_BYTES])
{
    const sci_settings *node = here->node;

    snprintf(why, CB_WHY_BYTES,
             "%llu outstanding messages of peers with a line of %d bytes each (0: no lines)",
             (unsigned long long)incoming(here), SCI_LINE_BYTES);
    return node->inline_area_size > 0 ? incoming(here) * SCI_LINE_BYTES : 0;
}

static uint64_t buffers_needed(const cb_situation *here, char why[CB_WHY_BYTES])
{
    snprintf(why, CB_WHY_BYTES,
             "peers %llu, outstanding from them %llu (max_outst_buffers), held by the program %zu",
             (unsigned long long)here->peers, (unsigned long long)incoming(here),
             here->job->held_buffers);
    return incoming(here) + here->job->held_buffers;
}

static uint64_t segment_needed(const cb_situation *here, char why[CB_WHY_BYTES])
{
    const sci_settings *node = here->node;

    snprintf(why, CB_WHY_BYTES,
             "header_area_size %llu + inline_area_size %llu + recv_buffer_no %llu x "
             "recv_buffer_size %llu must fit",
             (unsigned long long)node->header_area_size, (unsigned long long)node->inline_area_size,
             (unsigned long long)node->recv_buffer_no, (unsigned long long)node->recv_buffer_size);
    return node->header_area_size + node->inline_area_size +
           node->recv_buffer_no * node->recv_buffer_size;
}

static const cb_limit limits[] = {
    {.parameter = HEADER_AREA_SIZE, .needed = headers_needed},
    {INLINE_AREA_SIZE, inline_needed, {MAX_OUTST_BUFFERS}, 1},
    {RECV_BUFFER_NO, buffers_needed, {MAX_OUTST_BUFFERS}, 1},
    {RECV_SEG_SIZE, segment_needed, {RECV_BUFFER_SIZE, RECV_BUFFER_NO, HEADER_AREA_SIZE}, 3},
};

const cb_parameter_set sci_parameters = {
    .context = "SCI",
    .rows = rows,
    .count = ROWS,
    .bytes = sizeof(sci_settings),
    .derive = sci_derive,
    .limits = limits,
    .limit_count = sizeof(limits) / sizeof(limits[0]),
};
