/* An evaluation: check the arguments, advance the traffic from instant to instant until all traces
 * are consumed or nothing can happen any more, and make the result. */
#include <ccmod/evaluation.h>

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "model/evaluation/delivery.h"
#include "model/evaluation/engine.h"
#include "model/evaluation/matching.h"
#include "model/evaluation/reactions.h"
#include "model/evaluation/records.h"
#include "model/sharing/cells.h"
#include "model/sharing/traffic.h"

static ccmod_status check_calibration(const ccmod_calibration *calibration, ccmod_error *error)
{
    bool right = calibration->line_count > 0 && calibration->line_count <= CCMOD_LINES &&
                 calibration->hold_count <= CCMOD_LINES;
    const double extras[] = {calibration->hop_us, calibration->gap_us, calibration->barrier_us,
                             calibration->barrier_round_us, calibration->acknowledgement_us};

    for (size_t i = 0; right && i < calibration->line_count; i++) {
        const ccmod_line *line = &calibration->lines[i];

        right = line->overhead_us >= 0 && line->latency_us >= 0 && line->us_per_byte >= 0 &&
                isfinite(line->overhead_us + line->latency_us + line->us_per_byte);
    }
    for (size_t i = 0; right && i < calibration->hold_count; i++) {
        const ccmod_line *hold = &calibration->holds[i];

        right = hold->latency_us >= 0 && hold->us_per_byte >= 0 &&
                isfinite(hold->latency_us + hold->us_per_byte);
    }
    for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
        right = right && extras[i] >= 0 && isfinite(extras[i]);
    if (right)
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                      "cannot evaluate with this calibration: it needs 1 to %d lines, and all "
                      "times must be 0 or more and finite; correct it",
                      (int)CCMOD_LINES);
}

/* Check the limits that end an evaluation before its traces do. */
static ccmod_status check_stop(const ccmod_parameters *parameters, const ccmod_workload *workload,
                               ccmod_error *error)
{
    bool counted = parameters->rate_of != CCMOD_NOBODY;

    if (!(parameters->until_us >= 0) || isinf(parameters->until_us))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate until %g us; give a time above 0, or 0 for all of the "
                          "trace",
                          parameters->until_us);
    if (!(parameters->precision >= 0 && parameters->precision < 1) ||
        (parameters->precision > 0 && !counted))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate to a precision of %g without a rank whose rate is "
                          "measured; name the rank, and give a share from 0 to below 1",
                          parameters->precision);
    if (counted && parameters->rate_of >= workload->processors)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, workload->name, 0,
                          "cannot count what rank %u receives: there are %zu ranks; name one of "
                          "them",
                          parameters->rate_of, workload->processors);
    return CCMOD_OK;
}

/* What a port may hold while all others are empty. */
static double port_bytes(const ccmod_parameters *parameters)
{
    double bytes = (double)parameters->buffer_bytes, alpha = parameters->buffer_alpha;

    return alpha > 0 ? bytes * alpha / (1 + alpha) : bytes;
}

/* Check what limits share rule tcp. */
static ccmod_status check_buffers(const ccmod_parameters *parameters, const ccmod_network *network,
                                  ccmod_error *error)
{
    double frame_bytes = (double)network->payload_bytes + (double)network->header_bytes;

    if (parameters->share != CCMOD_TCP) {
        if (parameters->buffer_bytes == 0)
            return CCMOD_OK;
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate a buffer of %llu bytes with share rule %s, which drops "
                          "nothing; use share rule tcp, or no buffer",
                          (unsigned long long)parameters->buffer_bytes,
                          ccmod_share_name(parameters->share));
    }
    if (!(parameters->buffer_alpha >= 0) || isinf(parameters->buffer_alpha))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot share a buffer with a threshold of %g times what is free; give a "
                          "number above 0, such as 1",
                          parameters->buffer_alpha);
    if (parameters->buffer_bytes > 0 && port_bytes(parameters) < frame_bytes)
        return ccmod_fail(
            error, CCMOD_ERROR_USAGE, NULL, 0,
            "cannot evaluate buffers in which a port has room for %g bytes: a frame has "
            "%g, and would never pass; use a larger buffer",
            port_bytes(parameters), frame_bytes);
    if (parameters->mode != CCMOD_SPLIT || parameters->background != CCMOD_BACKGROUND_NONE ||
        network->operations->background != NULL)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "share rule tcp needs mode split and no background; change these, or use "
                          "share rule fifo");
    if (parameters->buffer_alpha > 0 && network->links != network->nodes &&
        network->interleaving != 2 * network->nodes)
        return ccmod_fail(
            error, CCMOD_ERROR_USAGE, NULL, 0,
            "cannot share a buffer of the network '%s', which has several switches; use "
            "the network crossbar, or a buffer of each port",
            network->name);
    return CCMOD_OK;
}

