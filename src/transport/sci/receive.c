/* Receiving: a look at the next line or notice of a node, in memory of this process; then the
 * buffer that the message was written to, or its line's payload, or pieces put together. */
#include "transport/sci/internal.h"

#include <string.h>

#include "base/log.h"
#include "transport/sci/line.h"

/* The size of the next message or piece; false: it has not come, or not whole. */
static bool find_line(sci_receiving *from, sci_line *line, sci_announcement *what)
{
    if (!sci_line_find(from->line, from->number, line))
        return false;
    *what = sci_line_announcement(line->words[SCI_PAYLOAD_WORDS]);
    return true;
}

/* Some may have come since the last look; the size of each ends its buffer. */
static bool find_counted(const sci_factory *factory, const sci_receiving *from,
                         sci_announcement *what)
{
    const uint32_t arrived = __atomic_load_n(from->notices, __ATOMIC_ACQUIRE);
    const transport_buffer *buffer = &factory->receive_buffers[from->buffers[from->turn]];
    uint32_t size;

    if (arrived - (uint32_t)from->number - 1 >= from->turns)
        return false;
    memcpy(&size, (const unsigned char *)buffer->data + buffer->capacity - sizeof(size),
           sizeof(size));
    *what = sci_notice_announcement(size);
    return sci_notice_is_due(size, from->number);
}

static bool find_notice(const sci_receiving *from, sci_announcement *what)
{
    uint32_t notice = __atomic_load_n(&from->notices[from->turn], __ATOMIC_ACQUIRE);

    *what = sci_notice_announcement(notice);
    return sci_notice_is_due(notice, from->number);
}

/* A count may be ahead of what is due, so that its node is asked in each poll. */
static inline void watch_next(const sci_receiving *from)
{
    sci_watch *watch = from->watch;

    if (from->counted) {
        watch->word = from->notices;
        watch->due = watch->mask = 0;
    } else if (from->line != NULL) {
        watch->word =
            (const uint32_t *)(const void *)&from->line[SCI_PAYLOAD_WORDS] + sci_line_turn_word();
        watch->due = sci_line_turn(from->number);
    } else {
        watch->word = &from->notices[from->turn];
        watch->due = sci_notice_pattern(from->number);
    }
}

void sci_watch_first(sci_receiving *from)
{
    from->watch->mask = from->line != NULL ? SCI_TURN_MASK : ~((1u << SCI_NOTICE_BITS) - 1);
    watch_next(from);
}

/* Hot. The buffer that was credited for the message; a payload from its line goes there as well, so
 * that the user gets a buffer in any case. */
static transport_buffer *take(sci_factory *factory, sci_receiving *from, const sci_line *line,
                              sci_announcement what)
{
    transport_buffer *buffer = &factory->receive_buffers[from->buffers[from->turn]];

    buffer->size = what.bytes;
    if (from->line != NULL && what.bytes <= SCI_PAYLOAD_BYTES)
        memcpy(buffer->data, line->words, SCI_PAYLOAD_BYTES);
    from->number++;
    from->turn = from->turn + 1 == from->turns ? 0 : from->turn + 1;
    if (from->line != NULL)
        from->line = from->lines + (size_t)from->turn * SCI_LINE_WORDS;
    watch_next(from);
    return buffer;
}

/* Not hot: recv_buffer_size should cover what is sent. */
static cb_status assemble(sci_node *node, transport_buffer *piece, bool more,
                          transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(node->base.factory);
    sci_receiving *from = &node->receiving;
    const size_t bytes = piece->size;
    transport_buffer *whole = from->assembled;
    bool fits;

    sci_lock(factory);
    if (whole == NULL)
        whole = from->assembled = sci_create_locked(factory, 0);
    fits = whole != NULL && bytes <= whole->capacity - whole->size;
    if (fits) {
        memcpy((unsigned char *)whole->data + whole->size, piece->data, bytes);
        whole->size += bytes;
    }
    sci_give_back_locked(factory, piece);
    sci_unlock(factory);
    if (!fits) {
        cb_error("cannot put together a message of rank %d from its pieces: it is longer than the "
                 "announced %zu bytes; announce its size",
                 node->base.rank, factory->preparation.message_bytes);
        return whole == NULL ? CB_ERROR_MEMORY : CB_ERROR_TRANSPORT;
    }
    if (more)
        return CB_EMPTY;
    from->assembled = NULL;
    *out = whole;
    return CB_OK;
}

/* The peer shall never be without credits while nothing of its own is unread here; on an empty poll
 * there is time for them, else they can wait somewhat longer. */
static cb_status acknowledge_if_due(sci_node *node)
{
    sci_receiving *from = &node->receiving;
    const uint64_t owed = from->number + from->turns - from->credited;

    if (4 * owed >= 3 * (uint64_t)from->turns)
        return sci_acknowledge(node);
    if (2 * owed >= from->turns && !from->indebted) {
        from->indebted = true;
        sci_factory_of(node->base.factory)->indebted++;
    }
    return CB_OK;
}

/* A caller may poll for ever, and would not hear otherwise that the peer has ended. */
static cb_status find_nothing(sci_node *node)
{
    const uint32_t polls_between_looks = 1 << 14;

    if (node->receiving.indebted || node->receiving.starved)
        CB_TRY(sci_acknowledge(node));
    if (++node->receiving.empty_polls % polls_between_looks == 0)
        CB_TRY(sci_probe(node));
    return CB_EMPTY;
}

/* Hot. The next message or piece of this node. */
static cb_status poll(sci_node *node, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(node->base.factory);
    sci_receiving *from = &node->receiving;
    sci_announcement what;
    sci_line line;

    if (from->line != NULL ? !find_line(from, &line, &what)
        : from->counted    ? !find_counted(factory, from, &what)
                           : !find_notice(from, &what))
        return find_nothing(node);
    *out = take(factory, from, &line, what);
    if (__builtin_expect(what.more || from->assembled != NULL, 0)) {
        cb_status status = assemble(node, *out, what.more, out);

        CB_TRY(acknowledge_if_due(node));
        CB_TRY(status);
    } else {
        CB_TRY(acknowledge_if_due(node));
    }
    sci_lock(factory);
    factory->base.held++;
    sci_unlock(factory);
    return CB_OK;
}

/* Hot. */
cb_status sci_try_receive(transport_node *base, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(base->factory);
    sci_node *node = sci_node_of(base);

    if (sci_has_queued(factory))
        CB_TRY(sci_flush_queues(factory));
    if (!node->connected)
        return CB_EMPTY;
    CB_TRY(sci_lost(node));
    return poll(node, out);
}

/* Hot. */
cb_status sci_receive(transport_node *base, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(base->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = sci_try_receive(base, out)) == CB_EMPTY; polls++)
        CB_TRY(sci_pause(factory, polls));
    return status;
}
