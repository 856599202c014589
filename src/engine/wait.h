/* One way to wait: for a message, a due time or a timeout, whichever comes first.
 *
 * A rank waits by polling. Between two polls it spins, yields its core or sleeps, as its manner
 * says. Only this module pauses; receives that spin in the technology are not waits of this kind.
 */
#ifndef ENGINE_WAIT_H
#define ENGINE_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "transport/transport.h"

#define WAIT_WITHOUT_END UINT64_MAX

/* What a signal does: `leave` is called while *seen is not 0. It ends the process, or returns if
 * another rank has to do so first. `seen` NULL: nothing happens. */
typedef struct {
    const volatile sig_atomic_t *seen;
    void (*leave)(void *context);
    void *context;
} wait_watch;

/* The pause between two polls. All zero: spin, and read the clock after each poll. */
typedef struct {
    bool yields;               /* when it does not sleep */
    uint64_t longest_sleep_ns; /* 0: never sleeps */
    unsigned awake_polls;      /* without result, before the first sleep */
    unsigned sleep_part;       /* a sleep is at most this part of the time waited, which bounds the
                                * error of what is timed; 0: any */
    unsigned unclocked_polls;  /* while awake, between two readings of the clock; a power of 2
                                * less 1 */
} wait_manner;

typedef struct {
    wait_manner manner;
    uint64_t due_ns;     /* the wait is over at this time; no sleep ends close to it */
    uint64_t timeout_ns; /* or after this long, of which a pause counts at most 20 ms: this process
                          * did not run during a longer one, and the sender may not have run either;
                          * 0: after the first poll. Either may be WAIT_WITHOUT_END. */
    wait_watch watch;
} wait_terms;

/* What a wait knows of its past; all zero when it begins. */
typedef struct {
    unsigned polls; /* without result */
    uint64_t begun_ns, clocked_ns, counted_ns;
} wait_state;

/* Poll once. CB_EMPTY: what is awaited has not come; anything else ends the wait. */
typedef cb_status (*wait_poll)(void *context);

/* A rank that polls, under a policy of --wait: sleeps grow to 1 ms. A yield is omitted if the
 * technology's polls have already yielded. */
wait_manner wait_manner_of(transport_wait wait, const transport_factory *factory);

/* A wait for a message that may be lost. It yields under all policies, so that the sender can run.
 */
wait_terms wait_terms_of_loss(const transport_factory *factory, uint64_t timeout_ns);

/* Poll until there is a result, the time is due or the timeout is over. Polls at least once.
 * Returns the result; CB_EMPTY: due or over. */
cb_status wait_for(const wait_terms *terms, wait_poll poll, void *context);

/* wait_for a message of a node, of any node of a group, or of the root of a group. The caller owns
 * *out. */
cb_status wait_receive(const wait_terms *terms, transport_node *node, transport_buffer **out);
cb_status wait_receive_any(const wait_terms *terms, transport_group *group, transport_buffer **out,
                           transport_node **from);
cb_status wait_receive_root(const wait_terms *terms, transport_group *group,
                            transport_buffer **out);

/* Wait for the due time. Nothing is polled. */
void wait_until(const wait_terms *terms);

/* Offer the core to other ranks, if the manner does; nothing is awaited. */
void wait_yield(const wait_terms *terms);

/* For loops that cannot be a call of wait_for: a pause after a poll without result at `now_ns`. */
void wait_pause(const wait_terms *terms, wait_state *state, uint64_t now_ns);

#endif
