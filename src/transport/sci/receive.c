/* Receiving: check the next line or notice of a node, in memory of this process; then return the
 * buffer that the message was written to, or the payload of its line, or the assembled pieces. */
#include "transport/sci/internal.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"

static bool find_notice(const sci_receiving *from, sci_announcement *what)
{
    uint32_t notice = __atomic_load_n(&from->notices[from->turn], __ATOMIC_ACQUIRE);

    *what = sci_notice_announcement(notice);
    return sci_notice_is_due(notice, from->number);
}

/* Hot. Set the word that a poll tests for the next message. A message that has already arrived
 * makes it due at once. */
static inline void watch(sci_watch *watch, const uint32_t *word, uint32_t mask, uint32_t due)
{
    const uint32_t now = __atomic_load_n(word, __ATOMIC_RELAXED);

    watch->word = word;
    watch->seen = (now & mask) == due ? ~now : now;
}

static inline void watch_line(const sci_receiving *from)
{
    watch(from->watch,
          (const uint32_t *)(const void *)&from->line[SCI_PAYLOAD_WORDS] + sci_line_turn_word(),
          SCI_TURN_MASK, sci_line_turn(from->number));
}

static void watch_notice(const sci_receiving *from)
{
    watch(from->watch, &from->notices[from->turn], ~((1u << SCI_NOTICE_BITS) - 1),
          sci_notice_pattern(from->number));
}

void sci_watch_first(sci_receiving *from)
{
    if (from->line != NULL)
        watch_line(from);
    else
        watch_notice(from);
}

/* Hot. The buffer credited for the next message. */
static inline transport_buffer *take_credited(sci_factory *factory, sci_receiving *from,
                                              uint32_t bytes)
{
    transport_buffer *buffer = &factory->receive_buffers[from->buffers[from->turn]];

    buffer->size = bytes;
    from->number++;
    from->turn = from->turn + 1 == from->turns ? 0 : from->turn + 1;
    return buffer;
}

/* Hot. A message is often answered at once by one of the same size: prefetch the lines that the
 * answer will be written to, which otherwise come from the peer's cache only when they are stored.
 * Not with several sending threads, which share the send side. */
static inline void expect_answer(const sci_factory *factory, const sci_node *node, uint32_t bytes)
{
    const sci_sending *to = &node->sending;
    const uint32_t most = to->layout.piece_bytes < 1024 ? to->layout.piece_bytes : 1024;
    const uint32_t whole = bytes < most ? bytes : most;
    const volatile unsigned char *data;

    if (!to->layout.has_lines || factory->lock.used)
        return;
    cb_prefetch_to_write(to->lines + to->turn * SCI_LINE_BYTES);
    if (bytes <= SCI_PAYLOAD_BYTES || to->known == to->number)
        return;
    data = node->remote.address + sci_layout_buffer(&to->layout, to->buffers[to->turn]);
    for (uint32_t at = 0; at < whole; at += CB_CACHE_LINE)
        cb_prefetch_to_write(data + at);
}

/* Hot. Payload of a line is copied to the buffer, so that the user always gets a buffer. False: no
 * message has arrived, or only part of it. */
static inline bool take_from_line(sci_factory *factory, sci_node *node, transport_buffer **out,
                                  bool *more)
{
    sci_receiving *from = &node->receiving;
    sci_announcement what;
    sci_line line;

    if (!sci_line_find(from->line, from->number, &line))
        return false;
    what = sci_line_announcement(line.words[SCI_PAYLOAD_WORDS]);
    expect_answer(factory, node, what.bytes);
    *out = take_credited(factory, from, what.bytes);
    *more = what.more;
    if (what.bytes <= SCI_PAYLOAD_BYTES)
        sci_line_give_payload(&line, (*out)->data);
    from->line = from->lines + (size_t)from->turn * SCI_LINE_WORDS;
    watch_line(from);
    return true;
}

/* As above, where there are no lines. */
__attribute__((noinline)) static bool take_from_buffer(sci_factory *factory, sci_receiving *from,
                                                       transport_buffer **out, bool *more)
{
    sci_announcement what;

    if (!find_notice(from, &what))
        return false;
    *out = take_credited(factory, from, what.bytes);
    *more = what.more;
    watch_notice(from);
    return true;
}

