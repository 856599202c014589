/* The reference evaluator. Messages are kept in one growing array, and every lookup scans all of
 * it. */
#include "tests/model/reference.h"

#include <math.h>
#include <stdlib.h>

#include "tests/common/unit.h"

enum { CELLS = 64, NO_RECEIVE = -1 };

static const double instant_us = 1e-3;

typedef enum { POSTED, PASSING, MOVING, DONE } ref_phase;

/* A message, from the post of its send. A multicast has several receivers. */
typedef struct {
    uint32_t source;
    const ccmod_record *send;
    bool eager, blocking;
    size_t receiver_count;
    uint32_t *receivers;
    int *receive; /* for each receiver, the number of its posted receive, or NO_RECEIVE */
    ref_phase phase;
    double start_us;
    double timer_us; /* PASSING: time left until it moves or, if it has no bytes, arrives */
    double left_us;  /* MOVING: quiet time on the links */
    double rate;
    uint32_t *cells; /* cells of its route or tree */
    size_t cell_count, hops;
} ref_message;

typedef struct {
    uint32_t receiver;
    const ccmod_record *record;
    bool blocking, matched, done;
} ref_receive;

typedef enum { RUNNING, BUSY, BLOCKED, WAITING, IN_BARRIER, ENDED } ref_state;

typedef struct {
    ccmod_processor times;
    size_t at;
    ref_state state;
    double until_us; /* BUSY */
    ccmod_activity activity;
    size_t outstanding;
    bool woken;
} ref_processor;

typedef struct {
    const record_table *table;
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    const ccmod_parameters *parameters;
    double now_us;
    ref_processor *processors;
    ref_message *messages;
    size_t message_count;
    ref_receive *receives;
    size_t receive_count;
    double barrier_us; /* time of opening */
    bool barrier_open;
    uint64_t interval;
} ref_evaluation;

/* Steps 1 to 3: routes, contention, bottleneck */

static bool uses(const ref_message *message, uint32_t cell)
{
    for (size_t i = 0; i < message->cell_count; i++) {
        if (message->cells[i] == cell)
            return true;
    }
    return false;
}

static void find_route(const ref_evaluation *e, ref_message *m)
{
    uint32_t route[CELLS];

    m->cells = calloc(m->receiver_count * CELLS, sizeof(*m->cells));
    UNIT_REQUIRE(m->cells != NULL, "no memory");
    if (m->send->kind == CCMOD_MULTICAST && e->network->operations->tree != NULL) {
        m->cell_count = e->network->operations->tree(e->network, m->source, m->receivers,
                                                     m->receiver_count, m->cells, &m->hops);
        return;
    }
    for (size_t i = 0; i < m->receiver_count; i++) {
        size_t hops = e->network->operations->route(e->network, m->source, m->receivers[i], route);

        m->hops = hops > m->hops ? hops : m->hops;
        for (size_t k = 0; k < hops; k++) {
            if (!uses(m, route[k]))
                m->cells[m->cell_count++] = route[k];
        }
    }
}

static double contention(const ref_evaluation *e, uint32_t cell)
{
    double count = 0;

    for (size_t i = 0; i < e->message_count; i++)
        count += e->messages[i].phase == MOVING && uses(&e->messages[i], cell);
    if (e->network->widths != NULL)
        count /= e->network->widths[cell];
    return fmax(1, count);
}

static double load(const ref_evaluation *e, uint32_t cell)
{
    if (e->network->operations->background != NULL)
        return e->network->operations->background(e->network, cell, e->interval);
    return e->parameters->background == CCMOD_BACKGROUND_CONSTANT ? e->parameters->background_load
                                                                  : 0;
}

/* Step 5 by the article's rule */
static void share_by_bottleneck(const ref_evaluation *e)
{
    for (size_t i = 0; i < e->message_count; i++) {
        ref_message *m = &e->messages[i];
        double most = 0, most_load = 0;

        if (m->phase != MOVING)
            continue;
        for (size_t k = 0; k < m->cell_count; k++) {
            double c = contention(e, m->cells[k]), background = load(e, m->cells[k]);

            if (c > most || (!(c < most) && background > most_load)) {
                most = c;
                most_load = background;
            }
        }
        m->rate = (1 - most_load) / most;
    }
}

