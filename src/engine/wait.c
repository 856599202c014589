/* The loop of all waits, and its pauses. */
#include "engine/wait.h"

#include <sched.h>

#include "base/clock.h"

/* A sleep may last this much longer than asked for. */
static const uint64_t wake_up_ns = 100000;

static const uint64_t shortest_sleep_ns = 20000;

wait_manner wait_manner_of(transport_wait wait, const transport_factory *factory)
{
    const uint64_t longest_ns = 1000000;

    return (wait_manner){.yields = wait != TRANSPORT_WAIT_SPIN && !factory->polls_yield,
                         .longest_sleep_ns = wait == TRANSPORT_WAIT_BLOCK ? longest_ns : 0,
                         .awake_polls = 64,
                         .sleep_part = 1};
}

wait_terms wait_terms_of_loss(const transport_factory *factory, uint64_t timeout_ns)
{
    return (wait_terms){.manner = {.yields = !factory->polls_yield},
                        .due_ns = WAIT_WITHOUT_END,
                        .timeout_ns = timeout_ns};
}

/* 0: stay awake. */
static uint64_t sleep_ns(const wait_terms *terms, const wait_state *state, uint64_t now_ns)
{
    const wait_manner *manner = &terms->manner;
    uint64_t longest_ns = manner->longest_sleep_ns;

    if (longest_ns == 0 || state->polls <= manner->awake_polls ||
        terms->due_ns <= now_ns + wake_up_ns)
        return 0;
    if (manner->sleep_part > 0) {
        uint64_t grown_ns = (now_ns - state->begun_ns) / manner->sleep_part;

        grown_ns = grown_ns < shortest_sleep_ns ? shortest_sleep_ns : grown_ns;
        longest_ns = grown_ns < longest_ns ? grown_ns : longest_ns;
    }
    return (terms->due_ns - now_ns) / 2 < longest_ns ? (terms->due_ns - now_ns) / 2 : longest_ns;
}

static void look_for_signal(const wait_watch *watch)
{
    if (watch->seen != NULL && *watch->seen != 0)
        watch->leave(watch->context);
}

/* In a model a rank takes no core from others. */
void wait_yield(const wait_terms *terms)
{
    look_for_signal(&terms->watch);
    if (terms->manner.yields && cb_virtual == NULL)
        sched_yield();
}

/* In a model, a rank is paused until something happens to it, at the latest until the wait is over;
 * a due time in the past is no end. */
static uint64_t last_instant_ns(const wait_terms *terms, const wait_state *state)
{
    const uint64_t now_ns = cb_now_ns();
    uint64_t last_ns = terms->due_ns > now_ns ? terms->due_ns : WAIT_WITHOUT_END;

    if (state->clocked_ns != 0 && terms->timeout_ns != WAIT_WITHOUT_END &&
        now_ns + terms->timeout_ns - state->counted_ns < last_ns)
        last_ns = now_ns + terms->timeout_ns - state->counted_ns;
    return last_ns;
}

void wait_pause(const wait_terms *terms, wait_state *state, uint64_t now_ns)
{
    uint64_t ns;

    if (state->begun_ns == 0)
        state->begun_ns = now_ns;
    state->polls++;
    look_for_signal(&terms->watch);
    if (cb_virtual != NULL) {
        cb_virtual->wait_until_ns(last_instant_ns(terms, state), true);
        return;
    }
    ns = sleep_ns(terms, state, now_ns);
    if (ns > 0)
        cb_sleep_ns(ns);
    else if (terms->manner.yields)
        sched_yield();
}

static bool is_over(const wait_terms *terms, wait_state *state, uint64_t now_ns)
{
    const uint64_t longest_pause_ns = 20000000;

    if (state->clocked_ns != 0) {
        const uint64_t pause_ns = now_ns - state->clocked_ns;

        state->counted_ns +=
            pause_ns < longest_pause_ns || cb_virtual != NULL ? pause_ns : longest_pause_ns;
    }
    state->clocked_ns = now_ns;
    return now_ns >= terms->due_ns || state->counted_ns >= terms->timeout_ns;
}

/* Whether this poll is followed by a reading of the clock, which a wait without end and without
 * sleeps does not need. */
static bool needs_clock(const wait_terms *terms, const wait_state *state)
{
    const wait_manner *manner = &terms->manner;
    const bool sleeps = manner->longest_sleep_ns > 0;

    if (cb_virtual != NULL)
        return true;
    if (!sleeps && terms->due_ns == WAIT_WITHOUT_END && terms->timeout_ns == WAIT_WITHOUT_END)
        return false;
    return (sleeps && state->polls >= manner->awake_polls) ||
           (state->polls & manner->unclocked_polls) == manner->unclocked_polls;
}

cb_status wait_for(const wait_terms *terms, wait_poll poll, void *context)
{
    wait_state state = {0};
    cb_status status;

    while ((status = poll(context)) == CB_EMPTY) {
        uint64_t now_ns = state.clocked_ns;

        if (needs_clock(terms, &state)) {
            now_ns = cb_now_ns();
            if (is_over(terms, &state, now_ns))
                return CB_EMPTY;
        }
        wait_pause(terms, &state, now_ns);
    }
    return status;
}

static cb_status poll_nothing(void *context)
{
    (void)context;
    return CB_EMPTY;
}

void wait_until(const wait_terms *terms)
{
    (void)wait_for(terms, poll_nothing, NULL);
}

/* Messages */

typedef struct {
    transport_node *node;
    transport_group *group;
    transport_buffer **out;
    transport_node **from;
} message_poll;

static cb_status poll_node(void *context)
{
    const message_poll *poll = context;

    return transport_try_receive(poll->node, poll->out);
}

static cb_status poll_group(void *context)
{
    const message_poll *poll = context;

    return transport_group_try_receive(poll->group, poll->out, poll->from);
}

static cb_status poll_root(void *context)
{
    const message_poll *poll = context;

    return transport_group_try_receive_root(poll->group, poll->out);
}

cb_status wait_receive(const wait_terms *terms, transport_node *node, transport_buffer **out)
{
    return wait_for(terms, poll_node, &(message_poll){.node = node, .out = out});
}

cb_status wait_receive_any(const wait_terms *terms, transport_group *group, transport_buffer **out,
                           transport_node **from)
{
    return wait_for(terms, poll_group, &(message_poll){.group = group, .out = out, .from = from});
}

cb_status wait_receive_root(const wait_terms *terms, transport_group *group, transport_buffer **out)
{
    return wait_for(terms, poll_root, &(message_poll){.group = group, .out = out});
}
