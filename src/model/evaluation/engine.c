/* An evaluation as a whole: from the traffic of one instant to the next until all traces are
 * consumed, or until nothing can happen any more. */
#include "model/evaluation/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { REPORT_CYCLES = 1024, FEW = 12, FEW_WORDS = 4 };

/* So many receives of one processor at least tell its rate in the long run. */
enum { LEAST_RECEIVES = 1000, LEAST_RECEIVES_EACH = 4 };

static const uint64_t report_ns = 250000000;

/* The result's own: what remains of the engine. */
typedef struct {
    ccmod_result result;
    engine_processor *processors;
    engine_cell *cells;
} kept_result;

/* Lists */

ccmod_status ccmod_engine_append_slowly(ccmod_engine *engine, engine_list *list, uint32_t value)
{
    uint32_t *values = cb_grow(list->values, list->count, &list->room, sizeof(*values));

    if (values == NULL)
        return ccmod_engine_no_memory(engine);
    list->values = values;
    values[list->count++] = value;
    return CCMOD_OK;
}

ccmod_status ccmod_engine_no_memory(ccmod_engine *engine)
{
    return ccmod_fail(engine->error, CCMOD_ERROR_MEMORY, engine->workload->name, 0,
                      "cannot evaluate %zu ranks with %zu messages at once: no memory left; "
                      "evaluate fewer ranks",
                      engine->processor_count, engine->live);
}

/* An instant */

