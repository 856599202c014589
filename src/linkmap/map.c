/* Rounds, reports and orders. */
#include "linkmap/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/budget.h"
#include "linkmap/rounds.h"
#include "linkmap/steps.h"

enum {
    PAIRS_TO_LOSE = 3, /* a host that does not answer that many others is lost */
    NO_HOST = -1,
    CYCLES_MOST = 4096,
    VALUES_MOST = 1 << 26 /* floats that are kept */
};

/* A report waits for at most this number of timeouts of samples, and an order for that one. */
static const uint64_t report_timeouts = 6, order_timeouts = 16;

/* First word of control messages, which distinguishes them from packets of a sample given up. */
static const uint64_t report_mark = 0x6c696e6b20726570, order_mark = 0x6c696e6b206f7264;

typedef struct {
    uint64_t mark;
    uint64_t round; /* since the beginning */
    int32_t lost_peer;
    float values[MAP_QUANTITIES];
} map_report;

typedef struct {
    uint64_t mark;
    uint64_t round;
    int32_t stop, lost_host, any_lost;
} map_order;

_Static_assert(sizeof(map_report) <= LINK_CONTROL_BYTES && sizeof(map_order) <= LINK_CONTROL_BYTES,
               "control messages fit");

static bool is_first(const map_run *run)
{
    return run->self == 0;
}

static size_t values_of_cycle(const map_run *run)
{
    return run->pattern == MAP_PAIRS ? run->hosts * run->hosts * MAP_QUANTITIES : run->hosts;
}

cb_status map_run_make(map_run *run)
{
    const size_t hosts = run->hosts;

    run->lost = cb_allocate(hosts, sizeof(*run->lost), "the state of hosts");
    run->order = cb_allocate(hosts, sizeof(*run->order), "a bisection");
    if (is_first(run))
        run->lost_pairs = cb_allocate(hosts * hosts, sizeof(*run->lost_pairs), "the lost pairs");
    return run->lost != NULL && run->order != NULL && (!is_first(run) || run->lost_pairs != NULL)
               ? CB_OK
               : CB_ERROR_MEMORY;
}

void map_run_free(map_run *run)
{
    free(run->lost);
    free(run->order);
    free(run->lost_pairs);
    free(run->values);
}

/* This rank's partner in a round; itself if it has none. */
static size_t partner_in(map_run *run, size_t cycle, size_t round, size_t self)
{
    bool sends;

    if (run->pattern == MAP_PAIRS)
        return rounds_partner(run->hosts, round, self);
    if (run->pattern == MAP_ONE_TO_ALL)
        return round;
    rounds_bisect(run->hosts, run->setting->session->job->options->seed, cycle, run->order);
    return rounds_opposite(run->order, run->hosts, self, &sends);
}

/* Take part in a round. The leader of a pair changes from cycle to cycle. */
static cb_status sample_round(map_run *run, size_t cycle, size_t partner, float *values)
{
    const size_t peer = linkmap_peer(run->end.me, partner);
    bool *lost_peers = NULL;
    float loss = NAN;
    cb_status status;

    if (run->pattern == MAP_PAIRS)
        return link_sample(&run->end, peer, (partner > run->self) == (cycle % 2 == 0), values);
    if (run->pattern == MAP_BISECTION)
        return link_exchange(&run->end, peer, true, true, &values[MAP_BOTH_WAYS], &loss);
    if (partner != run->self)
        return link_exchange(&run->end, peer, false, true, &values[MAP_ONE_WAY], &loss);
    lost_peers = cb_allocate(run->hosts, sizeof(*lost_peers), "the lost hosts");
    if (lost_peers == NULL)
        return CB_ERROR_MEMORY;
    for (size_t member = 0; member < run->hosts; member++)
        if (member != run->self)
            lost_peers[linkmap_peer(run->end.me, member)] = run->lost[member];
    status = link_send_all(&run->end, lost_peers, &values[MAP_ONE_WAY]);
    free(lost_peers);
    return status;
}

/* Reports and orders */

/* Receive a control message of this round, and drop what is left of earlier samples. */
static cb_status receive_control(map_run *run, size_t member, uint64_t mark, uint64_t round,
                                 uint64_t deadline_ns, void *message, size_t bytes)
{
    for (;;) {
        uint64_t head[2] = {0};
        transport_buffer *buffer;
        bool wanted;

        CB_TRY(link_receive(&run->end, linkmap_peer(run->end.me, member), deadline_ns, &buffer));
        if (buffer->size == bytes)
            memcpy(head, buffer->data, sizeof(head));
        wanted = head[0] == mark && head[1] == round;
        if (wanted)
            memcpy(message, buffer->data, bytes);
        transport_buffer_release(buffer);
        if (wanted)
            return CB_OK;
    }
}

