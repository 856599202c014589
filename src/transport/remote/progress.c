/* What is done between two polls: grants that are due, a look at the processes of the peers, the
 * pause of the wait policy; and flushing, which waits for polls. */
#include "transport/remote/internal.h"

#include <sched.h>

enum {
    POLLS_BETWEEN_LOOKS = 64, /* at the clock; every second at the peers */
    FREE_POLLS = 64,          /* before the first sleep */
    SLEEP_MS = 20,
    SHORT_SLEEP_MS = 1 /* while messages are queued, or the library has some to send */
};

/* Hot. */
cb_status remote_find_nothing(remote_factory *factory)
{
    if (factory->indebted > 0)
        CB_TRY(remote_pay_all(factory));
    if (++factory->empty_polls % POLLS_BETWEEN_LOOKS == 0)
        remote_look(factory);
    return CB_EMPTY;
}

/* Senders in other threads must not wait for a sleep in the library, which needs the lock. */
void remote_pause(remote_factory *factory, uint64_t polls)
{
    const transport_wait wait = factory->base.wait;

    if (wait == TRANSPORT_WAIT_SPIN)
        return;
    if (wait == TRANSPORT_WAIT_YIELD) {
        if (!factory->base.polls_yield)
            sched_yield();
    } else if (factory->lock.used || factory->driver->sleep == NULL ||
               (factory->base.lacking & TRANSPORT_BLOCKING_WAIT) != 0) {
        transport_pause(wait, polls);
    } else if (polls >= FREE_POLLS) {
        factory->driver->sleep(factory, remote_is_sent(factory) ? SLEEP_MS : SHORT_SLEEP_MS);
    }
}

/* CB_OK: all has left; CB_EMPTY: not yet. */
static cb_status flush_once(remote_factory *factory)
{
    cb_status status = remote_is_sent(factory) ? CB_OK : CB_EMPTY;

    if (status == CB_OK && factory->driver->flush != NULL)
        status = factory->driver->flush(factory);
    if (status == CB_OK)
        return CB_OK;
    if (status != CB_EMPTY)
        return transport_noted(&factory->base, status);
    CB_TRY(remote_progress(factory, -1));
    status = remote_find_nothing(factory);
    return status == CB_EMPTY && factory->any_lost ? CB_ERROR_TRANSPORT : status;
}

/* A process that waits for its messages to leave lets the library progress, and drops none that it
 * receives meanwhile. Buffers for a lost rank may stay with the driver until it is closed. */
cb_status remote_flush(transport_factory *base)
{
    remote_factory *factory = remote_factory_of(base);

    for (uint64_t polls = 0;; polls++) {
        cb_status status;

        transport_lock_take(&factory->lock);
        status = flush_once(factory);
        transport_lock_give(&factory->lock);
        if (status != CB_EMPTY)
            return status;
        remote_pause(factory, polls);
    }
}
