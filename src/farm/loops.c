/* The hot loops of a farm. The supervisor's closed loop reads the clock only at marks or, in a pass
 * of its own, at each issue and decision. The open loop always reads it, since events fall due by
 * it. */
#include "farm/loops.h"

#include <math.h>

#include "base/clock.h"
#include "engine/traffic.h"
#include "engine/session.h"
#include "engine/wait.h"
#include "farm/messages.h"

/* A run ends early after this many timeouts, in each of which all events in flight were lost. */
enum { SILENCES_MOST = 4 };

typedef struct {
    bench_rank *me;
    bench_action issue;
    const farm_load *load;
    rate_tally *tally;
    farm_ledger *ledger;
    uint64_t first_issue_ns, last_issue_ns;
    uint64_t first_decision_ns, last_decision_ns; /* open loop only */
    unsigned silences;                            /* timeouts in which all events in flight were
                                                   * lost */
} supervision;

/* False after a signal, since the run may take longer than the time until SIGKILL. */
static bool loop_continues(const supervision *run)
{
    const farm_ledger *ledger = run->ledger;

    return ledger->decided + ledger->lost < run->load->events && run->silences < SILENCES_MOST &&
           session_signal_seen == 0;
}

static void lose_events_in_flight(supervision *run)
{
    farm_ledger_give_up(run->ledger);
    run->silences++;
}

/* For runs that may lose messages: CB_EMPTY after the timeout. */
static __attribute__((noinline)) cb_status receive_in_time(bench_rank *me, transport_buffer **out,
                                                           transport_node **from)
{
    const wait_terms terms = wait_terms_of_loss(me->factory, me->verification.timeout_ns);

    return wait_receive_any(&terms, me->group, out, from);
}

/* The next multicast from any group. */
typedef struct {
    bench_rank *me;
    transport_buffer **out;
    size_t *from;
} multicast_poll;

/* Look at the groups in turn, so that no rank that tells this source is left out. */
static cb_status look_at_groups(void *context)
{
    const multicast_poll *poll = context;
    farm_rank *farm = farm_of(poll->me);

    for (size_t looks = 0; looks < farm->source.teller_count; looks++) {
        cb_status status =
            transport_group_try_receive_root(farm->source.told_by[farm->source.turn], poll->out);

        *poll->from = farm->source.turn;
        farm->source.turn =
            farm->source.turn + 1 < farm->source.teller_count ? farm->source.turn + 1 : 0;
        if (status != CB_EMPTY)
            return status;
    }
    return CB_EMPTY;
}

/* Poll all groups; CB_EMPTY after the timeout in runs that may lose messages. */
static __attribute__((noinline)) cb_status poll_groups(bench_rank *me, transport_buffer **out,
                                                       size_t *from)
{
    wait_terms terms = wait_terms_of_loss(
        me->factory, farm_of(me)->may_lose ? me->verification.timeout_ns : WAIT_WITHOUT_END);

    if (!farm_of(me)->may_lose || me->factory->wait == TRANSPORT_WAIT_BLOCK)
        terms.manner = wait_manner_of(me->factory->wait, me->factory);
    return wait_for(&terms, look_at_groups, &(multicast_poll){me, out, from});
}

/* Hot. Receive the next multicast to this source. Ranks that tell sources come first among its
 * peers. */
static inline cb_status receive_multicast(bench_rank *me, transport_buffer **out, size_t *from)
{
    const farm_rank *farm = farm_of(me);

    if (__builtin_expect(farm->may_lose || farm->source.teller_count > 1, 0))
        return poll_groups(me, out, from);
    *from = 0;
    return transport_group_receive_root(farm->source.told_by[0], out);
}

/* Hot. Receive the next message; *from is the index of the peer. The caller owns *out. */
static inline cb_status receive_message(bench_rank *me, transport_buffer **out, size_t *from)
{
    transport_node *node;

    CB_TRY(__builtin_expect(farm_of(me)->may_lose, 0)
               ? receive_in_time(me, out, &node)
               : transport_group_receive(me->group, out, &node));
    *from = node->label;
    return CB_OK;
}