/* A lost host that the others do not know of yet; NO_HOST: none. */
static int host_to_leave_out(const map_run *run, const bool *silent)
{
    int worst = NO_HOST;
    size_t most = PAIRS_TO_LOSE - 1;

    for (size_t member = 1; member < run->hosts; member++) {
        size_t count = 0;

        if (run->lost[member])
            continue;
        if (silent[member])
            return (int)member;
        for (size_t other = 0; other < run->hosts; other++)
            count += !run->lost[other] && run->lost_pairs[member * run->hosts + other];
        if (count > most) {
            most = count;
            worst = (int)member;
        }
    }
    return worst;
}

static void keep_report(map_run *run, size_t cycle, size_t member, size_t partner,
                        const map_report *report)
{
    const size_t hosts = run->hosts;
    float *values = run->values + cycle * values_of_cycle(run);

    if (report->lost_peer != NO_HOST) {
        run->lost_pairs[member * hosts + (size_t)report->lost_peer] = true;
        run->lost_pairs[(size_t)report->lost_peer * hosts + member] = true;
    }
    if (run->pattern == MAP_ONE_TO_ALL && partner == member)
        values[member] = report->values[MAP_ONE_WAY];
    if (run->pattern == MAP_BISECTION)
        values[member] = report->values[MAP_BOTH_WAYS];
    if (run->pattern != MAP_PAIRS || partner == member)
        return;
    for (map_quantity quantity = MAP_WAKE; quantity < MAP_QUANTITIES; quantity++) {
        float *there = &values[(member * hosts + partner) * MAP_QUANTITIES + quantity];
        float *back = &values[(partner * hosts + member) * MAP_QUANTITIES + quantity];
        const float value = report->values[quantity];

        /* A time of a round trip is that of both directions. Losses are known where packets are
         * missing. */
        if (isfinite(value) && quantity != MAP_LOSS)
            *there = value;
        if (isfinite(value) && (quantity == MAP_LOSS || quantity <= MAP_LATENCY))
            *back = value;
    }
}

/* At the first rank: collect the reports of a round. */
static cb_status collect_reports(map_run *run, size_t cycle, size_t round, const map_report *own,
                                 uint64_t begin_ns, bool *silent)
{
    const uint64_t deadline_ns = begin_ns + report_timeouts * run->end.timeout_ns;
    map_report report = *own;

    for (size_t member = 0; member < run->hosts; member++) {
        cb_status status = CB_OK;

        if (run->lost[member] || silent[member])
            continue;
        if (member > 0)
            status = receive_control(run, member, report_mark, own->round, deadline_ns, &report,
                                     sizeof(report));
        silent[member] = status == CB_LOST;
        if (status == CB_OK)
            keep_report(run, cycle, member, partner_in(run, cycle, round, member), &report);
        else if (status != CB_LOST)
            return status;
    }
    return CB_OK;
}

static cb_status collect_by_control(map_run *run, size_t cycle, size_t round, const map_report *own)
{
    map_report *all = NULL;
    cb_status status;

    if (is_first(run)) {
        all = cb_allocate(run->hosts, sizeof(*all), "the reports of a round");
        if (all == NULL)
            return CB_ERROR_MEMORY;
    }
    status = control_gather(run->setting->team, own, sizeof(*own), all);
    for (size_t member = 0; member < run->hosts && all != NULL && status == CB_OK; member++)
        keep_report(run, cycle, member, partner_in(run, cycle, round, member), &all[member]);
    free(all);
    return status;
}

/* Report, and get the order. */
static cb_status end_round(map_run *run, size_t cycle, size_t round, const map_report *report,
                           uint64_t begin_ns, bool *silent, map_order *order)
{
    cb_status status = CB_OK;

    if (!run->end.reliable) {
        CB_TRY(collect_by_control(run, cycle, round, report));
    } else if (is_first(run)) {
        CB_TRY(collect_reports(run, cycle, round, report, begin_ns, silent));
    } else {
        CB_TRY(link_send(&run->end, linkmap_peer(run->end.me, 0), sizeof(*report), report));
        status = receive_control(run, 0, order_mark, report->round,
                                 cb_now_ns() + order_timeouts * run->end.timeout_ns, order,
                                 sizeof(*order));
        run->left = status == CB_LOST;
        return status == CB_LOST ? CB_OK : status;
    }
    if (is_first(run)) {
        order->lost_host = host_to_leave_out(run, silent);
        for (size_t member = 0; member < run->hosts; member++)
            order->any_lost = order->any_lost || silent[member] || run->lost[member];
        for (size_t pair = 0; pair < run->hosts * run->hosts; pair++)
            order->any_lost = order->any_lost || run->lost_pairs[pair];
    }
    if (!run->end.reliable)
        return control_broadcast(run->setting->team, order, sizeof(*order));
    for (size_t member = 1; member < run->hosts; member++)
        if (!run->lost[member] && !silent[member])
            CB_TRY(link_send(&run->end, linkmap_peer(run->end.me, member), sizeof(*order), order));
    return CB_OK;
}

