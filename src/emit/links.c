#include "emit/links.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/event_heap.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parts.h"

/* Packets as on Ethernet. */
enum { PAYLOAD_BYTES = 1460, HEADER_BYTES = 78 };

enum { NONE = UINT32_MAX };

/* A message. */
typedef struct {
    void *what;
    uint32_t from, to;
    double part_bytes;
    uint32_t window;         /* parts that may be in the queue of the first link */
    uint32_t held;           /* parts that have not come to it */
    uint32_t missing;        /* parts that have not arrived */
    uint32_t next_held;      /* list of a source's messages with held parts, one for each pair */
    uint32_t follower, last; /* later ones of the pair; the last of these, or itself */
    uint32_t next_free;
} transit;

/* A part in a queue. */
typedef struct {
    uint32_t message, next;
} queued;

/* A link in one direction: of `nodes` links towards the switch, and then `nodes` from it. */
typedef struct {
    uint32_t first, last; /* in its queue; first is NONE if it is empty */
    uint32_t serving;     /* message whose part it carries, or NONE */
} link_state;

/* Kinds of events, and what their subject is. */
enum {
    EVENT_START, /* message: it comes to its first link */
    EVENT_FREE   /* link: the part that it carries ends */
};

struct emit_links {
    size_t nodes;
    link_state *links;
    uint32_t *first_held; /* of each source */
    transit *messages;
    size_t message_count, message_room;
    uint32_t free_message;
    uint32_t live; /* messages on the links */
    queued *parts;
    size_t part_count, part_room;
    uint32_t free_part;
    cb_event_heap events;
};

static cb_status report_no_memory(void)
{
    cb_error("cannot store the messages on their way: out of memory; trace fewer ranks");
    return CB_ERROR_MEMORY;
}

cb_status emit_links_open(size_t nodes, emit_links **out)
{
    emit_links *links = cb_allocate(1, sizeof(*links), "the links of a trace");

    if (links == NULL)
        return CB_ERROR_MEMORY;
    links->nodes = nodes;
    links->free_message = links->free_part = NONE;
    links->links = cb_allocate(2 * nodes, sizeof(*links->links), "the links of a trace");
    links->first_held = cb_allocate(nodes, sizeof(*links->first_held), "the links of a trace");
    if (links->links == NULL || links->first_held == NULL) {
        emit_links_close(links);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 2 * nodes; i++)
        links->links[i] = (link_state){.first = NONE, .last = NONE, .serving = NONE};
    for (size_t i = 0; i < nodes; i++)
        links->first_held[i] = NONE;
    *out = links;
    return CB_OK;
}

void emit_links_close(emit_links *links)
{
    if (links == NULL)
        return;
    free(links->links);
    free(links->first_held);
    free(links->messages);
    free(links->parts);
    free(links->events.events);
    free(links);
}

static cb_status add_event(emit_links *links, double time, uint32_t subject, uint32_t kind)
{
    return cb_event_heap_put(&links->events, time, subject, kind) ? CB_OK : report_no_memory();
}

double emit_links_next(const emit_links *links)
{
    return links->events.count > 0 ? links->events.events[0].time : (double)INFINITY;
}

/* Links */

static cb_status enqueue(emit_links *links, uint32_t link, uint32_t message)
{
    link_state *into = &links->links[link];
    uint32_t place = links->free_part;

    if (place != NONE) {
        links->free_part = links->parts[place].next;
    } else {
        queued *parts = cb_grow(links->parts, links->part_count, &links->part_room, sizeof(*parts));

        if (parts == NULL || links->part_count >= NONE)
            return report_no_memory();
        links->parts = parts;
        place = (uint32_t)links->part_count++;
    }
    links->parts[place] = (queued){message, NONE};
    *(into->first != NONE ? &links->parts[into->last].next : &into->first) = place;
    into->last = place;
    return CB_OK;
}

static uint32_t dequeue(emit_links *links, link_state *from)
{
    const uint32_t place = from->first, message = links->parts[place].message;

    from->first = links->parts[place].next;
    links->parts[place].next = links->free_part;
    links->free_part = place;
    return message;
}

/* The place in the list of a source that names the message to this destination, or the end. */
static uint32_t *find_held(emit_links *links, uint32_t from, uint32_t to)
{
    uint32_t *place = &links->first_held[from];

    while (*place != NONE && links->messages[*place].to != to)
        place = &links->messages[*place].next_held;
    return place;
}

/* No part of the message is held any more: its follower takes its place. */
static void end_hold(emit_links *links, const transit *ended)
{
    uint32_t *place = find_held(links, ended->from, ended->to);

    *place = ended->next_held;
    if (ended->follower == NONE)
        return;
    links->messages[ended->follower].next_held = *place;
    links->messages[ended->follower].last = ended->last;
    *place = ended->follower;
}

