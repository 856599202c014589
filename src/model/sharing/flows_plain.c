/* Sharing of links as described in the article: at every event horizon the rates of all messages
 * are recomputed, by one of two rules, from the current traffic, and each message is advanced. For
 * max-min sharing, and for observers of horizons. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "model/sharing/cells.h"
#include "model/sharing/horizons.h"

/* A message's share: BA, and its limiting cell. */
typedef struct {
    double rate;
    uint32_t bottleneck;
} share_entry;

/* Scratch of the rules; initially zero. */
typedef struct {
    uint32_t *dense_indices; /* for each cell of the network: its index among the cells in use */
    uint32_t *cells;         /* in use */
    double *left;            /* unassigned capacity of each */
    uint32_t *users;         /* number of messages without a rate */
    uint32_t *first;         /* of its messages in members; one entry more than cells */
    uint32_t *heap;          /* indices ordered by share */
    double *keys;            /* share of each when it entered the heap */
    size_t room;             /* number of cells */
    uint32_t *members;
    size_t member_room;
} share_scratch;

typedef ccmod_status (*share_rule)(ccmod_traffic *traffic, const traffic_list *live,
                                   share_scratch *scratch, share_entry *shares);

/* Every link is shared equally; the most contended one decides. */
static ccmod_status share_by_bottleneck(ccmod_traffic *traffic, const traffic_list *live,
                                        share_scratch *scratch, share_entry *shares)
{
    (void)scratch;
    for (size_t i = 0; i < live->count; i++) {
        const traffic_message *message = &traffic->pool[live->values[i]];
        const traffic_slot *slots = traffic->slots + message->slots;
        uint32_t most = slots[0].cell;

        for (uint32_t k = 1; k < message->slot_count; k++) {
            if (cell_presses_more(traffic, slots[k].cell, most))
                most = slots[k].cell;
        }
        shares[i] = (share_entry){cell_availability(traffic, most), most};
    }
    return CCMOD_OK;
}

/* Scratch */

/* Room for the cells and slots of all messages on links, plus half as much again. */
static bool make_room(const ccmod_traffic *traffic, const traffic_list *live,
                      share_scratch *scratch)
{
    size_t slots = 0, cells, wider;

    for (size_t i = 0; i < live->count; i++)
        slots += traffic->pool[live->values[i]].slot_count;
    cells = slots < traffic->cell_count ? slots : traffic->cell_count;
    if (scratch->dense_indices == NULL) {
        scratch->dense_indices = malloc(traffic->cell_count * sizeof(*scratch->dense_indices));
        for (size_t i = 0; scratch->dense_indices != NULL && i < traffic->cell_count; i++)
            scratch->dense_indices[i] = TRAFFIC_NONE;
    }
    if (cells > scratch->room) {
        wider = cells + cells / 2;
        free(scratch->cells);
        free(scratch->left);
        free(scratch->users);
        free(scratch->first);
        free(scratch->heap);
        free(scratch->keys);
        scratch->cells = malloc(wider * sizeof(*scratch->cells));
        scratch->left = malloc(wider * sizeof(*scratch->left));
        scratch->users = malloc(wider * sizeof(*scratch->users));
        scratch->first = malloc((wider + 1) * sizeof(*scratch->first));
        scratch->heap = malloc(wider * sizeof(*scratch->heap));
        scratch->keys = malloc(wider * sizeof(*scratch->keys));
        scratch->room = wider;
    }
    if (slots > scratch->member_room) {
        wider = slots + slots / 2;
        free(scratch->members);
        scratch->members = malloc(wider * sizeof(*scratch->members));
        scratch->member_room = scratch->members != NULL ? wider : 0;
    }
    return scratch->dense_indices != NULL && scratch->cells != NULL && scratch->left != NULL &&
           scratch->users != NULL && scratch->first != NULL && scratch->heap != NULL &&
           scratch->keys != NULL && scratch->members != NULL;
}

/* Max-min fairness */

