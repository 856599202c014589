/* Sharing of links as the article describes it: at every event horizon the rates of all messages
 * are computed anew, by either rule, and each message is brought forward. It serves max-min
 * sharing, and observers that want to see the horizons. */
#include "model/sharing/shares.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    engine_list live; /* messages on links; message->owner is the place in here */
    share_entry *shares;
    size_t share_room;
    share_scratch scratch;
    double since_us; /* up to where the messages were brought forward */
    bool stale;      /* the traffic has changed since the rates were computed */
} plain_flow;

static plain_flow *flow_of(const ccmod_engine *engine)
{
    return engine->flow;
}

/* Background */

static void change_background(ccmod_engine *engine)
{
    const engine_list *live = &flow_of(engine)->live;

    engine->interval++;
    for (size_t i = 0; i < live->count; i++)
        ccmod_background_refresh(engine, &engine->pool[live->values[i]]);
    flow_of(engine)->stale = true;
}

/* Rates */

static ccmod_status refresh(ccmod_engine *engine)
{
    plain_flow *flow = flow_of(engine);
    share_rule rule =
        engine->parameters.share == CCMOD_MAXMIN ? ccmod_share_max_min : ccmod_share_by_bottleneck;

    if (!flow->stale)
        return CCMOD_OK;
    if (flow->live.count > flow->share_room) {
        share_entry *wider = realloc(flow->shares, 2 * flow->live.count * sizeof(*wider));

        if (wider == NULL)
            return ccmod_engine_no_memory(engine);
        flow->shares = wider;
        flow->share_room = 2 * flow->live.count;
    }
    flow->stale = false;
    return rule(engine, &flow->live, &flow->scratch, flow->shares);
}

/* Signals of a horizon */

static ccmod_status signal_contention(ccmod_engine *engine)
{
    ccmod_signal signal = {0};
    uint32_t *counts;
    ccmod_status status;

    if (!engine_wants(engine, CCMOD_SIGNAL_SYSCONT))
        return CCMOD_OK;
    counts = malloc(engine->cell_count * sizeof(*counts));
    if (counts == NULL)
        return ccmod_engine_no_memory(engine);
    for (size_t i = 0; i < engine->cell_count; i++)
        counts[i] = engine->cells[i].count;
    signal.of.system.messages = counts;
    signal.of.system.cell_count = engine->cell_count;
    status = ccmod_signal_send(engine, &signal, CCMOD_SIGNAL_SYSCONT);
    free(counts);
    return status;
}

/* One signal for each live message, with its steady state. */
static ccmod_status signal_messages(ccmod_engine *engine, ccmod_signal_kind kind, double passed_us)
{
    const plain_flow *flow = flow_of(engine);

    if (!engine_wants(engine, kind))
        return CCMOD_OK;
    for (size_t i = 0; i < flow->live.count; i++) {
        uint32_t number = flow->live.values[i];
        const share_entry *share = &flow->shares[i];
        ccmod_signal signal = {0};
        ccmod_message *message = &signal.of.message;
        double work_us, done_us;

        ccmod_signal_describe(engine, number, &signal);
        work_us = message->remaining_us;
        message->contention = cell_pressure(engine, share->bottleneck);
        message->bottleneck = share->bottleneck;
        message->availability = share->rate;
        message->cost_us += work_us / share->rate - work_us;
        message->remaining_us = fmax(0, engine->pool[number].finish);
        /* quiet time that is done, with what passed before the links in mode split, but without
         * what the links add, of which the network knows nothing */
        done_us = message->quiet.overhead_us + message->quiet.latency_us +
                  message->quiet.transfer_us - message->remaining_us -
                  ccmod_message_links_latency(engine, &engine->pool[number]);
        message->consumed_packets =
            ccmod_quiet_packets(engine->network, engine->calibration, message->hops,
                                message->size_bytes, done_us) -
            ccmod_quiet_packets(engine->network, engine->calibration, message->hops,
                                message->size_bytes, done_us - passed_us * share->rate);
        CCMOD_TRY(ccmod_signal_send(engine, &signal, kind));
    }
    return CCMOD_OK;
}

