/* The layout of a segment and its limits. */
#include "transport/sci/layout.h"

#include "base/log.h"
#include "transport/sci/word.h"

/* Maximum outstanding messages at the receiver of all processes before `sender`. */
static uint64_t outstanding_before(const cb_settings *settings, size_t receiver, size_t sender)
{
    uint64_t sum = 0;

    for (size_t rank = 0; rank < sender; rank++)
        if (rank != receiver)
            sum += sci_settings_of(settings, rank)->max_outst_buffers;
    return sum;
}

/* In whole lines. */
static uint64_t rows_begin(const sci_settings *sci)
{
    return (sci->recv_seg_size + SCI_LINE_BYTES - 1) / SCI_LINE_BYTES * SCI_LINE_BYTES;
}

size_t sci_layout_segment_bytes(const cb_settings *settings, size_t rank)
{
    return (size_t)rows_begin(sci_settings_of(settings, rank)) +
           (settings->node_count - 1) * sizeof(sci_row);
}

static uint32_t piece_bytes(const sci_settings *sci)
{
    const uint64_t most = sci->inline_area_size > 0 ? SCI_LINE_MOST_BYTES : SCI_NOTICE_MOST_BYTES;

    return (uint32_t)(sci->recv_buffer_size < most ? sci->recv_buffer_size : most);
}

size_t sci_layout_least_piece(const cb_settings *settings)
{
    uint32_t least = UINT32_MAX;

    for (size_t rank = 0; rank < settings->node_count; rank++) {
        uint32_t bytes = piece_bytes(sci_settings_of(settings, rank));

        least = bytes < least ? bytes : least;
    }
    return least;
}

/* Where a header has no room for the notices and credits of both processes, the notices are in the
 * row. The same in both, since each header has the notices of one direction and the credits of the
 * other. */
static bool has_notices_in_row(const cb_settings *settings, size_t receiver, size_t sender)
{
    return sci_settings_of(settings, receiver)->max_outst_buffers > SCI_HEADER_NOTICES ||
           sci_settings_of(settings, sender)->max_outst_buffers > SCI_HEADER_NOTICES;
}

sci_layout sci_layout_of(const cb_settings *settings, size_t receiver, size_t sender)
{
    const sci_settings *sci = sci_settings_of(settings, receiver);
    const uint64_t position = sender < receiver ? sender : sender - 1;
    const uint64_t header = position * SCI_HEADER_BYTES;
    const uint64_t row = rows_begin(sci) + position * sizeof(sci_row);
    const bool has_lines = sci->inline_area_size > 0;
    const bool in_row = has_notices_in_row(settings, receiver, sender);

    return (sci_layout){
        .notices = in_row ? row + offsetof(sci_row, notices) : header,
        .credits = header + (has_lines || in_row ? 0 : SCI_HEADER_NOTICES * sizeof(uint32_t)),
        .lines =
            sci->header_area_size + outstanding_before(settings, receiver, sender) * SCI_LINE_BYTES,
        .has_lines = has_lines,
        .buffers = sci->header_area_size + sci->inline_area_size,
        .buffer_bytes = sci->recv_buffer_size,
        .outstanding = (uint32_t)sci_settings_of(settings, sender)->max_outst_buffers,
        .piece_bytes = piece_bytes(sci),
        .row = row,
    };
}

static cb_status too_small(const char *parameter, size_t rank, uint64_t value, uint64_t needed)
{
    cb_error("cannot lay out the segment of rank %zu: %s = %llu is too small for the job; write "
             "%llu or more in the Context SCI",
             rank, parameter, (unsigned long long)value, (unsigned long long)needed);
    return CB_ERROR_USAGE;
}

static cb_status too_large(const char *parameter, size_t rank, uint64_t value, uint64_t most,
                           const char *remedy)
{
    cb_error("cannot lay out the segment of rank %zu: %s = %llu exceeds the maximum of %llu%s",
             rank, parameter, (unsigned long long)value, (unsigned long long)most, remedy);
    return CB_ERROR_USAGE;
}

/* The process itself is a sender: its headers hold the credits for its own messages. */
static cb_status check_sender(const cb_settings *settings, size_t sender)
{
    const uint64_t outstanding = sci_settings_of(settings, sender)->max_outst_buffers;

    if (outstanding == 0)
        return too_small("max_outst_buffers", sender, 0, 1);
    if (outstanding > SCI_MAX_OUTSTANDING)
        return too_large("max_outst_buffers", sender, outstanding, SCI_MAX_OUTSTANDING, "");
    return CB_OK;
}

cb_status sci_layout_check(const cb_settings *settings, size_t rank)
{
    const sci_settings *sci = sci_settings_of(settings, rank);
    const uint64_t peers = settings->node_count - 1;
    const uint64_t headers = peers * SCI_HEADER_BYTES;
    uint64_t incoming = outstanding_before(settings, rank, settings->node_count), used;

    for (size_t sender = 0; sender < settings->node_count; sender++)
        CB_TRY(check_sender(settings, sender));
    if (sci->header_area_size < headers)
        return too_small("header_area_size", rank, sci->header_area_size, headers);
    if (sci->inline_area_size > 0 && sci->inline_area_size < incoming * SCI_LINE_BYTES)
        return too_small("inline_area_size", rank, sci->inline_area_size,
                         incoming * SCI_LINE_BYTES);
    if (sci->recv_buffer_no < incoming + 1)
        return too_small("recv_buffer_no", rank, sci->recv_buffer_no, incoming + 1);
    if (sci->recv_buffer_no >> SCI_CREDIT_BITS != 0)
        return too_large("recv_buffer_no", rank, sci->recv_buffer_no, (1u << SCI_CREDIT_BITS) - 1,
                         "");
    if (sci->recv_buffer_size < SCI_LINE_BYTES)
        return too_small("recv_buffer_size", rank, sci->recv_buffer_size, SCI_LINE_BYTES);
    used =
        sci->header_area_size + sci->inline_area_size + sci->recv_buffer_no * sci->recv_buffer_size;
    return sci->recv_seg_size < used ? too_small("recv_seg_size", rank, sci->recv_seg_size, used)
                                     : CB_OK;
}
