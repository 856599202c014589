/* What happens between two polls that found nothing. */
#include "transport/sci/internal.h"

#include <sched.h>

enum {
    PROBE_POLLS = 1 << 16, /* of spinning or yielding, between two looks at the nodes */
    PROBE_SLEEPS = 16,
    FREE_POLLS = 64, /* before the first sleep */
    SLEEP_MS = 20,
    SHORT_SLEEP_MS = 1 /* while a credit is awaited that nobody rings for */
};

cb_status sci_probe(sci_node *node)
{
    cb_status status;

    while ((status = sci_sequence_check(&node->receiving.sequence)) == CB_EMPTY)
        continue;
    return sci_note_lost(node, status);
}

static cb_status probe_all(sci_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++) {
        sci_node *node = factory->nodes[rank];

        if (node != NULL && node->connected && sci_lost(node) == CB_OK)
            CB_TRY(sci_probe(node));
    }
    return CB_OK;
}

static bool is_time_to_probe(const sci_factory *factory, uint64_t polls)
{
    if (factory->wait == TRANSPORT_WAIT_BLOCK && polls > FREE_POLLS)
        return polls % PROBE_SLEEPS == 0;
    return polls % PROBE_POLLS == PROBE_POLLS - 1;
}

cb_status sci_pause(sci_factory *factory, uint64_t polls)
{
    if (factory->starved > 0)
        CB_TRY(sci_relieve(factory));
    if (is_time_to_probe(factory, polls))
        CB_TRY(probe_all(factory));
    if (factory->wait == TRANSPORT_WAIT_YIELD)
        sched_yield();
    else if (factory->wait == TRANSPORT_WAIT_BLOCK && polls >= FREE_POLLS)
        sci_bell_wait(&factory->bell, sci_has_queued(factory) ? SHORT_SLEEP_MS : SLEEP_MS);
    return CB_OK;
}

cb_status sci_set_wait(transport_factory *base, transport_wait wait, transport_wait *effective)
{
    sci_factory_of(base)->wait = wait;
    *effective = wait;
    return CB_OK;
}
