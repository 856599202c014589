/* A technology of in-process queues for unit tests; see the header. */
#include "tests/engine/loop.h"

#include <stdlib.h>

#include "engine/rank.h"

static transport_buffer *loop_buffer_create(transport_factory *base, size_t size)
{
    transport_buffer *buffer = calloc(1, sizeof(*buffer));

    buffer->data = malloc(size > 0 ? size : 1);
    traffic_fill(buffer->data, size);
    buffer->size = buffer->capacity = size;
    buffer->owner = base;
    base->held++;
    ((loop_factory *)base)->created++;
    return buffer;
}

void loop_buffer_release(transport_buffer *buffer)
{
    buffer->owner->held--;
    free(buffer->data);
    free(buffer);
}

void discard(queue *q)
{
    while (q->first != NULL) {
        transport_buffer *buffer = q->first;

        q->first = buffer->next;
        loop_buffer_release(buffer);
    }
}

static cb_status loop_send(transport_node *base, transport_buffer *buffer)
{
    queue *out = ((loop_node *)base)->out;

    buffer->next = NULL;
    *(out->first == NULL ? &out->first : out->end) = buffer;
    out->end = &buffer->next;
    out->length++;
    return CB_OK;
}

/* The buffer now belongs to the receiver. */
static transport_buffer *take_first(queue *in, transport_factory *receiver)
{
    transport_buffer *buffer = in->first;

    in->first = buffer->next;
    in->length--;
    buffer->owner->held--;
    buffer->owner = receiver;
    receiver->held++;
    return buffer;
}

static cb_status loop_receive(transport_node *base, transport_buffer **out)
{
    loop_factory *factory = (loop_factory *)base->factory;
    queue *in = ((loop_node *)base)->in;

    CB_TRY(factory->broken);
    if (factory->arrivals != NULL) {
        factory->arrivals++;
        *out = loop_buffer_create(&factory->base, 8);
        return CB_OK;
    }
    while (in->first == NULL)
        factory->go_on(factory->other);
    *out = take_first(in, base->factory);
    return CB_OK;
}

static cb_status loop_try_receive(transport_node *base, transport_buffer **out)
{
    loop_factory *factory = (loop_factory *)base->factory;
    queue *in = ((loop_node *)base)->in;

    if (in->first == NULL && factory->go_on != NULL)
        factory->go_on(factory->other);
    if (in->first == NULL)
        return CB_EMPTY;
    *out = take_first(in, base->factory);
    return CB_OK;
}

static cb_status loop_group_receive(transport_group *group, transport_buffer **out,
                                    transport_node **from)
{
    loop_factory *factory = (loop_factory *)group->factory;

    *from = group->nodes[*factory->arrivals++];
    *out = loop_buffer_create(&factory->base, 8);
    return CB_OK;
}

static cb_status loop_group_try_receive(transport_group *group, transport_buffer **out,
                                        transport_node **from)
{
    *from = group->nodes[0];
    return loop_try_receive(*from, out);
}

static cb_status loop_group_try_receive_root(transport_group *group, transport_buffer **out)
{
    return loop_try_receive(group->nodes[0], out);
}

static cb_status loop_group_send(transport_group *group, transport_buffer *buffer)
{
    return loop_send(group->nodes[0], buffer);
}

static const transport_technology loop_technology = {
    .name = "loop",
    .buffer_create = loop_buffer_create,
    .buffer_release = loop_buffer_release,
    .send = loop_send,
    .receive = loop_receive,
    .try_receive = loop_try_receive,
    .group_receive = loop_group_receive,
    .group_try_receive = loop_group_try_receive,
    .group_send = loop_group_send,
    .group_try_receive_root = loop_group_try_receive_root,
};

void make_side(side *s, size_t peers, unsigned window)
{
    *s = (side){.factory.base.ops = loop_technology};
    s->group = (transport_group){.ops = &s->factory.base.ops,
                                 .factory = &s->factory.base,
                                 .nodes = s->listed,
                                 .count = peers};
    for (size_t i = 0; i < peers; i++) {
        s->nodes[i].base = (transport_node){
            .ops = &s->factory.base.ops, .factory = &s->factory.base, .rank = (int)i, .label = i};
        s->listed[i] = &s->nodes[i].base;
        s->peers[i].node = &s->nodes[i].base;
    }
    s->me = (bench_rank){.factory = &s->factory.base,
                         .peers = s->peers,
                         .peer_count = peers,
                         .heard = peers,
                         .group = &s->group,
                         .place.ranks = s->ranks,
                         .size_bytes = 8,
                         .window = window,
                         .half_window = window > 1 ? window / 2 : 1};
    rank_reset(&s->me, &traffic_touching);
}