/* Number the cells in use; set their capacity and users. */
static size_t number_cells(const ccmod_traffic *traffic, const traffic_list *live,
                           share_scratch *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < live->count; i++) {
        const traffic_message *message = &traffic->pool[live->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t cell = traffic->slots[message->slots + k].cell;

            if (scratch->dense_indices[cell] == TRAFFIC_NONE) {
                scratch->dense_indices[cell] = (uint32_t)count;
                scratch->cells[count] = cell;
                scratch->users[count] = 0;
                scratch->left[count++] = (1 - cell_load(traffic, cell)) * cell_width(traffic, cell);
            }
            scratch->users[scratch->dense_indices[cell]]++;
        }
    }
    return count;
}

/* The messages of each cell, by their index in the live list, cell after cell. */
static void list_members(const ccmod_traffic *traffic, const traffic_list *live,
                         share_scratch *scratch, size_t count)
{
    uint32_t *first = scratch->first;

    first[0] = 0;
    for (size_t c = 0; c < count; c++)
        first[c + 1] = first[c] + scratch->users[c];
    for (size_t i = live->count; i-- > 0;) {
        const traffic_message *message = &traffic->pool[live->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t dense = scratch->dense_indices[traffic->slots[message->slots + k].cell];

            scratch->members[--first[dense + 1]] = (uint32_t)i;
        }
    }
    /* each first[c + 1] was decremented to the start of cell c */
    for (size_t c = 0; c < count; c++)
        first[c] = first[c + 1];
    first[count] = first[count > 0 ? count - 1 : 0] + (count > 0 ? scratch->users[count - 1] : 0);
}

static double share_of(const ccmod_traffic *traffic, const share_scratch *scratch, uint32_t dense)
{
    double alone = 1 - cell_load(traffic, scratch->cells[dense]);

    return fmin(scratch->left[dense] / scratch->users[dense], alone);
}

static bool comes_first(const share_scratch *scratch, uint32_t left, uint32_t right)
{
    double a = scratch->keys[left], b = scratch->keys[right];

    return a < b || (!(a > b) && left < right);
}

static void sift_down(share_scratch *scratch, size_t count, size_t at)
{
    uint32_t *heap = scratch->heap, moved = heap[at];
    size_t below;

    while ((below = 2 * at + 1) < count) {
        if (below + 1 < count && comes_first(scratch, heap[below + 1], heap[below]))
            below++;
        if (!comes_first(scratch, heap[below], moved))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
}

/* Give `rate` to all messages of the cell that have none, and subtract it from their other cells.
 */
static void settle_cell(const ccmod_traffic *traffic, const traffic_list *live,
                        share_scratch *scratch, uint32_t dense, share_entry *shares)
{
    share_entry entry = {share_of(traffic, scratch, dense), scratch->cells[dense]};

    for (uint32_t at = scratch->first[dense]; at < scratch->first[dense + 1]; at++) {
        uint32_t number = scratch->members[at];
        const traffic_message *message = &traffic->pool[live->values[number]];

        if (shares[number].rate >= 0)
            continue;
        shares[number] = entry;
        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t other = scratch->dense_indices[traffic->slots[message->slots + k].cell];

            scratch->left[other] = fmax(0, scratch->left[other] - entry.rate);
            scratch->users[other]--;
        }
    }
}

/* Max-min fairness: the messages of the scarcest cell get equal shares of it; capacity that they
 * leave elsewhere goes to others, and so on. No message gets more of a cell than it would without
 * contention. */