/* What the horizon that ends now was like, told as of its beginning. */
static ccmod_status signal_horizon(ccmod_engine *engine, double passed_us)
{
    double now_us = engine->now_us;
    ccmod_signal cycle = {.of.cycle = {engine->cycles, engine->live}};
    ccmod_signal horizon = {.of.horizon = {passed_us}};
    ccmod_status status = CCMOD_OK;

    engine->now_us = flow_of(engine)->since_us;
    if (engine_wants(engine, CCMOD_SIGNAL_GO_STARTEVENT))
        status = ccmod_signal_send(engine, &cycle, CCMOD_SIGNAL_GO_STARTEVENT);
    if (status == CCMOD_OK)
        status = signal_contention(engine);
    if (status == CCMOD_OK)
        status = signal_messages(engine, CCMOD_SIGNAL_MSGCONT, 0);
    if (status == CCMOD_OK)
        status = signal_messages(engine, CCMOD_SIGNAL_COMMCOST, 0);
    if (status == CCMOD_OK && engine_wants(engine, CCMOD_SIGNAL_EVENTHORIZON))
        status = ccmod_signal_send(engine, &horizon, CCMOD_SIGNAL_EVENTHORIZON);
    engine->now_us = now_us;
    return status;
}

/* Progress */

/* All live messages have their share of the time since the last instant. */
static ccmod_status bring_forward(ccmod_engine *engine)
{
    plain_flow *flow = flow_of(engine);
    double passed_us = engine->now_us - flow->since_us;

    if (!(passed_us > 0))
        return CCMOD_OK;
    CCMOD_TRY(refresh(engine));
    CCMOD_TRY(signal_horizon(engine, passed_us));
    for (size_t i = 0; i < flow->live.count; i++) {
        const share_entry *share = &flow->shares[i];

        engine->pool[flow->live.values[i]].finish -= passed_us * share->rate;
        engine->cells[share->bottleneck].lost_us += passed_us * (1 - share->rate);
    }
    flow->since_us = engine->now_us;
    CCMOD_TRY(signal_messages(engine, CCMOD_SIGNAL_UPPR_SCOM, passed_us));
    return signal_messages(engine, CCMOD_SIGNAL_UPPR_PCNS, passed_us);
}

static void take_off(ccmod_engine *engine, uint32_t number)
{
    plain_flow *flow = flow_of(engine);
    const engine_message *message = &engine->pool[number];
    uint32_t last = flow->live.values[--flow->live.count];

    for (uint32_t i = 0; i < message->slot_count; i++)
        engine->cells[engine->slots[message->slots + i].cell].count--;
    flow->live.values[message->owner] = last;
    engine->pool[last].owner = message->owner;
    engine->live--;
    flow->stale = true;
}

static ccmod_status start(ccmod_engine *engine, uint32_t number, double work_us)
{
    plain_flow *flow = flow_of(engine);
    engine_message *message = &engine->pool[number];

    ccmod_background_admit(engine, message);
    for (uint32_t i = 0; i < message->slot_count; i++) {
        engine_cell *cell = &engine->cells[engine->slots[message->slots + i].cell];

        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    engine->live++;
    message->finish = work_us;
    message->owner = (uint32_t)flow->live.count;
    flow->stale = true;
    return engine_append(engine, &flow->live, number);
}

static double next(ccmod_engine *engine)
{
    const plain_flow *flow = flow_of(engine);
    double time_us = HUGE_VAL;

    for (size_t i = 0; i < flow->live.count; i++)
        time_us = fmin(time_us, engine->pool[flow->live.values[i]].finish / flow->shares[i].rate);
    return fmin(time_us + flow->since_us, engine_background_boundary(engine));
}

static ccmod_status pass(ccmod_engine *engine)
{
    plain_flow *flow = flow_of(engine);
    bool boundary =
        engine_background_boundary(engine) <= engine->now_us + engine_instant_us(engine);

    CCMOD_TRY(bring_forward(engine));
    CCMOD_TRY(refresh(engine));
    for (size_t i = 0; i < flow->live.count; i++) {
        uint32_t number = flow->live.values[i];

        if (engine->pool[number].finish <= flow->shares[i].rate * engine_instant_us(engine))
            CCMOD_TRY(engine_append(engine, &engine->ended, number));
    }
    for (size_t i = 0; i < engine->ended.count; i++)
        take_off(engine, engine->ended.values[i]);
    if (boundary)
        change_background(engine);
    return CCMOD_OK;
}

static ccmod_status open_plain(ccmod_engine *engine)
{
    engine->flow = calloc(1, sizeof(plain_flow));
    return engine->flow != NULL ? CCMOD_OK : ccmod_engine_no_memory(engine);
}

static void close_plain(ccmod_engine *engine)
{
    plain_flow *flow = flow_of(engine);

    if (flow == NULL)
        return;
    free(flow->live.values);
    free(flow->shares);
    ccmod_share_free(&flow->scratch);
    free(flow);
}

const flow_operations ccmod_flows_plain = {
    open_plain, close_plain, start, refresh, next, pass, .latency_behind = false};