/* A part of the message leaves the queue of its first link: another one may come. */
static cb_status release_part(emit_links *links, uint32_t message)
{
    transit *messages = links->messages;

    while (message != NONE && messages[message].held == 0)
        message = messages[message].follower;
    if (message == NONE)
        return CB_OK;
    if (--messages[message].held == 0)
        end_hold(links, &messages[message]);
    return enqueue(links, messages[message].from, message);
}

static cb_status enter(emit_links *links, uint32_t link, uint32_t message, double time);

static cb_status serve(emit_links *links, uint32_t link, uint32_t message, double time)
{
    const transit *served = &links->messages[message];

    links->links[link].serving = message;
    CB_TRY(add_event(links, time + served->part_bytes, link, EVENT_FREE));
    if (link >= links->nodes)
        return CB_OK;
    CB_TRY(release_part(links, message));
    return enter(links, (uint32_t)links->nodes + served->to, message, time);
}

static cb_status enter(emit_links *links, uint32_t link, uint32_t message, double time)
{
    return links->links[link].serving != NONE ? enqueue(links, link, message)
                                              : serve(links, link, message, time);
}

/* Messages */

static cb_status take_message(emit_links *links, uint32_t *out)
{
    transit *messages;

    if (links->free_message != NONE) {
        *out = links->free_message;
        links->free_message = links->messages[*out].next_free;
        return CB_OK;
    }
    messages =
        cb_grow(links->messages, links->message_count, &links->message_room, sizeof(*messages));
    if (messages == NULL || links->message_count >= NONE)
        return report_no_memory();
    links->messages = messages;
    *out = (uint32_t)links->message_count++;
    return CB_OK;
}

static double bytes_on_links(size_t bytes, size_t packets)
{
    return (double)bytes + (double)packets * HEADER_BYTES;
}

cb_status emit_links_send(emit_links *links, size_t from, size_t to, size_t bytes, double time,
                          void *what)
{
    const size_t packets = bytes > 0 ? (bytes - 1) / PAYLOAD_BYTES + 1 : 1;
    uint32_t number, parts = cb_most_parts(links->live);
    transit *made;

    CB_TRY(take_message(links, &number));
    links->live++;
    parts = packets < parts ? (uint32_t)packets : parts;
    made = &links->messages[number];
    *made = (transit){.what = what,
                      .from = (uint32_t)from,
                      .to = (uint32_t)to,
                      .part_bytes = bytes_on_links(bytes, packets) / parts,
                      .window = cb_first_window(packets, parts),
                      .missing = parts,
                      .next_held = NONE,
                      .follower = NONE,
                      .last = number};
    return add_event(links, time, number, EVENT_START);
}

/* Bring the parts to the link of the source; hold back what is more than the window, or all if a
 * message of the pair is held. */
static cb_status start(emit_links *links, uint32_t number, double time)
{
    transit *made = &links->messages[number];
    uint32_t *before = find_held(links, made->from, made->to);
    uint32_t come = made->missing < made->window ? made->missing : made->window;

    if (*before != NONE) {
        transit *first = &links->messages[*before];

        links->messages[first->last].follower = number;
        first->last = number;
        come = 0;
    } else if (made->missing > come) {
        made->next_held = links->first_held[made->from];
        links->first_held[made->from] = number;
    }
    made->held = made->missing - come;
    for (; come > 0; come--)
        CB_TRY(enter(links, made->from, number, time));
    return CB_OK;
}

/* A part has passed the link to its destination. */
static void arrive(emit_links *links, uint32_t number, double time, emit_arrival *out)
{
    transit *message = &links->messages[number];

    if (--message->missing > 0)
        return;
    *out = (emit_arrival){message->what, message->from, message->to, time};
    message->next_free = links->free_message;
    links->free_message = number;
    links->live--;
}

cb_status emit_links_pass(emit_links *links, emit_arrival *out)
{
    const cb_event passed = cb_event_heap_take(&links->events);
    link_state *link;
    uint32_t message;

    *out = (emit_arrival){0};
    if (passed.kind == EVENT_START)
        return start(links, passed.subject, passed.time);
    link = &links->links[passed.subject];
    message = link->serving;
    link->serving = NONE;
    if (passed.subject >= links->nodes)
        arrive(links, message, passed.time, out);
    return link->first != NONE ? serve(links, passed.subject, dequeue(links, link), passed.time)
                               : CB_OK;
}

double emit_links_packet(void)
{
    return PAYLOAD_BYTES + HEADER_BYTES;
}