/* Not hot: recv_buffer_size should cover the messages sent. */
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
    if (whole == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    if (!fits) {
        cb_error("cannot assemble a message of rank %d from its pieces: it is longer than the "
                 "announced %zu bytes; announce its size",
                 node->base.rank, factory->preparation.message_bytes);
        return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
    }
    if (more)
        return CB_EMPTY;
    from->assembled = NULL;
    *out = whole;
    return CB_OK;
}

/* Half of the limit is owed. Send them at an empty poll, at the latest with the next message, or
 * at once if there may be no next message: the peer always has credits while it has no unread
 * message here. */
__attribute__((noinline)) static cb_status acknowledge_soon(sci_node *node, uint64_t owed)
{
    sci_receiving *from = &node->receiving;

    if (from->indebted || owed >= from->debt_limit)
        return sci_acknowledge(node);
    from->indebted = true;
    sci_factory_of(node->base.factory)->indebted++;
    return CB_OK;
}

/* Hot. */
static inline cb_status acknowledge_if_due(sci_node *node)
{
    const sci_receiving *from = &node->receiving;
    const uint64_t owed = from->number + from->turns - from->credited;

    return 2 * owed >= from->debt_limit ? acknowledge_soon(node, owed) : CB_OK;
}

/* Hot. If the sender cannot be acknowledged, drop the message and return the error. */
static inline cb_status acknowledge_or_drop(sci_node *node, transport_buffer *received)
{
    cb_status status = acknowledge_if_due(node);

    if (__builtin_expect(status != CB_OK, 0))
        sci_give_back(sci_factory_of(node->base.factory), received);
    return status;
}

/* A caller that polls forever would not learn otherwise that the peer has ended. */
__attribute__((noinline)) static cb_status find_nothing(sci_node *node)
{
    const uint32_t polls_between_looks = 1 << 14;

    __builtin_prefetch(node->sending.credits); /* a reply may need them at once */
    if (node->receiving.indebted || node->receiving.starved)
        CB_TRY(sci_acknowledge(node));
    if (++node->receiving.empty_polls % polls_between_looks == 0)
        CB_TRY(sci_probe(node));
    return CB_EMPTY;
}

static cb_status take_piece(sci_node *node, transport_buffer **out, bool more)
{
    cb_status status = assemble(node, *out, more, out);

    if (status == CB_OK)
        return acknowledge_or_drop(node, *out);
    CB_TRY(acknowledge_if_due(node));
    return status;
}

/* Hot, and inlined (see send.c). The next message or piece of this node. */
__attribute__((always_inline)) static inline cb_status poll(sci_node *node, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(node->base.factory);
    sci_receiving *from = &node->receiving;
    bool more = false;

    if (__builtin_expect(from->line != NULL, 1) ? !take_from_line(factory, node, out, &more)
                                                : !take_from_buffer(factory, from, out, &more))
        return find_nothing(node);
    CB_TRY(__builtin_expect(more || from->assembled != NULL, 0) ? take_piece(node, out, more)
                                                                : acknowledge_or_drop(node, *out));
    sci_lock(factory);
    factory->base.held++;
    sci_unlock(factory);
    return CB_OK;
}

/* Hot. */
__attribute__((always_inline)) static inline cb_status
try_receive(sci_factory *factory, sci_node *node, transport_buffer **out)
{
    if (__builtin_expect(sci_has_queued(factory), 0))
        CB_TRY(sci_flush_queues(factory));
    if (__builtin_expect(!node->connected, 0))
        return CB_EMPTY;
    CB_TRY(sci_lost(node));
    return poll(node, out);
}

/* Hot. */
cb_status sci_try_receive(transport_node *base, transport_buffer **out)
{
    return try_receive(sci_factory_of(base->factory), sci_node_of(base), out);
}

/* Hot. Poll one word of this process with as few instructions as possible, between two full polls,
 * which do everything else. A pause takes some 15 ns on the processors of
 * docs/development/performance.md. */
static inline void poll_word(const sci_watch *at)
{
    const int looks = 16;

    for (int i = 0; i < looks && !sci_is_due(at); i++)
        cb_relax();
}

/* Hot. */
cb_status sci_receive(transport_node *base, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(base->factory);
    cb_status status;

    for (uint64_t polls = 0;; polls++) {
        status = try_receive(factory, sci_node_of(base), out);
        if (status != CB_EMPTY)
            return status;
        CB_TRY(sci_pause(factory, polls));
        if (factory->base.wait == TRANSPORT_WAIT_SPIN && !sci_has_queued(factory))
            poll_word(&factory->watches[base->rank]);
    }
}