static ccmod_status share_max_min(ccmod_traffic *traffic, const traffic_list *live,
                                  share_scratch *scratch, share_entry *shares)
{
    size_t count, open;

    if (!make_room(traffic, live, scratch))
        return ccmod_traffic_no_memory(traffic);
    count = open = number_cells(traffic, live, scratch);
    list_members(traffic, live, scratch, count);
    for (uint32_t dense = 0; dense < count; dense++) {
        scratch->heap[dense] = dense;
        scratch->keys[dense] = share_of(traffic, scratch, dense);
    }
    for (size_t at = count / 2; at-- > 0;)
        sift_down(scratch, count, at);
    for (size_t i = 0; i < live->count; i++)
        shares[i].rate = -1;
    while (open > 0) {
        uint32_t dense = scratch->heap[0];
        double share = scratch->users[dense] > 0 ? share_of(traffic, scratch, dense) : HUGE_VAL;

        /* shares only grow: put a key that is too low in its place */
        if (scratch->users[dense] > 0 && share > scratch->keys[dense]) {
            scratch->keys[dense] = share;
            sift_down(scratch, open, 0);
            continue;
        }
        if (scratch->users[dense] > 0)
            settle_cell(traffic, live, scratch, dense, shares);
        scratch->heap[0] = scratch->heap[--open];
        sift_down(scratch, open, 0);
    }
    for (size_t i = 0; i < count; i++)
        scratch->dense_indices[scratch->cells[i]] = TRAFFIC_NONE;
    return CCMOD_OK;
}

typedef struct {
    traffic_list live; /* messages on links; message->owner is the index here */
    share_entry *shares;
    size_t share_room;
    share_scratch scratch;
    double since_us; /* messages were advanced up to here */
    bool stale;      /* the traffic has changed since the rates were computed */
} plain_flow;

static plain_flow *flow_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* Rates */

static ccmod_status refresh(ccmod_traffic *traffic)
{
    plain_flow *flow = flow_of(traffic);
    share_rule rule =
        traffic->parameters.share == CCMOD_MAXMIN ? share_max_min : share_by_bottleneck;

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

/* Signals of a horizon, with time `clock_us` */

/* Send one signal for each message on links, with its steady state. */
static ccmod_status signal_messages(ccmod_traffic *traffic, ccmod_signal_kind kind, double clock_us,
                                    double passed_us)
{
    const plain_flow *flow = flow_of(traffic);

    if (!audience_expects(&traffic->audience, kind))
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
        /* completed quiet time, including the phases before the links in mode split, but without
         * latencies of links, which the network's delay does not include */
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

/* Describe the horizon that ends now, as of its beginning. */
static ccmod_status signal_horizon(ccmod_traffic *traffic, double since_us, double passed_us)
{
    CCMOD_TRY(ccmod_horizon_signal_traffic(traffic, since_us));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_MSGCONT, since_us, 0));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_COMMCOST, since_us, 0));
    return ccmod_horizon_signal_duration(traffic, since_us, passed_us);
}

/* Progress */

/* Advance all messages on links by the time since the last instant. */
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
    bool horizon = traffic->now_us > flow->since_us;
    bool redraw =
        background_is_evaluated(traffic)
            ? horizon
            : background_boundary_us(traffic) <= traffic->now_us + traffic_instant_us(traffic);

    CCMOD_TRY(bring_forward(traffic));
    CCMOD_TRY(refresh(traffic));
    for (size_t i = 0; i < flow->live.count; i++) {
        uint32_t number = flow->live.values[i];

        if (traffic->pool[number].finish <= flow->shares[i].rate * traffic_instant_us(traffic))
            CCMOD_TRY(traffic_append(traffic, &traffic->ended, number));
    }
    for (size_t i = 0; i < traffic->ended.count; i++)
        take_off(traffic, traffic->ended.values[i]);
    if (redraw) {
        traffic->interval++;
        for (size_t i = 0; i < flow->live.count; i++)
            ccmod_background_refresh(traffic, &traffic->pool[flow->live.values[i]]);
        flow->stale = flow->stale || flow->live.count > 0;
    }
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
    free(flow->scratch.dense_indices);
    free(flow->scratch.cells);
    free(flow->scratch.left);
    free(flow->scratch.users);
    free(flow->scratch.first);
    free(flow->scratch.heap);
    free(flow->scratch.keys);
    free(flow->scratch.members);
    free(flow);
}

const flow_operations ccmod_flows_plain = {open_plain, close_plain,           start, refresh, next,
                                           pass,       .latency_after = false};
