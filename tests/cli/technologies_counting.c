/* The operations of the counted technology, with the send operations replaced by counting ones. */
#include "tests/cli/technologies_counting.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"

enum { MOST_CHANNELS = 4096 };

typedef struct {
    int to;
    size_t bytes;
    unsigned long long messages;
} channel;

static struct {
    const transport_technology *counted;
    transport_technology table;
    channel channels[MOST_CHANNELS];
    size_t count;
    int rank;
    bool in_group; /* a group send may be a loop of sends to nodes, which are counted there */
} counting;

static void count(int to, size_t bytes)
{
    channel *at = counting.channels, *end = counting.channels + counting.count;

    while (at < end && (at->to != to || at->bytes != bytes))
        at++;
    if (at == end && counting.count == MOST_CHANNELS) {
        cb_error("more than %d pairs of receiver and size cannot be counted", MOST_CHANNELS);
        abort();
    }
    if (at == end) {
        *at = (channel){to, bytes, 0};
        counting.count++;
    }
    at->messages++;
}

static cb_status send_counted(transport_node *node, transport_buffer *buffer)
{
    if (!counting.in_group)
        count(node->rank, buffer->size);
    return counting.counted->send(node, buffer);
}

static cb_status send_to_group_counted(transport_group *group, transport_buffer *buffer)
{
    cb_status status;

    for (size_t i = 0; i < group->count; i++)
        count(group->nodes[i]->rank, buffer->size);
    counting.in_group = true;
    status = counting.counted->group_send(group, buffer);
    counting.in_group = false;
    return status;
}

cb_status counting_open(const transport_technology *counted, const transport_bootstrap *bootstrap,
                        transport_factory **out)
{
    counting.counted = counted;
    counting.count = 0;
    counting.rank = bootstrap->rank;
    counting.table = *counted;
    counting.table.name = "counting";
    counting.table.send = send_counted;
    counting.table.group_send = send_to_group_counted;
    return transport_open(&counting.table, bootstrap, out);
}

int counting_write(FILE *stream)
{
    for (size_t i = 0; i < counting.count; i++)
        fprintf(stream, "%d %d %zu %llu\n", counting.rank, counting.channels[i].to,
                counting.channels[i].bytes, counting.channels[i].messages);
    counting.count = 0;
    return fflush(stream) == 0 && !ferror(stream) ? 0 : -1;
}
