/* Sharing of links as the article describes it: at every event horizon the rates of all messages
 * are computed anew, by either rule, and each message is brought forward. It serves max-min
 * sharing, and observers that want to see the horizons. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "model/sharing/background.h"
#include "model/sharing/cells.h"
#include "model/sharing/messages.h"
#include "model/sharing/shares.h"

typedef struct {
    traffic_list live; /* messages on links; message->owner is the place in here */
    share_entry *shares;
    size_t share_room;
    share_scratch scratch;
    double since_us; /* up to where the messages were brought forward */
    bool stale;      /* the traffic has changed since the rates were computed */
} plain_flow;

static plain_flow *flow_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* Background */

static void change_background(ccmod_traffic *traffic)
{
    const traffic_list *live = &flow_of(traffic)->live;

    traffic->interval++;
    for (size_t i = 0; i < live->count; i++)
        ccmod_background_refresh(traffic, &traffic->pool[live->values[i]]);
    flow_of(traffic)->stale = true;
}

/* Rates */

static ccmod_status refresh(ccmod_traffic *traffic)
{
    plain_flow *flow = flow_of(traffic);
    share_rule rule =
        traffic->parameters.share == CCMOD_MAXMIN ? ccmod_share_max_min : ccmod_share_by_bottleneck;

    if (!flow->stale)
        return CCMOD_OK;
    if (flow->live.count > flow->share_room) {
        share_entry *wider = realloc(flow->shares, 2 * flow->live.count * sizeof(*wider));

        if (wider == NULL)
            return ccmod_traffic_no_memory(traffic);
        flow->shares = wider;
        flow->share_room = 2 * flow->live.count;
    }
    flow->stale = false;
    return rule(traffic, &flow->live, &flow->scratch, flow->shares);
}

/* Signals of a horizon, as of `clock_us` */

static ccmod_status signal_contention(ccmod_traffic *traffic, double clock_us)
{
    uint32_t *counts = malloc(traffic->cell_count * sizeof(*counts));
    ccmod_signal signal = {.of.system = {counts, traffic->cell_count}};
    ccmod_status status;

    if (counts == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        counts[i] = traffic->cells[i].count;
    status = ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_SYSCONT, clock_us, &signal);
    free(counts);
    return status;
}

/* One signal for each live message, with its steady state. */
static ccmod_status signal_messages(ccmod_traffic *traffic, ccmod_signal_kind kind, double clock_us,
                                    double passed_us)
{
    const plain_flow *flow = flow_of(traffic);

    if (!audience_wants(&traffic->audience, kind))
        return CCMOD_OK;
    for (size_t i = 0; i < flow->live.count; i++) {
        uint32_t number = flow->live.values[i];
        const share_entry *share = &flow->shares[i];
        ccmod_signal signal = {.of.message = ccmod_message_describe(traffic, number)};
        ccmod_message *message = &signal.of.message;
        double work_us = message->remaining_us, done_us;

        message->contention = cell_pressure(traffic, share->bottleneck);
        message->bottleneck = share->bottleneck;
        message->availability = share->rate;
        message->cost_us += work_us / share->rate - work_us;
        message->remaining_us = fmax(0, traffic->pool[number].finish);
        /* quiet time that is done, with what passed before the links in mode split, but without
         * what the links add, of which the network knows nothing */
        done_us = message->quiet.overhead_us + message->quiet.latency_us +
                  message->quiet.transfer_us - message->remaining_us -
                  ccmod_message_links_latency(traffic, &traffic->pool[number]);
        message->consumed_packets =
            ccmod_quiet_packets(traffic->network, traffic->calibration, message->hops,
                                message->size_bytes, done_us) -
            ccmod_quiet_packets(traffic->network, traffic->calibration, message->hops,
                                message->size_bytes, done_us - passed_us * share->rate);
        CCMOD_TRY(ccmod_signal_send(&traffic->audience, kind, clock_us, &signal));
    }
    return CCMOD_OK;
}