ccmod_status ccmod_check(const ccmod_workload *workload, const ccmod_network *network,
                         const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                         ccmod_error *error)
{
    CCMOD_TRY(check_calibration(calibration, error));
    if (!(parameters->background_load >= 0 &&
          parameters->background_load <= BACKGROUND_LARGEST_LOAD))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate with a background load of %g; it must be between 0 and "
                          "%g",
                          parameters->background_load, BACKGROUND_LARGEST_LOAD);
    if ((!(parameters->background_interval_us >= 1) && parameters->background_interval_us != 0) ||
        isinf(parameters->background_interval_us))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate with background intervals of %g us; they must be at "
                          "least 1 us long, or 0 for a new load at each evaluation",
                          parameters->background_interval_us);
    CCMOD_TRY(check_stop(parameters, workload, error));
    CCMOD_TRY(check_buffers(parameters, network, error));
    if (workload->processors < 1 || workload->processors > TRAFFIC_LARGEST_COUNT ||
        workload->processors > network->nodes)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, workload->name, 0,
                          "cannot evaluate %zu ranks on the network '%s' of %zu nodes; use at "
                          "least as many nodes as ranks",
                          workload->processors, network->name, network->nodes);
    if (network->longest_route < 1 || network->payload_bytes < 1 ||
        network->links > (TRAFFIC_NONE - 1) / 2)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "the network '%s' is incomplete: it must have its longest route, the "
                          "payload of a packet, and fewer than 2^31 links",
                          network->name);
    return CCMOD_OK;
}

/* Time is read after this many instants, or after each one with this many messages on links: that
 * takes long with the rules that visit them all. */
enum { REPORT_CYCLES = 1024, REPORT_LIVE = 1024 };

enum { FEW = 12, FEW_WORDS = 4 };

/* Minimum number of receives before the long-run rate of a processor is determined. */
enum { LEAST_RECEIVES = 1000, LEAST_RECEIVES_EACH = 4 };

/* Maximum of the clock: 30 000 years. Intervals of the background load can be counted up to there.
 */
static const double largest_us = 1e18;

static const uint64_t report_ns = 250000000;

/* The state of a running evaluation. */
typedef struct {
    ccmod_engine engine;
    uint64_t *bits;      /* one per processor, all zero: scratch for sorting */
    uint64_t next_check; /* number of receives at which the rate is checked again */
    uint64_t last_ns;    /* when progress was last reported */
    ccmod_stop stopped_by;
} evaluation;

/* The result's private data: what remains of the evaluation. */
typedef struct {
    ccmod_result result;
    engine_processor *processors;
    traffic_cell *cells;
} kept_result;

static const char *const share_names[] = {
    [CCMOD_BOTTLENECK] = "bottleneck",
    [CCMOD_MAXMIN] = "maxmin",
    [CCMOD_FIFO] = "fifo",
    [CCMOD_TCP] = "tcp",
};

static const char *const stop_names[] = {
    [CCMOD_STOPPED_BY_TRACE] = "trace",
    [CCMOD_STOPPED_BY_TIME] = "time",
    [CCMOD_STOPPED_BY_PRECISION] = "precision",
};

const char *ccmod_share_name(ccmod_share share)
{
    return share_names[share];
}