/* Hot. Issue one event. */
static inline cb_status issue(supervision *run, uint64_t since_ns)
{
    CB_TRY(run->issue(run->me));
    (void)farm_ledger_issue(run->ledger, since_ns);
    return CB_OK;
}

/* Hot. Read a decision and record it in the ledger. */
static inline cb_status record_decision(bench_rank *me, size_t from, transport_buffer *buffer,
                                        uint64_t *since_ns, farm_decision *decision, bool *accepted)
{
    farm_rank *farm = farm_of(me);
    farm_message message;

    CB_TRY(farm_read(me, FARM_DESTINATION, from, buffer, &message));
    if (__builtin_expect(
            message.first != 0 || message.bits != farm_event_is_accepted(farm, message.event), 0))
        message.event = UINT64_MAX;
    *decision =
        farm_ledger_decide(&farm->supervisor.ledger, farm_index_of(me, from, FARM_DESTINATION),
                           message.event, since_ns);
    if (*decision == FARM_DECIDED || *decision == FARM_DECIDED_LATE)
        farm->supervisor.accepted += message.bits;
    *accepted = message.bits != 0;
    if (__builtin_expect(*decision == FARM_DECIDED, 1) || farm->may_lose ||
        *decision == FARM_DECIDED_LATE)
        return CB_OK;
    return farm_reject(me, "a decision", message.event);
}

static inline cb_status decide(supervision *run, size_t from, transport_buffer *buffer, bool timed)
{
    farm_decision decision;
    uint64_t since_ns = 0;
    bool accepted;

    CB_TRY(record_decision(run->me, from, buffer, &since_ns, &decision, &accepted));
    if (!timed || decision != FARM_DECIDED)
        return CB_OK;
    run->last_decision_ns = cb_now_ns();
    if (run->first_decision_ns == 0)
        run->first_decision_ns = run->last_decision_ns;
    stats_histogram_record(&run->load->latencies[farm_index_of(run->me, from, FARM_DESTINATION)],
                           run->last_decision_ns - since_ns);
    if (__builtin_expect(farm_of(run->me)->supervisor.step_latencies != NULL, 0))
        stats_histogram_record(&farm_of(run->me)->supervisor.step_latencies[accepted],
                               run->last_decision_ns - since_ns);
    return CB_OK;
}

/* Wait for one decision. After a timeout all events in flight are lost. */
static inline cb_status await_decision(supervision *run, bool timed)
{
    transport_buffer *buffer;
    size_t from;
    cb_status status = receive_message(run->me, &buffer, &from);

    if (status == CB_EMPTY) {
        lose_events_in_flight(run);
        return CB_OK;
    }
    return status == CB_OK ? decide(run, from, buffer, timed) : status;
}

/* Between two marks a block of decisions arrives, however many events are lost. */
static inline cb_status run_closed(supervision *run, bool timed)
{
    const farm_load *load = run->load;
    farm_ledger *ledger = run->ledger;
    uint64_t next_mark = load->marks_ns != NULL ? load->lead_in : UINT64_MAX;

    run->first_issue_ns = cb_now_ns();
    while (loop_continues(run)) {
        while (ledger->issued < load->events && ledger->in_flight < load->in_flight &&
               farm_ledger_has_room(ledger))
            CB_TRY(issue(run, timed ? cb_now_ns() : 0));
        CB_TRY(await_decision(run, timed));
        if (__builtin_expect(ledger->decided >= next_mark, 0)) {
            load->marks_ns[run->tally->marks++] = (double)cb_now_ns();
            next_mark += load->block;
        }
    }
    return CB_OK;
}

/* Two forms with everything inlined, so that each knows at compile time whether it is timed. */

static __attribute__((flatten)) cb_status run_untimed(supervision *run)
{
    return run_closed(run, false);
}

static __attribute__((flatten)) cb_status run_timed(supervision *run)
{
    return run_closed(run, true);
}