/* What the horizon that ends now was like, as of its beginning. */
static ccmod_status signal_horizon(ccmod_traffic *traffic, double since_us, double passed_us)
{
    const signal_audience *audience = &traffic->audience;
    ccmod_signal cycle = {.of.cycle = {traffic->cycles, traffic->live}};
    ccmod_signal horizon = {.of.horizon = {passed_us}};

    if (audience_wants(audience, CCMOD_SIGNAL_GO_STARTEVENT))
        CCMOD_TRY(ccmod_signal_send(audience, CCMOD_SIGNAL_GO_STARTEVENT, since_us, &cycle));
    if (audience_wants(audience, CCMOD_SIGNAL_SYSCONT))
        CCMOD_TRY(signal_contention(traffic, since_us));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_MSGCONT, since_us, 0));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_COMMCOST, since_us, 0));
    if (audience_wants(audience, CCMOD_SIGNAL_EVENTHORIZON))
        CCMOD_TRY(ccmod_signal_send(audience, CCMOD_SIGNAL_EVENTHORIZON, since_us, &horizon));
    return CCMOD_OK;
}

/* Progress */

/* All live messages have their share of the time since the last instant. */
static ccmod_status bring_forward(ccmod_traffic *traffic)
{
    plain_flow *flow = flow_of(traffic);
    double passed_us = traffic->now_us - flow->since_us;

    if (!(passed_us > 0))
        return CCMOD_OK;
    CCMOD_TRY(refresh(traffic));
    CCMOD_TRY(signal_horizon(traffic, flow->since_us, passed_us));
    for (size_t i = 0; i < flow->live.count; i++) {
        const share_entry *share = &flow->shares[i];

        traffic->pool[flow->live.values[i]].finish -= passed_us * share->rate;
        traffic->cells[share->bottleneck].lost_us += passed_us * (1 - share->rate);
    }
    flow->since_us = traffic->now_us;
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_UPPR_SCOM, traffic->now_us, passed_us));
    return signal_messages(traffic, CCMOD_SIGNAL_UPPR_PCNS, traffic->now_us, passed_us);
}

static void take_off(ccmod_traffic *traffic, uint32_t number)
{
    plain_flow *flow = flow_of(traffic);
    const traffic_message *message = &traffic->pool[number];
    uint32_t last = flow->live.values[--flow->live.count];

    for (uint32_t i = 0; i < message->slot_count; i++)
        traffic->cells[traffic->slots[message->slots + i].cell].count--;
    flow->live.values[message->owner] = last;
    traffic->pool[last].owner = message->owner;
    traffic->live--;
    flow->stale = true;
}

static ccmod_status start(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    plain_flow *flow = flow_of(traffic);
    traffic_message *message = &traffic->pool[number];

    ccmod_background_admit(traffic, message);
    for (uint32_t i = 0; i < message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[message->slots + i].cell];

        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    traffic->live++;
    message->finish = work_us;
    message->owner = (uint32_t)flow->live.count;
    flow->stale = true;
    return traffic_append(traffic, &flow->live, number);
}

static double next(ccmod_traffic *traffic)
{
    const plain_flow *flow = flow_of(traffic);
    double time_us = HUGE_VAL;

    for (size_t i = 0; i < flow->live.count; i++)
        time_us = fmin(time_us, traffic->pool[flow->live.values[i]].finish / flow->shares[i].rate);
    return fmin(time_us + flow->since_us, background_boundary_us(traffic));
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    plain_flow *flow = flow_of(traffic);
    bool boundary =
        background_boundary_us(traffic) <= traffic->now_us + traffic_instant_us(traffic);

    CCMOD_TRY(bring_forward(traffic));
    CCMOD_TRY(refresh(traffic));
    for (size_t i = 0; i < flow->live.count; i++) {
        uint32_t number = flow->live.values[i];

        if (traffic->pool[number].finish <= flow->shares[i].rate * traffic_instant_us(traffic))
            CCMOD_TRY(traffic_append(traffic, &traffic->ended, number));
    }
    for (size_t i = 0; i < traffic->ended.count; i++)
        take_off(traffic, traffic->ended.values[i]);
    if (boundary)
        change_background(traffic);
    return CCMOD_OK;
}

static ccmod_status open_plain(ccmod_traffic *traffic)
{
    traffic->flow = calloc(1, sizeof(plain_flow));
    return traffic->flow != NULL ? CCMOD_OK : ccmod_traffic_no_memory(traffic);
}

static void close_plain(ccmod_traffic *traffic)
{
    plain_flow *flow = flow_of(traffic);

    if (flow == NULL)
        return;
    free(flow->live.values);
    free(flow->shares);
    ccmod_share_free(&flow->scratch);
    free(flow);
}

const flow_operations ccmod_flows_plain = {open_plain, close_plain,           start, refresh, next,
                                           pass,       .latency_after = false};
