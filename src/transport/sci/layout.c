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
           (settings->node_count - 1) * sizeof(sci_group_row);
}

/* The last line of a counted buffer holds a size. */
static uint32_t piece_bytes(const sci_settings *sci, bool counted)
{
    const uint64_t most = sci->inline_area_size > 0 ? SCI_LINE_MOST_BYTES : SCI_NOTICE_MOST_BYTES;
    const uint64_t room = sci->recv_buffer_size - (counted ? SCI_LINE_BYTES : 0);

    return (uint32_t)(room < most ? room : most);
}

/* Whether the sender's notices are a count. Symmetric in the two processes, since each header has
 * the notices of one direction and the credits of the other. */
static bool is_counted(const cb_settings *settings, size_t receiver, size_t sender)
{
    const sci_settings *there = sci_settings_of(settings, receiver);

    return there->inline_area_size == 0 &&
           (there->max_outst_buffers > SCI_HEADER_NOTICES ||
            sci_settings_of(settings, sender)->max_outst_buffers > SCI_HEADER_NOTICES);
}

size_t sci_layout_least_piece(const cb_settings *settings)
{
    uint32_t least = UINT32_MAX;
    size_t busiest = 0; /* if any sender must be counted, the one with most outstanding is */

    for (size_t rank = 1; rank < settings->node_count; rank++)
        if (sci_settings_of(settings, rank)->max_outst_buffers >
            sci_settings_of(settings, busiest)->max_outst_buffers)
            busiest = rank;
    for (size_t rank = 0; rank < settings->node_count; rank++) {
        uint32_t bytes =
            piece_bytes(sci_settings_of(settings, rank), is_counted(settings, rank, busiest));

        least = bytes < least ? bytes : least;
    }
    return least;
}

sci_layout sci_layout_of(const cb_settings *settings, size_t receiver, size_t sender)
{
    const sci_settings *sci = sci_settings_of(settings, receiver);
    const uint64_t position = sender < receiver ? sender : sender - 1;
    const bool has_lines = sci->inline_area_size > 0;

    return (sci_layout){
        .header = position * SCI_HEADER_BYTES,
        .lines =
            sci->header_area_size + outstanding_before(settings, receiver, sender) * SCI_LINE_BYTES,
        .has_lines = has_lines,
        .counted = is_counted(settings, receiver, sender),
        .buffers = sci->header_area_size + sci->inline_area_size,
        .buffer_bytes = sci->recv_buffer_size,
        .outstanding = (uint32_t)sci_settings_of(settings, sender)->max_outst_buffers,
        .piece_bytes = piece_bytes(sci, is_counted(settings, receiver, sender)),
        .row = rows_begin(sci) + position * sizeof(sci_group_row),
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

/* Check one sender. The process itself is one of them: its headers hold the credits for its own
 * messages. */
static cb_status check_sender(const cb_settings *settings, size_t rank, size_t sender)
{
    const uint64_t outstanding = sci_settings_of(settings, sender)->max_outst_buffers;
    const uint64_t buffer_bytes = sci_settings_of(settings, rank)->recv_buffer_size;

    if (outstanding == 0)
        return too_small("max_outst_buffers", sender, 0, 1);
    if (outstanding > SCI_MAX_OUTSTANDING)
        return too_large("max_outst_buffers", sender, outstanding, SCI_MAX_OUTSTANDING, "");
    if (is_counted(settings, rank, sender) && buffer_bytes < 2 * SCI_LINE_BYTES)
        return too_small("recv_buffer_size", rank, buffer_bytes, 2 * SCI_LINE_BYTES);
    return CB_OK;
}

cb_status sci_layout_check(const cb_settings *settings, size_t rank)
{
    const sci_settings *sci = sci_settings_of(settings, rank);
    const uint64_t peers = settings->node_count - 1;
    const uint64_t headers = peers * SCI_HEADER_BYTES;
    uint64_t incoming = outstanding_before(settings, rank, settings->node_count), used;

    for (size_t sender = 0; sender < settings->node_count; sender++)
        CB_TRY(check_sender(settings, rank, sender));
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