bool ccmod_share_has_multicasts(ccmod_share share)
{
    return share != CCMOD_TCP;
}

const char *ccmod_stop_name(ccmod_stop stop)
{
    return stop_names[stop];
}

/* An instant */

/* Sort processors by their numbers; none is listed twice. A few are sorted by insertion; for many,
 * set a bit for each processor and scan all bits. */
static void sort_ready(uint64_t *bits, size_t words, traffic_list *list)
{
    uint32_t *values = list->values;
    size_t count = 0;

    if (list->count < 2)
        return;
    if (list->count <= FEW && words > FEW_WORDS) {
        for (size_t i = 1; i < list->count; i++) {
            uint32_t value = values[i];
            size_t at = i;

            for (; at > 0 && values[at - 1] > value; at--)
                values[at] = values[at - 1];
            values[at] = value;
        }
        return;
    }
    for (size_t i = 0; i < list->count; i++)
        bits[values[i] / 64] |= UINT64_C(1) << (values[i] % 64);
    for (size_t word = 0; word < words; word++) {
        for (; bits[word] != 0; bits[word] &= bits[word] - 1)
            values[count++] = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(bits[word]);
    }
}

static ccmod_status handle_event(ccmod_engine *engine, event_kind kind, uint32_t subject)
{
    switch (kind) {
    case EVENT_RESUME:
        return subject == EVENT_EVERYONE ? ccmod_processors_leave_barrier(engine)
                                         : ccmod_processor_resume(engine, subject);
    case EVENT_FLOW:
        return traffic_append(&engine->traffic, &engine->entering, subject);
    case EVENT_ARRIVE:
        return ccmod_delivery_event(engine, subject);
    case EVENT_TIMER:
        return ccmod_processor_expire(engine, subject);
    }
    return CCMOD_OK;
}

/* Remove void events from the front of the queue: they are no instants. While there are any, the
 * queue is not empty. */
static __attribute__((noinline)) void drop_void_events(ccmod_engine *engine)
{
    ccmod_traffic *traffic = &engine->traffic;

    while (traffic->joined > 0) {
        queue_event first = queue_first(&engine->queue);
        uint32_t coming;

        if (first.kind != EVENT_ARRIVE ||
            (traffic->pool[first.subject].flags & MESSAGE_JOINED) == 0)
            return;
        queue_pop(&engine->queue, &coming);
        ccmod_delivery_forget_event(engine, first.subject);
    }
}

/* Simultaneous processors continue: those that react in an order that the seed draws, others in
 * order of their numbers. */
static ccmod_status continue_ready(evaluation *whole)
{
    ccmod_engine *engine = &whole->engine;

    sort_ready(whole->bits, engine->processor_count / 64 + 1, &engine->ready);
    if (engine->traffic.reacts)
        ccmod_reactors_shuffle(engine, &engine->ready);
    for (size_t i = 0; i < engine->ready.count; i++)
        CCMOD_TRY(ccmod_records_take(engine, engine->ready.values[i]));
    engine->ready.count = 0;
    return CCMOD_OK;
}

/* Advance to `time_us`: messages leave the links and arrive, events happen, messages enter the
 * links, and processors that wait for nothing continue. */
static ccmod_status pass_instant(evaluation *whole, double time_us)
{
    ccmod_engine *engine = &whole->engine;
    ccmod_traffic *traffic = &engine->traffic;
    double until_us;

    traffic->now_us = traffic_larger(traffic->now_us, time_us);
    traffic->cycles++;
    CCMOD_TRY(engine->flows->pass(traffic));
    for (size_t i = 0; i < traffic->ended.count; i++)
        CCMOD_TRY(ccmod_delivery_arrive(engine, traffic->ended.values[i]));
    traffic->ended.count = 0;
    until_us = traffic->now_us + traffic_instant_us(traffic);
    while (queue_next(&engine->queue) <= until_us) {
        uint32_t coming;
        queue_event event = queue_pop(&engine->queue, &coming);

        if (coming < traffic->message_count)
            __builtin_prefetch(&traffic->pool[coming], 1);
        CCMOD_TRY(handle_event(engine, (event_kind)event.kind, event.subject));
    }
    for (size_t i = 0; i < engine->entering.count; i++)
        CCMOD_TRY(ccmod_delivery_flow(engine, engine->entering.values[i]));
    engine->entering.count = 0;
    if (traffic->reacts)
        CCMOD_TRY(ccmod_match_landed(engine));
    return continue_ready(whole);
}