/* Step 5 by max-min fairness: repeatedly take the cell with the smallest share per message. */
static double fair_share(const ref_evaluation *e, uint32_t cell)
{
    double left = 1 - load(e, cell), users = 0;

    if (e->network->widths != NULL)
        left *= e->network->widths[cell];
    for (size_t i = 0; i < e->message_count; i++) {
        const ref_message *m = &e->messages[i];

        if (m->phase != MOVING || !uses(m, cell))
            continue;
        if (m->rate < 0)
            users++;
        else
            left -= m->rate;
    }
    return users > 0 ? fmin(fmax(0, left) / users, 1 - load(e, cell)) : HUGE_VAL;
}

static void share_max_min(const ref_evaluation *e)
{
    uint32_t cells = 2 * (uint32_t)e->network->links;

    for (size_t i = 0; i < e->message_count; i++)
        e->messages[i].rate = -1;
    for (;;) {
        double least = HUGE_VAL;
        uint32_t scarce = 0;

        for (uint32_t cell = 0; cell < cells; cell++) {
            double share = fair_share(e, cell);

            if (share < least) {
                least = share;
                scarce = cell;
            }
        }
        if (isinf(least))
            return;
        for (size_t i = 0; i < e->message_count; i++) {
            ref_message *m = &e->messages[i];

            if (m->phase == MOVING && m->rate < 0 && uses(m, scarce))
                m->rate = least;
        }
    }
}

/* Accounts */

static void account(ref_evaluation *e, uint32_t number, ccmod_activity activity, double until_us)
{
    ccmod_processor *times = &e->processors[number].times;
    double spent_us = until_us - times->clock_us;

    if (spent_us <= 0)
        return;
    if (activity == CCMOD_COMPUTING)
        times->compute_us += spent_us;
    else if (activity == CCMOD_SENDING)
        times->send_us += spent_us;
    else if (activity == CCMOD_RECEIVING)
        times->receive_us += spent_us;
    else
        times->wait_us += spent_us;
    times->clock_us = until_us;
}

static void complete(ref_evaluation *e, uint32_t number, bool blocking, ccmod_activity activity,
                     double start_us)
{
    ref_processor *p = &e->processors[number];

    if (blocking) {
        account(e, number, CCMOD_WAITING, start_us);
        account(e, number, activity, e->now_us);
        p->woken = true;
        return;
    }
    p->outstanding--;
    if (p->state == WAITING && p->outstanding == 0) {
        account(e, number, CCMOD_WAITING, e->now_us);
        p->woken = true;
    }
}

/* Messages */

static double links_latency(const ref_evaluation *e, const ref_message *m)
{
    uint32_t route[CELLS];
    double longest_us = 0;

    if (e->network->latencies_us == NULL)
        return 0;
    for (size_t i = 0; i < m->receiver_count; i++) {
        size_t hops = e->network->operations->route(e->network, m->source, m->receivers[i], route);
        double sum_us = 0;

        for (size_t k = 0; k < hops; k++)
            sum_us += e->network->latencies_us[route[k]];
        longest_us = fmax(longest_us, sum_us);
    }
    return longest_us;
}

static ccmod_delay delay_of(const ref_evaluation *e, const ref_message *m)
{
    ccmod_delay delay = ccmod_quiet_delay(e->network, e->calibration, m->hops, m->send->size_bytes);

    delay.latency_us += links_latency(e, m);
    return delay;
}

static void complete_receive(ref_evaluation *e, const ref_message *m, size_t which)
{
    ref_receive *r = &e->receives[m->receive[which]];

    r->done = true;
    complete(e, r->receiver, r->blocking, CCMOD_RECEIVING, m->start_us);
}

static void arrive(ref_evaluation *e, ref_message *m)
{
    m->phase = DONE;
    if (!m->eager)
        complete(e, m->source, m->blocking, CCMOD_SENDING, m->start_us);
    for (size_t i = 0; i < m->receiver_count; i++) {
        if (m->receive[i] != NO_RECEIVE)
            complete_receive(e, m, i);
    }
}