static void insert_in_order(uint32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t value = values[i];
        size_t at = i;

        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* A bit for each processor that is ready, and all bits from the first on. No processor is ready
 * twice. */
static void sort_by_bits(uint64_t *bits, size_t words, engine_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        bits[list->values[i] / 64] |= UINT64_C(1) << (list->values[i] % 64);
    for (size_t word = 0; word < words; word++) {
        for (; bits[word] != 0; bits[word] &= bits[word] - 1)
            list->values[count++] = (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(bits[word]);
    }
}

/* Ties in time are decided by the number of the processor. */
static void put_in_order(ccmod_engine *engine)
{
    size_t words = engine->processor_count / 64 + 1;

    if (engine->ready.count <= FEW && words > FEW_WORDS)
        insert_in_order(engine->ready.values, engine->ready.count);
    else
        sort_by_bits(engine->bits, words, &engine->ready);
}

static ccmod_status resume(ccmod_engine *engine, uint32_t subject)
{
    return ccmod_processor_resume(engine, subject);
}

static ccmod_status release_barrier(ccmod_engine *engine, uint32_t subject)
{
    (void)subject;
    return ccmod_processors_leave_barrier(engine);
}

static ccmod_status (*const deeds[EVENT_KINDS])(ccmod_engine *engine, uint32_t subject) = {
    [EVENT_RESUME] = resume,
    [EVENT_FLOW] = ccmod_message_flow,
    [EVENT_ARRIVE] = ccmod_message_arrive,
    [EVENT_BARRIER] = release_barrier,
};

static ccmod_status handle_ended(ccmod_engine *engine)
{
    for (size_t i = 0; i < engine->ended.count; i++)
        CCMOD_TRY(ccmod_message_arrive(engine, engine->ended.values[i]));
    engine->ended.count = 0;
    return CCMOD_OK;
}

static ccmod_status handle_events(ccmod_engine *engine)
{
    double until_us = engine->now_us + engine_instant_us(engine);

    while (ccmod_queue_next(&engine->queue) <= until_us) {
        engine_event event = ccmod_queue_pop(engine);

        CCMOD_TRY(deeds[event.kind](engine, event.subject));
    }
    return CCMOD_OK;
}

static ccmod_status run_ready(ccmod_engine *engine)
{
    put_in_order(engine);
    for (size_t i = 0; i < engine->ready.count; i++)
        CCMOD_TRY(ccmod_processor_run(engine, engine->ready.values[i]));
    engine->ready.count = 0;
    return CCMOD_OK;
}

/* All evaluation */

static ccmod_status report(ccmod_engine *engine, uint64_t *last_ns)
{
    ccmod_progress progress = {engine->now_us, engine->finished, engine->ended_count};
    uint64_t now_ns;

    if (engine->parameters.progress == NULL || engine->cycles % REPORT_CYCLES != 0)
        return CCMOD_OK;
    now_ns = cb_now_ns();
    if (now_ns - *last_ns < report_ns)
        return CCMOD_OK;
    *last_ns = now_ns;
    if (engine->parameters.progress(engine->parameters.progress_context, &progress))
        return CCMOD_OK;
    return ccmod_fail(engine->error, CCMOD_ERROR_INTERRUPTED, engine->workload->name, 0,
                      "the evaluation was stopped at %.3f us", engine->now_us);
}

static ccmod_status end(ccmod_engine *engine)
{
    ccmod_signal signal = {0};

    return engine_wants(engine, CCMOD_SIGNAL_GO_END)
               ? ccmod_signal_send(engine, &signal, CCMOD_SIGNAL_GO_END)
               : CCMOD_OK;
}

/* Nothing can happen any more: all is done, or something never will be. */
static ccmod_status finish(ccmod_engine *engine)
{
    if (engine->ended_count < engine->processor_count)
        return ccmod_engine_explain_standstill(engine);
    CCMOD_TRY(ccmod_match_check_empty(engine));
    return end(engine);
}

static ccmod_status stop(ccmod_engine *engine, ccmod_stop by)
{
    engine->stopped_by = by;
    if (by == CCMOD_STOPPED_BY_TIME)
        engine->now_us = engine->parameters.until_us;
    return end(engine);
}

/* Whether the rate is known well enough. It is looked at some thirty times while its receives
 * double. */
static bool is_known(ccmod_engine *engine)
{
    double precision = engine->parameters.precision;
    ccmod_rate rate;

    if (!(precision > 0) || engine->rate.received < engine->next_check)
        return false;
    engine->next_check = engine->rate.received + engine->rate.received / 32;
    rate = ccmod_rate_find(&engine->rate);
    return rate.batches > 0 && rate.high_per_s <= rate.per_s * (1 + precision) &&
           rate.low_per_s >= rate.per_s * (1 - precision);
}

static ccmod_status begin(ccmod_engine *engine)
{
    ccmod_signal config = {
        .of.config = {engine->workload, engine->network, engine->calibration, &engine->parameters}};
    ccmod_signal init = {0};

    if (engine_wants(engine, CCMOD_SIGNAL_CONFIG))
        CCMOD_TRY(ccmod_signal_send(engine, &config, CCMOD_SIGNAL_CONFIG));
    if (engine_wants(engine, CCMOD_SIGNAL_GO_INIT))
        CCMOD_TRY(ccmod_signal_send(engine, &init, CCMOD_SIGNAL_GO_INIT));
    for (uint32_t i = 0; i < engine->processor_count; i++)
        CCMOD_TRY(ccmod_processor_run(engine, i));
    return CCMOD_OK;
}

static ccmod_status refuse_time(const ccmod_engine *engine)
{
    return ccmod_fail(engine->error, CCMOD_ERROR_USAGE, engine->workload->name, 0,
                      "the evaluation would pass %g us of model time, at which it cannot tell "
                      "events apart; shorten the times, or the loops around them",
                      ENGINE_LARGEST_US);
}

static ccmod_status evaluate(ccmod_engine *engine)
{
    uint64_t last_ns = engine->parameters.progress != NULL ? cb_now_ns() : 0;

    CCMOD_TRY(begin(engine));
    for (;;) {
        double time_us;

        CCMOD_TRY(engine->flows->settle(engine));
        time_us = engine_smaller(ccmod_queue_next(&engine->queue), engine->flows->next(engine));
        if (isinf(time_us))
            return finish(engine);
        if (engine->parameters.until_us > 0 && time_us > engine->parameters.until_us)
            return stop(engine, CCMOD_STOPPED_BY_TIME);
        if (time_us > ENGINE_LARGEST_US)
            return refuse_time(engine);
        engine->now_us = engine_larger(engine->now_us, time_us);
        engine->cycles++;
        CCMOD_TRY(engine->flows->pass(engine));
        CCMOD_TRY(handle_ended(engine));
        CCMOD_TRY(handle_events(engine));
        CCMOD_TRY(run_ready(engine));
        if (is_known(engine))
            return stop(engine, CCMOD_STOPPED_BY_PRECISION);
        CCMOD_TRY(report(engine, &last_ns));
    }
}

/* Making and ending */

static uint32_t all_wanted(const ccmod_observer *observers, size_t count)
{
    uint32_t wanted = 0;

    for (size_t i = 0; i < count; i++)
        wanted |= observers[i].wanted;
    return wanted;
}

static const flow_operations *choose_flows(const ccmod_engine *engine)
{
    if (engine->parameters.share == CCMOD_FIFO)
        return &ccmod_flows_fifo;
    if (engine->parameters.plain || engine->parameters.share == CCMOD_MAXMIN ||
        (engine->wanted & CCMOD_WANTS_HORIZONS) != 0)
        return &ccmod_flows_plain;
    return &ccmod_flows_clock;
}

static void clear_cells(engine_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cells[i] = (engine_cell){.heap = ENGINE_NONE,
                                 .guests = ENGINE_NONE,
                                 .asking = ENGINE_NONE,
                                 .place = ENGINE_NONE};
    }
}

static ccmod_status allocate(ccmod_engine *engine)
{
    size_t processors = engine->processor_count;

    engine->processors = calloc(processors, sizeof(*engine->processors));
    engine->places = malloc(processors * sizeof(*engine->places));
    engine->cells = malloc(engine->cell_count * sizeof(*engine->cells));
    engine->bits = calloc(processors / 64 + 1, sizeof(*engine->bits));
    engine->route_room = engine->network->longest_route;
    engine->route = malloc(engine->route_room * sizeof(*engine->route));
    if (engine->processors == NULL || engine->places == NULL || engine->cells == NULL ||
        engine->bits == NULL || engine->route == NULL || !ccmod_pairs_open(engine))
        return ccmod_engine_no_memory(engine);
    for (size_t i = 0; i < processors; i++)
        engine->places[i] = (match_place){.arrivals = ENGINE_NONE, .direct = ENGINE_NONE};
    clear_cells(engine->cells, engine->cell_count);
    CCMOD_TRY(ccmod_background_open(engine));
    return engine->flows->open(engine);
}

static void set_up(ccmod_engine *engine)
{
    engine->processor_count = engine->workload->processors;
    engine->cell_count = 2 * engine->network->links;
    engine->wanted = all_wanted(engine->observers, engine->observer_count);
    engine->flows = choose_flows(engine);
    engine->free_message = engine->free_fan = ENGINE_NONE;
    memset(engine->free_slots, 0xff, sizeof(engine->free_slots));
    engine->rate.batch = engine->parameters.rate_round > 0 ? engine->parameters.rate_round : 1;
    engine->next_check = LEAST_RECEIVES + LEAST_RECEIVES_EACH * (uint64_t)engine->processor_count;
}

/* What a result does not need. */
static void release(ccmod_engine *engine)
{
    engine->flows->close(engine);
    ccmod_messages_free(engine);
    ccmod_queue_free(&engine->queue);
    free(engine->ready.values);
    free(engine->bits);
    free(engine->ended.values);
    free(engine->measured);
    ccmod_pairs_free(engine);
    free(engine->places);
    free(engine->loads);
    free(engine->drawn);
}

/* The cell to blame: where messages lost most, or, where none lost anything, the most used. */
static uint32_t find_bottleneck(const ccmod_engine *engine)
{
    const engine_cell *cells = engine->cells;
    uint32_t worst = 0;

    if (engine->messages == 0)
        return CCMOD_NO_CELL;
    for (uint32_t i = 1; i < engine->cell_count; i++) {
        if (cells[i].lost_us > cells[worst].lost_us ||
            (!(cells[i].lost_us < cells[worst].lost_us) && cells[i].work_us > cells[worst].work_us))
            worst = i;
    }
    return worst;
}

static double largest_clock(const ccmod_engine *engine)
{
    double largest = 0;

    for (size_t i = 0; i < engine->processor_count; i++)
        largest = fmax(largest, engine->processors[i].clock_us);
    return largest;
}

static ccmod_status keep(ccmod_engine *engine, ccmod_result **out)
{
    kept_result *kept = calloc(1, sizeof(*kept));

    if (kept == NULL)
        return ccmod_engine_no_memory(engine);
    kept->processors = engine->processors;
    kept->cells = engine->cells;
    kept->result = (ccmod_result){
        .end_us =
            engine->stopped_by == CCMOD_STOPPED_BY_TRACE ? largest_clock(engine) : engine->now_us,
        .stopped_by = engine->stopped_by,
        .rate = ccmod_rate_find(&engine->rate),
        .messages = engine->messages,
        .cycles = engine->cycles,
        .processors = engine->processor_count,
        .cells = engine->cell_count,
        .bottleneck = find_bottleneck(engine),
        .comparison = engine->comparison,
        .self = kept,
    };
    engine->processors = NULL;
    engine->cells = NULL;
    *out = &kept->result;
    return CCMOD_OK;
}

ccmod_parameters ccmod_parameters_default(void)
{
    return (ccmod_parameters){.mode = CCMOD_SPLIT,
                              .share = CCMOD_BOTTLENECK,
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
    ccmod_engine engine = {.workload = workload,
                           .network = network,
                           .calibration = calibration,
                           .parameters = *parameters,
                           .observers = observers,
                           .observer_count = observer_count,
                           .error = error};
    ccmod_status status;

    CCMOD_TRY(ccmod_check(workload, network, calibration, parameters, error));
    set_up(&engine);
    status = allocate(&engine);
    if (status == CCMOD_OK)
        status = evaluate(&engine);
    if (status == CCMOD_OK)
        status = keep(&engine, out);
    release(&engine);
    free(engine.processors);
    free(engine.cells);
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
    const engine_cell *found = &kept->cells[cell];

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