/* Running */

/* End the evaluation: all traces are consumed, or it was stopped. */
static ccmod_status evaluation_end(evaluation *whole, ccmod_stop by)
{
    ccmod_traffic *traffic = &whole->engine.traffic;
    ccmod_signal signal = {0};

    whole->stopped_by = by;
    if (by == CCMOD_STOPPED_BY_TIME)
        traffic->now_us = traffic->parameters.until_us;
    return ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_GO_END, traffic->now_us, &signal);
}

/* Whether the rate is precise enough. Checked about thirty times while the number of receives
 * doubles. */
static bool is_rate_known(evaluation *whole)
{
    const rate_record *record = &whole->engine.rate;
    double precision = whole->engine.traffic.parameters.precision;
    ccmod_rate rate;

    if (!(precision > 0) || record->received < whole->next_check)
        return false;
    whole->next_check = record->received + record->received / 32;
    rate = ccmod_rate_find(record);
    return rate.batches > 0 && rate.high_per_s <= rate.per_s * (1 + precision) &&
           rate.low_per_s >= rate.per_s * (1 - precision);
}

static ccmod_status report_progress(evaluation *whole)
{
    const ccmod_engine *engine = &whole->engine;
    const ccmod_parameters *parameters = &engine->traffic.parameters;
    ccmod_progress progress;
    uint64_t now_ns;

    if (parameters->progress == NULL ||
        (engine->traffic.cycles % REPORT_CYCLES != 0 && engine->traffic.live < REPORT_LIVE))
        return CCMOD_OK;
    now_ns = cb_machine_ns();
    if (now_ns - whole->last_ns < report_ns)
        return CCMOD_OK;
    whole->last_ns = now_ns;
    progress = (ccmod_progress){engine->traffic.now_us, engine->finished, engine->ended_count};
    if (parameters->progress(parameters->progress_context, &progress))
        return CCMOD_OK;
    return ccmod_fail(engine->error, CCMOD_ERROR_INTERRUPTED, engine->workload->name, 0,
                      "the evaluation was stopped at %.3f us", engine->traffic.now_us);
}

static ccmod_status evaluate(evaluation *whole)
{
    ccmod_engine *engine = &whole->engine;
    ccmod_traffic *traffic = &engine->traffic;
    double until_us = traffic->parameters.until_us;
    ccmod_signal config = {.of.config = {engine->workload, traffic->network, traffic->calibration,
                                         &traffic->parameters}};
    ccmod_signal init = {0};

    whole->last_ns = traffic->parameters.progress != NULL ? cb_machine_ns() : 0;
    CCMOD_TRY(ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_CONFIG, traffic->now_us, &config));
    CCMOD_TRY(ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_GO_INIT, traffic->now_us, &init));
    for (uint32_t i = 0; i < engine->processor_count; i++)
        CCMOD_TRY(traffic_append(traffic, &engine->ready, i));
    CCMOD_TRY(continue_ready(whole));
    for (;;) {
        double time_us;

        CCMOD_TRY(engine->flows->settle(traffic));
        if (traffic->joined > 0)
            drop_void_events(engine);
        time_us = traffic_smaller(queue_next(&engine->queue), engine->flows->next(traffic));
        if (isinf(time_us)) {
            /* nothing can happen any more: either all is done, or a deadlock */
            if (engine->ended_count < engine->processor_count)
                return ccmod_standstill_explain(engine);
            if (!traffic->reacts)
                CCMOD_TRY(ccmod_match_check_empty(engine));
            return evaluation_end(whole, CCMOD_STOPPED_BY_TRACE);
        }
        if (until_us > 0 && time_us > until_us)
            return evaluation_end(whole, CCMOD_STOPPED_BY_TIME);
        if (time_us > largest_us)
            return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, 0,
                              "the evaluation would exceed %g us of model time, the limit of its "
                              "resolution; shorten the times, or the loops around them",
                              largest_us);
        CCMOD_TRY(pass_instant(whole, time_us));
        if (is_rate_known(whole))
            return evaluation_end(whole, CCMOD_STOPPED_BY_PRECISION);
        CCMOD_TRY(report_progress(whole));
    }
}