typedef struct {
    rate_schedule schedule;
    uint64_t due_ns, first_due_ns, last_due_ns; /* due times of the next, the first and the last
                                                 * issued event */
    /* State when half of the events were issued; its time, and the time when all were */
    rate_schedule middle;
    uint64_t middle_due_ns, middle_ns, end_ns;
    uint64_t last_news_ns;
    bool held; /* the next event is due and has no room */
    wait_terms terms;
    wait_state idle; /* since the last decision */
} open_state;

static cb_status issue_due(supervision *run, open_state *state, uint64_t now_ns)
{
    CB_TRY(issue(run, state->due_ns));
    run->tally->held_back += state->held;
    state->held = false;
    state->last_due_ns = state->due_ns;
    run->last_issue_ns = now_ns;
    if (run->ledger->issued == 1) {
        run->first_issue_ns = now_ns;
        state->first_due_ns = state->due_ns;
    }
    if (run->ledger->issued == (run->load->events + 1) / 2) {
        state->middle = state->schedule;
        state->middle_due_ns = state->due_ns;
        state->middle_ns = now_ns;
        run->tally->in_flight_middle = run->ledger->in_flight;
    }
    state->due_ns = UINT64_MAX;
    if (run->ledger->issued < run->load->events) {
        state->due_ns = rate_schedule_next(&state->schedule);
    } else {
        state->end_ns = now_ns;
        run->tally->in_flight_end = run->ledger->in_flight;
    }
    return CB_OK;
}

static cb_status look_for_decision(supervision *run, open_state *state, uint64_t now_ns)
{
    transport_buffer *buffer;
    transport_node *node;
    cb_status status = transport_group_try_receive(run->me->group, &buffer, &node);

    if (status == CB_OK) {
        state->idle = (wait_state){0};
        state->last_news_ns = now_ns;
        return decide(run, node->label, buffer, true);
    }
    if (status != CB_EMPTY)
        return status;
    if (farm_of(run->me)->may_lose && run->ledger->in_flight > 0 &&
        now_ns - state->last_news_ns > run->me->verification.timeout_ns)
        lose_events_in_flight(run);
    state->terms.due_ns = state->due_ns;
    wait_pause(&state->terms, &state->idle, now_ns);
    if (now_ns >= state->due_ns)
        run->tally->waited_ns += (double)(cb_now_ns() - now_ns);
    return CB_OK;
}

/* Counted after the run, since events that are not periodic are counted one by one. If the run
 * ended early, its next event belongs to the backlog. */
static void count_backlog(const supervision *run, open_state *state)
{
    rate_tally *tally = run->tally;

    if (state->due_ns != UINT64_MAX) {
        state->end_ns = cb_now_ns();
        tally->backlog_end =
            rate_schedule_due(&state->schedule, state->end_ns) + (state->due_ns <= state->end_ns);
    } else {
        tally->backlog_end =
            rate_schedule_overdue(&state->schedule, state->last_due_ns, state->end_ns);
    }
    if (state->middle_ns > 0)
        tally->backlog_middle =
            rate_schedule_overdue(&state->middle, state->middle_due_ns, state->middle_ns);
    tally->due = run->ledger->issued + tally->backlog_end;
    tally->due_span_ns = (double)(state->last_due_ns - state->first_due_ns);
    tally->issue_span_ns = (double)(run->last_issue_ns - run->first_issue_ns);
}

/* Due events are issued first, while the limit allows: a late farm must not delay the generator.
 * The latency of an event counts from its due time. */
static cb_status run_open(supervision *run)
{
    const farm_load *load = run->load;
    farm_ledger *ledger = run->ledger;
    open_state state = {.last_news_ns = cb_now_ns(),
                        .terms = {.manner = wait_manner_of(load->wait, run->me->factory)}};

    state.schedule =
        rate_schedule_make(load->arrivals, load->rate_hz, load->seed, state.last_news_ns);
    state.due_ns = rate_schedule_next(&state.schedule);
    while (loop_continues(run)) {
        uint64_t now_ns = cb_now_ns();

        if (now_ns >= state.due_ns && ledger->in_flight < load->in_flight &&
            farm_ledger_has_room(ledger)) {
            CB_TRY(issue_due(run, &state, now_ns));
            state.last_news_ns = now_ns;
            continue;
        }
        state.held = now_ns >= state.due_ns;
        CB_TRY(look_for_decision(run, &state, now_ns));
    }
    count_backlog(run, &state);
    return CB_OK;
}