/* Room for one more cycle, all of it not measured. */
static cb_status add_cycle(map_run *run)
{
    const size_t each = values_of_cycle(run);
    float *grown;

    if (!is_first(run))
        return CB_OK;
    grown = realloc(run->values, (run->cycles + 1) * each * sizeof(*grown));
    if (grown == NULL) {
        cb_error("cannot store the samples of %zu cycles of a map: out of memory; use a shorter "
                 "--max-time",
                 run->cycles + 1);
        return CB_ERROR_MEMORY;
    }
    run->values = grown;
    for (size_t i = 0; i < each; i++)
        grown[run->cycles * each + i] = NAN;
    return CB_OK;
}

/* Whether the first rank ends the map after this cycle: another one would not fit. */
static bool is_last(const map_run *run, budget_mark begin, budget_mark cycle)
{
    const bench_options *options = run->setting->session->job->options;
    const double each_s = budget_used_ns(options, cycle) / 1e9;
    const double elapsed_s = budget_used_ns(options, begin) / 1e9;
    const size_t done = run->cycles + 1;

    return done == CYCLES_MOST || (done + 1) * values_of_cycle(run) > VALUES_MOST ||
           (done >= run->cycles_least && elapsed_s + each_s > run->limit_s);
}

static cb_status run_round(map_run *run, size_t cycle, size_t round, bool *pair_lost, bool *silent,
                           map_order *order)
{
    const size_t partner = partner_in(run, cycle, round, run->self);
    const uint64_t begin_ns = cb_now_ns();
    map_report report = {.mark = report_mark, .round = order->round, .lost_peer = NO_HOST};
    const bool takes_part = partner != run->self || run->pattern == MAP_ONE_TO_ALL;
    cb_status status = CB_OK;

    for (size_t i = 0; i < MAP_QUANTITIES; i++)
        report.values[i] = NAN;
    if (takes_part && !run->lost[partner] && !pair_lost[partner])
        status = sample_round(run, cycle, partner, report.values);
    if (status == CB_LOST && partner != run->self) {
        pair_lost[partner] = true;
        report.lost_peer = (int32_t)partner;
    } else if (status != CB_OK && status != CB_LOST) {
        return status;
    }
    CB_TRY(end_round(run, cycle, round, &report, begin_ns, silent, order));
    if (run->left)
        return CB_OK;
    run->any_lost = run->any_lost || order->any_lost != 0;
    if (order->lost_host != NO_HOST) {
        run->lost[order->lost_host] = true;
        run->left = (size_t)order->lost_host == run->self;
    }
    return CB_OK;
}

cb_status map_run_cycles(map_run *run)
{
    const budget_mark begin = budget_now();
    bool *pair_lost = cb_allocate(run->hosts, sizeof(*pair_lost), "the lost pairs");
    bool *silent = cb_allocate(run->hosts, sizeof(*silent), "the lost hosts");
    map_order order = {.mark = order_mark};
    cb_status status = pair_lost != NULL && silent != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t cycle = 0; !order.stop && !run->left && status == CB_OK; cycle++) {
        const budget_mark cycle_begin = budget_now();
        const size_t rounds = run->pattern == MAP_PAIRS        ? rounds_count(run->hosts)
                              : run->pattern == MAP_ONE_TO_ALL ? run->hosts
                                                               : 1;

        status = add_cycle(run);
        for (size_t round = 0; round < rounds && !run->left && status == CB_OK; round++) {
            session_leave_if_interrupted(run->setting->session);
            if (is_first(run) && round + 1 == rounds)
                order.stop = is_last(run, begin, cycle_begin);
            status = run_round(run, cycle, round, pair_lost, silent, &order);
            order.round++;
        }
        run->cycles += status == CB_OK;
        if (status == CB_OK && is_first(run) && run->after_cycle != NULL)
            run->after_cycle(run, run->context);
    }
    for (size_t member = 0; member < run->hosts && silent != NULL; member++)
        run->lost[member] = run->lost[member] || silent[member];
    free(pair_lost);
    free(silent);
    return status;
}