/* Advance the background to the present when the first message enters quiet links. */
static void move(ref_evaluation *e, ref_message *m)
{
    bool quiet = true;

    for (size_t i = 0; i < e->message_count; i++)
        quiet = quiet && e->messages[i].phase != MOVING;
    if (quiet && e->parameters->background_interval_us > 0)
        e->interval = (uint64_t)((e->now_us + instant_us) / e->parameters->background_interval_us);
    m->phase = MOVING;
}

static void start(ref_evaluation *e, ref_message *m)
{
    ccmod_delay quiet;

    find_route(e, m);
    quiet = delay_of(e, m);
    m->start_us = e->now_us;
    m->left_us = quiet.transfer_us;
    m->phase = PASSING;
    m->timer_us = e->now_us + (quiet.overhead_us + quiet.latency_us);
    if (e->parameters->mode == CCMOD_PAPER) {
        m->left_us = quiet.overhead_us + quiet.latency_us + quiet.transfer_us;
        m->timer_us = e->now_us;
        if (m->left_us > 0)
            move(e, m);
    } else if (quiet.overhead_us + quiet.latency_us <= 0 && m->left_us > 0) {
        move(e, m);
    }
}

static bool all_received(const ref_message *m)
{
    for (size_t i = 0; i < m->receiver_count; i++) {
        if (m->receive[i] == NO_RECEIVE)
            return false;
    }
    return true;
}

/* First come, first served: the oldest receive matches the oldest send. */
static void match(ref_evaluation *e, ref_message *m, size_t which)
{
    for (size_t i = 0; i < e->receive_count && m->receive[which] == NO_RECEIVE; i++) {
        ref_receive *r = &e->receives[i];

        if (r->matched || r->receiver != m->receivers[which] ||
            (r->record->peer != m->source && r->record->peer != CCMOD_ANY))
            continue;
        UNIT_REQUIRE(r->record->size_bytes == m->send->size_bytes ||
                         r->record->size_bytes == CCMOD_ANY_SIZE,
                     "a message and its receive differ in size");
        r->matched = true;
        m->receive[which] = (int)i;
        if (m->phase == DONE)
            complete_receive(e, m, which);
    }
    if (m->phase == POSTED && all_received(m))
        start(e, m);
}

static void post_send(ref_evaluation *e, uint32_t source, const ccmod_record *record,
                      const uint32_t *receivers, size_t count, bool eager)
{
    ref_message *m;

    e->messages = realloc(e->messages, (e->message_count + 1) * sizeof(*e->messages));
    UNIT_REQUIRE(e->messages != NULL, "no memory");
    m = &e->messages[e->message_count++];
    *m = (ref_message){.source = source,
                       .send = record,
                       .eager = eager,
                       .blocking = record->kind != CCMOD_START_SEND,
                       .receiver_count = count,
                       .receivers = calloc(count, sizeof(*m->receivers)),
                       .receive = calloc(count, sizeof(*m->receive)),
                       .phase = POSTED};
    UNIT_REQUIRE(m->receivers != NULL && m->receive != NULL, "no memory");
    for (size_t i = 0; i < count; i++) {
        m->receivers[i] = receivers[i];
        m->receive[i] = NO_RECEIVE;
    }
    if (eager)
        start(e, m);
    for (size_t i = 0; i < count; i++)
        match(e, m, i);
}

static void post_receive(ref_evaluation *e, uint32_t number, const ccmod_record *record,
                         bool blocking)
{
    size_t posted = e->receive_count++;

    e->receives = realloc(e->receives, e->receive_count * sizeof(*e->receives));
    UNIT_REQUIRE(e->receives != NULL, "no memory");
    e->receives[posted] = (ref_receive){number, record, blocking, false, false};
    /* messages are stored in the order of their sends */
    for (size_t i = 0; i < e->message_count; i++) {
        ref_message *m = &e->messages[i];

        for (size_t k = 0; k < m->receiver_count; k++) {
            if (m->receivers[k] == number && m->receive[k] == NO_RECEIVE &&
                !e->receives[posted].matched)
                match(e, m, k);
        }
    }
}

/* Processors */