void farm_count(const bench_rank *me, rate_tally *tally)
{
    const farm_ledger *ledger = &farm_of(me)->supervisor.ledger;

    tally->issued = ledger->issued;
    tally->decided = ledger->decided;
    tally->lost = ledger->lost;
    tally->accepted = farm_of(me)->supervisor.accepted;
    tally->errors = farm_ledger_error_count(ledger);
}

cb_status farm_supervise(bench_rank *me, const bench_actions *actions, const farm_load *load,
                         rate_tally *tally)
{
    supervision run = {.me = me,
                       .issue = actions->step,
                       .load = load,
                       .tally = tally,
                       .ledger = &farm_of(me)->supervisor.ledger};
    double timeouts_ns;
    cb_status status;

    *tally = (rate_tally){0};
    if (load->open)
        status = run_open(&run);
    else
        status = load->latencies != NULL ? run_timed(&run) : run_untimed(&run);
    tally->elapsed_ns = (double)(cb_now_ns() - run.first_issue_ns);
    tally->decision_span_ns = (double)(run.last_decision_ns - run.first_decision_ns);
    /* Without timeouts, unless there was nothing else. */
    timeouts_ns =
        run.ledger->decided > 0 ? (double)run.silences * (double)me->verification.timeout_ns : 0;
    tally->event_ns = fmax(tally->elapsed_ns - timeouts_ns, 0) / (double)run.ledger->issued;
    farm_count(me, tally);
    return status;
}

typedef cb_status (*taking)(bench_rank *me, transport_buffer **out, size_t *from);

static inline __attribute__((always_inline)) cb_status
serve(bench_rank *me, const bench_actions *actions, taking take_next)
{
    const farm_rank *farm = farm_of(me);
    const uint64_t *done =
        farm->role == FARM_SOURCE ? &farm->source.served : &farm->destination.completed;
    bench_reaction react = actions->react;
    cb_status status = CB_OK;

    while (status == CB_OK && *done < farm->events) {
        transport_buffer *buffer;
        size_t from;

        status = take_next(me, &buffer, &from);
        if (status == CB_OK)
            status = react(me, from, buffer);
    }
    return status == CB_EMPTY ? CB_OK : status;
}

/* If messages may be lost, a timeout ends a rank's part; the supervisor has the accounts. */
cb_status farm_serve(bench_rank *me, const bench_actions *actions)
{
    return farm_of(me)->hears_groups ? serve(me, actions, receive_multicast)
                                     : serve(me, actions, receive_message);
}

/* The supervisor records late decisions; the other roles' reactions send nothing after the run. */
static cb_status discard_next_message(bench_rank *me, const bench_actions *actions)
{
    farm_decision decision;
    uint64_t since_ns;
    transport_buffer *buffer;
    bool accepted;
    size_t from;

    CB_TRY(farm_of(me)->hears_groups ? receive_multicast(me, &buffer, &from)
                                     : receive_message(me, &buffer, &from));
    if (farm_of(me)->role != FARM_SUPERVISOR)
        return actions->react(me, from, buffer);
    return record_decision(me, from, buffer, &since_ns, &decision, &accepted);
}

cb_status farm_drain(bench_rank *me, const bench_actions *actions)
{
    enum { LOOKS_AT_NOTHING = 32 };

    farm_of(me)->over = true;
    me->verification.timeout_ns = 0;
    for (unsigned looks = 0; looks < LOOKS_AT_NOTHING;) {
        cb_status status = discard_next_message(me, actions);

        if (status != CB_OK && status != CB_EMPTY)
            return status;
        looks = status == CB_EMPTY ? looks + 1 : 0;
    }
    return CB_OK;
}