/* Set up and release */

static const flow_operations *choose_flows(const ccmod_traffic *traffic)
{
    const ccmod_parameters *parameters = &traffic->parameters;
    bool observed = (traffic->audience.wanted & CCMOD_WANTS_HORIZONS) != 0;
    bool redrawn = background_varies(traffic) && !(parameters->background_interval_us > 0);

    if (parameters->share == CCMOD_TCP)
        return &ccmod_flows_tcp;
    if (parameters->share == CCMOD_FIFO)
        return observed ? &ccmod_flows_fifo_observed : &ccmod_flows_fifo;
    if (parameters->plain || parameters->share == CCMOD_MAXMIN || redrawn || observed)
        return &ccmod_flows_plain;
    return &ccmod_flows_clock;
}

static ccmod_status set_up(evaluation *whole)
{
    ccmod_engine *engine = &whole->engine;
    ccmod_traffic *traffic = &engine->traffic;
    size_t count = engine->workload->processors;

    engine->processor_count = traffic->processors = count;
    traffic->name = engine->workload->name;
    engine->flows = choose_flows(traffic);
    ccmod_queue_open(&engine->queue);
    traffic->latency_after = engine->flows->latency_after;
    engine->rate.batch = traffic->parameters.rate_round > 0 ? traffic->parameters.rate_round : 1;
    whole->next_check = LEAST_RECEIVES + LEAST_RECEIVES_EACH * (uint64_t)count;
    CCMOD_TRY(ccmod_traffic_open(traffic));
    engine->processors = calloc(count, sizeof(*engine->processors));
    engine->places = malloc(count * sizeof(*engine->places));
    whole->bits = calloc(count / 64 + 1, sizeof(*whole->bits));
    if (engine->processors == NULL || engine->places == NULL || whole->bits == NULL ||
        !ccmod_pairs_open(&engine->pairs))
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < count; i++)
        engine->places[i] = (match_place){.arrivals = TRAFFIC_NONE, .direct = TRAFFIC_NONE};
    CCMOD_TRY(ccmod_reactors_open(engine));
    CCMOD_TRY(ccmod_background_open(traffic));
    return engine->flows->open(traffic);
}

/* Free everything except processors and cells, which the result keeps. */
static void evaluation_release(evaluation *whole)
{
    ccmod_engine *engine = &whole->engine;

    engine->flows->close(&engine->traffic);
    ccmod_traffic_close(&engine->traffic);
    ccmod_queue_free(&engine->queue);
    ccmod_reactors_close(engine);
    free(engine->pairs.entries);
    free(engine->places);
    free(engine->entering.values);
    free(engine->ready.values);
    free(engine->measured);
    free(whole->bits);
}

/* The result */

/* The cell where messages lost most time; if none lost any, the one that is used for longest. */
static uint32_t find_bottleneck(const ccmod_engine *engine)
{
    const ccmod_traffic *traffic = &engine->traffic;
    const traffic_cell *cells = traffic->cells;
    uint32_t worst = 0;

    if (engine->messages == 0)
        return CCMOD_NO_CELL;
    for (uint32_t i = 1; i < engine->traffic.cell_count; i++) {
        if (cells[i].lost_us > cells[worst].lost_us ||
            (!(cells[i].lost_us < cells[worst].lost_us) &&
             cells[i].work_us / cell_width(traffic, i) >
                 cells[worst].work_us / cell_width(traffic, worst)))
            worst = i;
    }
    return worst;
}

