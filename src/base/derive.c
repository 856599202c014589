/* Settings made from a job. Every process gets the same, since each may talk to any other. */
#include "base/derive.h"

#include "base/memory.h"
#include "base/parameters.h"

/* Receive buffers of a segment shall stay within the first where more than one outstanding buffer
 * for each peer asks for them: more of them hide the time of an acknowledgement, but memory that no
 * cache holds costs more than that. The second is for one buffer for each peer, and beyond it
 * messages come in pieces: many processes share the memory of a host. */
static const uint64_t moderate_bytes = UINT64_C(8) << 20, most_bytes = UINT64_C(256) << 20;

static uint64_t at_least(uint64_t value, uint64_t minimum)
{
    return value > minimum ? value : minimum;
}

static uint64_t at_most(uint64_t value, uint64_t maximum)
{
    return value < maximum ? value : maximum;
}

static uint64_t peers_of(const cb_job *job)
{
    return job->ranks > 1 ? job->ranks - 1 : 1;
}

/* Whole lines, at least one. */
static uint64_t buffer_bytes(const cb_job *job)
{
    const uint64_t line = CB_SCI_LINE_BYTES;
    uint64_t bytes = at_most(job->largest_bytes, most_bytes / peers_of(job));

    return at_least((bytes + line - 1) / line, 1) * line;
}

cb_sci_settings cb_derive_sci(const cb_job *job)
{
    const uint64_t peers = peers_of(job), bytes = buffer_bytes(job);
    const uint64_t outstanding =
        at_least(at_most(moderate_bytes / (peers * bytes), CB_SCI_MAX_OUTSTANDING), 1);
    const uint64_t buffers = peers * outstanding + job->held_buffers;
    const uint64_t header_bytes = peers * CB_SCI_HEADER_BYTES;
    const uint64_t inline_bytes = peers * outstanding * CB_SCI_LINE_BYTES;

    return (cb_sci_settings){
        .max_outst_buffers = outstanding,
        .recv_seg_id = cb_parameters[CB_RECV_SEG_ID].default_value,
        .recv_seg_size = header_bytes + inline_bytes + buffers * bytes,
        .header_area_size = header_bytes,
        .inline_area_size = inline_bytes,
        .recv_buffer_no = buffers,
        .recv_buffer_size = bytes,
        .use_send_pool = true, /* no allocation while a message is sent */
        .send_buffer_no = buffers,
        .send_buffer_size = bytes,
    };
}

cb_status cb_derive_settings(const cb_job *job, cb_settings *out)
{
    cb_node_settings *nodes = cb_allocate(job->ranks, sizeof(*nodes), "the settings of all nodes");

    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        for (size_t i = 0; i < CB_PARAMETERS; i++)
            cb_parameter_set(&cb_parameters[i], cb_parameters[i].default_value, &nodes[rank]);
        nodes[rank].id = (uint32_t)rank;
        nodes[rank].sci = cb_derive_sci(job);
    }
    *out = (cb_settings){.nodes = nodes, .node_count = job->ranks};
    return CB_OK;
}