static void keep_busy(ref_evaluation *e, uint32_t number, ccmod_activity activity, double us)
{
    ref_processor *p = &e->processors[number];

    if (us <= 0)
        return;
    p->state = BUSY;
    p->activity = activity;
    p->until_us = e->now_us + us;
}

static void do_send(ref_evaluation *e, uint32_t number, const ccmod_record *record)
{
    ref_processor *p = &e->processors[number];
    bool fan = record->kind == CCMOD_MULTICAST;
    const uint32_t *receivers = fan ? record->list : &record->peer;
    size_t count = fan ? record->list_count : 1;
    bool split = e->parameters->mode == CCMOD_SPLIT;
    bool eager = split && record->size_bytes < e->calibration->eager_bytes;
    ccmod_delay quiet = ccmod_quiet_delay(e->network, e->calibration, 2, record->size_bytes);

    if (count == 0)
        return;
    if (!eager && record->kind == CCMOD_START_SEND)
        p->outstanding++;
    if (!eager && record->kind != CCMOD_START_SEND)
        p->state = BLOCKED;
    else if (split)
        keep_busy(e, number, CCMOD_SENDING, quiet.overhead_us);
    post_send(e, number, record, receivers, count, eager);
}

static void do_receive(ref_evaluation *e, uint32_t number, const ccmod_record *record)
{
    ref_processor *p = &e->processors[number];
    bool blocking = record->kind == CCMOD_RECEIVE;

    if (blocking)
        p->state = BLOCKED;
    else
        p->outstanding++;
    post_receive(e, number, record, blocking);
    if (p->woken) { /* it has arrived already */
        p->woken = false;
        p->state = RUNNING;
    }
}

static void do_barrier(ref_evaluation *e, uint32_t number)
{
    size_t inside = 0;

    e->processors[number].state = IN_BARRIER;
    for (size_t i = 0; i < e->table->processors; i++)
        inside += e->processors[i].state == IN_BARRIER;
    if (inside < e->table->processors)
        return;
    e->barrier_open = true;
    e->barrier_us = e->now_us + ccmod_barrier_us(e->calibration, e->table->processors);
}

static void do_record(ref_evaluation *e, uint32_t number, const ccmod_record *record)
{
    ref_processor *p = &e->processors[number];

    switch (record->kind) {
    case CCMOD_COMPUTE:
        keep_busy(e, number, CCMOD_COMPUTING, record->time_us);
        break;
    case CCMOD_RECEIVE:
    case CCMOD_START_RECEIVE:
        do_receive(e, number, record);
        break;
    case CCMOD_WAIT:
        if (p->outstanding > 0)
            p->state = WAITING;
        break;
    case CCMOD_BARRIER:
        do_barrier(e, number);
        break;
    default:
        do_send(e, number, record);
        break;
    }
}

static void run(ref_evaluation *e, uint32_t number)
{
    const record_row *row = &e->table->rows[number];
    ref_processor *p = &e->processors[number];

    p->state = RUNNING;
    p->woken = false;
    while (p->state == RUNNING) {
        if (p->at == row->count)
            p->state = ENDED;
        else
            do_record(e, number, &row->records[p->at++]);
    }
}

/* Step 7: the event horizon */

static double boundary(const ref_evaluation *e)
{
    return (double)(e->interval + 1) * e->parameters->background_interval_us;
}

static bool varies(const ref_evaluation *e)
{
    if (e->network->operations->background == NULL || !(e->parameters->background_interval_us > 0))
        return false;
    for (size_t i = 0; i < e->message_count; i++) {
        if (e->messages[i].phase == MOVING)
            return true;
    }
    return false;
}

static double end_of_horizon(const ref_evaluation *e)
{
    double end = e->barrier_open ? e->barrier_us : HUGE_VAL;

    for (size_t i = 0; i < e->message_count; i++) {
        const ref_message *m = &e->messages[i];

        if (m->phase == MOVING)
            end = fmin(end, e->now_us + m->left_us / m->rate);
        else if (m->phase == PASSING)
            end = fmin(end, m->timer_us);
    }
    for (size_t i = 0; i < e->table->processors; i++) {
        if (e->processors[i].state == BUSY)
            end = fmin(end, e->processors[i].until_us);
    }
    return varies(e) ? fmin(end, boundary(e)) : end;
}