/* Make the result, in which a workload may look while the evaluation runs. */
static ccmod_status show(evaluation *whole, kept_result **out)
{
    ccmod_engine *engine = &whole->engine;
    kept_result *kept = calloc(1, sizeof(*kept));

    *out = kept;
    if (kept == NULL)
        return ccmod_traffic_no_memory(&engine->traffic);
    kept->processors = engine->processors;
    kept->cells = engine->traffic.cells;
    kept->result.processors = engine->processor_count;
    kept->result.cells = engine->traffic.cell_count;
    kept->result.self = kept;
    engine->workload->so_far = &kept->result;
    return CCMOD_OK;
}

static void fill(const evaluation *whole, ccmod_result *result)
{
    const ccmod_engine *engine = &whole->engine;
    double end_us = 0;

    if (whole->stopped_by != CCMOD_STOPPED_BY_TRACE)
        end_us = engine->traffic.now_us;
    else
        for (size_t i = 0; i < engine->processor_count; i++)
            end_us = fmax(end_us, engine->processors[i].clock_us);
    result->end_us = end_us;
    result->stopped_by = whole->stopped_by;
    result->rate = ccmod_rate_find(&engine->rate);
    result->messages = engine->messages;
    result->cycles = engine->traffic.cycles;
    result->bottleneck = find_bottleneck(engine);
    result->comparison = engine->comparison;
    result->losses = engine->traffic.losses;
}

ccmod_parameters ccmod_parameters_default(void)
{
    return (ccmod_parameters){.mode = CCMOD_SPLIT,
                              .share = CCMOD_FIFO,
                              .background = CCMOD_BACKGROUND_NONE,
                              .background_interval_us = 1000,
                              .seed = 1,
                              .rate_of = CCMOD_NOBODY};
}

ccmod_status ccmod_evaluate(ccmod_workload *workload, const ccmod_network *network,
                            const ccmod_calibration *calibration,
                            const ccmod_parameters *parameters, const ccmod_observer *observers,
                            size_t observer_count, ccmod_result **out, ccmod_error *error)
{
    evaluation whole = {
        .engine = {.workload = workload,
                   .error = error,
                   .traffic = {.network = network,
                               .calibration = calibration,
                               .parameters = *parameters,
                               .audience = ccmod_audience(observers, observer_count, error)}}};
    kept_result *kept = NULL;
    ccmod_status status;

    CCMOD_TRY(ccmod_check(workload, network, calibration, parameters, error));
    status = set_up(&whole);
    if (status == CCMOD_OK)
        status = show(&whole, &kept);
    if (status == CCMOD_OK)
        status = evaluate(&whole);
    workload->so_far = NULL;
    if (status == CCMOD_OK) {
        fill(&whole, &kept->result);
        whole.engine.processors = NULL;
        whole.engine.traffic.cells = NULL;
        *out = &kept->result;
    } else
        free(kept);
    evaluation_release(&whole);
    free(whole.engine.processors);
    free(whole.engine.traffic.cells);
    return status;
}

ccmod_processor ccmod_result_processor(const ccmod_result *result, size_t processor)
{
    const kept_result *kept = result->self;
    const engine_processor *found = &kept->processors[processor];

    return (ccmod_processor){.clock_us = found->clock_us,
                             .send_us = found->spent_us[CCMOD_SENDING],
                             .receive_us = found->spent_us[CCMOD_RECEIVING],
                             .wait_us = found->spent_us[CCMOD_WAITING],
                             .compute_us = found->spent_us[CCMOD_COMPUTING]};
}

ccmod_cell ccmod_result_cell(const ccmod_result *result, size_t cell)
{
    const kept_result *kept = result->self;
    const traffic_cell *found = &kept->cells[cell];

    return (ccmod_cell){found->packets, found->work_us, found->lost_us, found->peak};
}

void ccmod_result_free(ccmod_result *result)
{
    kept_result *kept;

    if (result == NULL)
        return;
    kept = result->self;
    free(kept->processors);
    free(kept->cells);
    free(kept);
}