static void open_barrier(ref_evaluation *e)
{
    e->barrier_open = false;
    for (uint32_t i = 0; i < e->table->processors; i++) {
        account(e, i, CCMOD_WAITING, e->now_us);
        e->processors[i].state = RUNNING;
        e->processors[i].woken = true;
    }
}

static void end_messages(ref_evaluation *e)
{
    for (size_t i = 0; i < e->message_count; i++) {
        ref_message *m = &e->messages[i];

        if (m->phase == MOVING && m->left_us <= m->rate * instant_us)
            arrive(e, m);
    }
}

static void end_latencies(ref_evaluation *e)
{
    for (size_t i = 0; i < e->message_count; i++) {
        ref_message *m = &e->messages[i];

        if (m->phase != PASSING || m->timer_us > e->now_us + instant_us)
            continue;
        if (m->left_us > 0)
            move(e, m);
        else
            arrive(e, m);
    }
}

static void end_activities(ref_evaluation *e)
{
    for (uint32_t i = 0; i < e->table->processors; i++) {
        ref_processor *p = &e->processors[i];

        if (p->state == BUSY && p->until_us <= e->now_us + instant_us) {
            account(e, i, p->activity, e->now_us);
            p->woken = true;
        }
    }
}

/* Complete everything that ends within the instant, at the rates of the horizon. */
static void end_things(ref_evaluation *e)
{
    bool change = varies(e) && boundary(e) <= e->now_us + instant_us;

    end_messages(e);
    if (change)
        e->interval++;
    end_latencies(e);
    end_activities(e);
    if (e->barrier_open && e->barrier_us <= e->now_us + instant_us)
        open_barrier(e);
}

static bool advance(ref_evaluation *e)
{
    double end;

    if (e->parameters->share == CCMOD_MAXMIN)
        share_max_min(e);
    else
        share_by_bottleneck(e);
    end = end_of_horizon(e);
    if (isinf(end))
        return false;
    for (size_t i = 0; i < e->message_count; i++) {
        ref_message *m = &e->messages[i];

        if (m->phase == MOVING)
            m->left_us -= (end - e->now_us) * m->rate;
    }
    e->interval += !(e->parameters->background_interval_us > 0) && end > e->now_us;
    e->now_us = end;
    end_things(e);
    return true;
}

static void run_woken(ref_evaluation *e)
{
    bool *woken = calloc(e->table->processors, sizeof(*woken));

    UNIT_REQUIRE(woken != NULL, "no memory");
    for (size_t i = 0; i < e->table->processors; i++)
        woken[i] = e->processors[i].woken;
    for (uint32_t i = 0; i < e->table->processors; i++) {
        if (woken[i])
            run(e, i);
    }
    free(woken);
}

static void release(ref_evaluation *e)
{
    for (size_t i = 0; i < e->message_count; i++) {
        free(e->messages[i].receivers);
        free(e->messages[i].receive);
        free(e->messages[i].cells);
    }
    free(e->messages);
    free(e->receives);
    free(e->processors);
}

reference_result reference_evaluate(const record_table *table, const ccmod_network *network,
                                    const ccmod_calibration *calibration,
                                    const ccmod_parameters *parameters)
{
    ref_evaluation e = {.table = table,
                        .network = network,
                        .calibration = calibration,
                        .parameters = parameters,
                        .processors = calloc(table->processors, sizeof(ref_processor))};
    reference_result result = {0, calloc(table->processors, sizeof(ccmod_processor)), true};

    UNIT_REQUIRE(e.processors != NULL && result.processors != NULL, "no memory");
    ck_assert_uint_lt(network->longest_route, CELLS);
    for (uint32_t i = 0; i < table->processors; i++)
        run(&e, i);
    while (advance(&e))
        run_woken(&e);
    for (size_t i = 0; i < table->processors; i++) {
        result.processors[i] = e.processors[i].times;
        result.end_us = fmax(result.end_us, e.processors[i].times.clock_us);
        result.finished = result.finished && e.processors[i].state == ENDED;
    }
    release(&e);
    return result;
}
