/* The ranks of the map, its passes, and its row. */
#include "linkmap/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/pass.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/rank.h"
#include "engine/shares.h"
#include "engine/traffic.h"
#include "engine/verification.h"
#include "linkmap/figures.h"
#include "linkmap/map.h"
#include "linkmap/options.h"
#include "linkmap/places.h"
#include "linkmap/row.h"
#include "linkmap/steps.h"

enum { STEPS_LEAST = 3, STEPS_MOST = 101, CYCLES_TO_WARN = 6 };

/* A map that may take longer says how long its cycles take. */
static const double long_map_s = 8;

const char *const linkmap_per_host[] = {"one", "all", NULL};

/* One measurement, among the ranks of the map. */
typedef struct {
    measurement_setting setting; /* narrowed to them */
    bench_measurement planned;
    int *ranks;
    measurement_passes passes;
    map_run run;
    meters map_meters;
    link_place *places;
    size_t *order;
    double *steps_us;
    size_t step_count;
    /* Warnings during the run, at the first rank */
    map_fault before[MAP_FAULTS_MOST], warned[MAP_FAULTS_MOST];
    size_t before_count, warned_count;
    size_t analyse_after; /* this number of cycles */
    uint64_t map_began_ns;
} linkmap_state;

static const linkmap_options *options_of(const engine_session *session)
{
    return (const void *)session->job->options->own;
}

/* The ranks of the map */

/* The first participant of each host; all, if they share one host or --per-host is all. */
static cb_status choose_ranks(const measurement_setting *setting, linkmap_state *state)
{
    const engine_session *session = setting->session;
    const int *hosts = session->job->machines.hosts;
    const bool all = strcmp(options_of(session)->per_host, linkmap_per_host[1]) == 0;
    size_t count = 0;

    state->ranks = cb_allocate(setting->participants, sizeof(*state->ranks), "the ranks of a map");
    if (state->ranks == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < setting->participants; i++) {
        bool first = true;

        for (size_t k = 0; k < count; k++)
            first = first && hosts[state->ranks[k]] != hosts[setting->ranks[i]];
        if (first || all)
            state->ranks[count++] = setting->ranks[i];
    }
    if (count < 2) {
        memcpy(state->ranks, setting->ranks, setting->participants * sizeof(*state->ranks));
        count = setting->participants;
    }
    state->planned = *setting->planned;
    state->planned.count = count;
    state->setting = *setting;
    state->setting.planned = &state->planned;
    state->setting.ranks = state->ranks;
    state->setting.participants = count;
    return CB_OK;
}

/* Plain steps */

static cb_status make_rank(linkmap_state *state)
{
    const measurement_setting *setting = &state->setting;
    engine_session *session = setting->session;
    const linkmap_options *options = options_of(session);
    const rank_setting place = rank_setting_of(setting);
    pass_context *pass = &state->passes.pass;
    const size_t control_messages = 4;

    state->passes =
        (measurement_passes){.setting = setting,
                             .pass = {.session = session,
                                      .team = setting->team,
                                      .oversubscribed = setting->oversubscribed,
                                      .started = budget_now(),
                                      .limit_ns = session->job->options->max_time_s * 1e9},
                             .traffic = &traffic_touching,
                             .out = {.base = {.touch_ns = -1, .algorithm_true_us = -1}}};
    CB_TRY(rank_create(&place, session->technology, &pass->me, &pass->actions));
    pass->me->preparation.unanswered = (size_t)options->packets + control_messages;
    CB_TRY(rank_prepare(pass->me));
    CB_TRY(rank_set_up(session->job->definition, pass->me));
    rank_reset(pass->me, state->passes.traffic);
    return CB_OK;
}

/* Keep the time of the last step, and decide whether another one follows. */
static cb_status next_step(void *decider, const pass_context *pass, pass_batch *next)
{
    linkmap_state *state = decider;
    const double end_ns = share_map_steps_end * pass->limit_ns;

    if (next->blocks > 0)
        state->steps_us[state->step_count++] = pass->blocks_ns[0] / 1e3;
    next->steps = 1;
    next->blocks = state->step_count < STEPS_LEAST ||
                   (state->step_count < STEPS_MOST && pass->elapsed_ns < end_ns);
    return CB_OK;
}

/* The time of a step at the slowest rank, several times after one that does not count. */
static cb_status time_steps(linkmap_state *state)
{
    measurement_passes *passes = &state->passes;
    pass_context *pass = &passes->pass;

    state->steps_us = cb_allocate(STEPS_MOST, sizeof(double), "the times of steps");
    CB_TRY(control_agree(pass->team, state->steps_us != NULL ? CB_OK : CB_ERROR_MEMORY));
    CB_TRY(pass_run(pass, &(pass_plan){passes->traffic, .steps = 1}));
    meters_reset(&pass->meters);
    CB_TRY(pass_run(pass, &(pass_plan){passes->traffic, next_step, .decider = state}));
    passes->step_ns = pace_latest_ns(&pass->pace);
    if (control_team_index(pass->team) == 0)
        passes->out.base.touch_ns = harness_touch_ns(state->planned.size_bytes);
    CB_TRY(measurement_end_row(passes));
    passes->out.base.skew_ns = pass->skew_ns;
    return rank_check_sum(pass->me);
}

/* The map */

static cb_status analyse_samples(linkmap_state *state, map_figures *figures, map_fault *faults,
                                 size_t *count)
{
    const map_run *run = &state->run;
    const linkmap_options *options = options_of(state->setting.session);
    const size_t hosts = run->hosts;
    int *distances = cb_allocate(hosts * hosts, sizeof(*distances), "the distances of hosts");
    map_samples samples = {.hosts = hosts,
                           .cycles = run->cycles,
                           .values = run->values,
                           .distances = distances,
                           .factor = options->factor,
                           .stall_s = options->stall_s};
    cb_status status;

    *count = 0;
    for (size_t i = 0; distances != NULL && i < hosts * hosts; i++)
        distances[i] = places_distance(&state->places[i / hosts], &state->places[i % hosts]);
    status = distances != NULL ? map_analyse(&samples, figures, faults, count) : CB_ERROR_MEMORY;
    if (status != CB_OK)
        *count = 0;
    free(distances);
    return status;
}

static map_description description_of(const linkmap_state *state)
{
    return (map_description){.hosts = state->run.hosts,
                             .cycles = state->run.cycles,
                             .packets = state->run.end.packets,
                             .size_bytes = state->planned.size_bytes,
                             .places = state->places,
                             .order = state->order};
}

static bool is_among(const map_fault *faults, size_t count, const map_fault *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (faults[i].host == wanted->host && faults[i].peer == wanted->peer &&
            faults[i].kind == wanted->kind)
            return true;
    return false;
}

static void warn_once(linkmap_state *state, const map_fault *fault)
{
    const map_description map = description_of(state);

    if (is_among(state->warned, state->warned_count, fault) ||
        (state->warned_count == MAP_FAULTS_MOST && fault->kind != MAP_LOST))
        return;
    if (state->warned_count < MAP_FAULTS_MOST)
        state->warned[state->warned_count++] = *fault;
    row_warn(&map, fault);
}

/* Warn of what two analyses in sequence have found. Each has half as many cycles again as the one
 * before, so that few samples that are late by chance do not decide in both, and that all of them
 * take little time. */
static void warn_early(map_run *run, void *context)
{
    linkmap_state *state = context;
    map_fault found[MAP_FAULTS_MOST];
    map_figures figures = {0};
    size_t count;

    if (run->cycles == 1 && run->limit_s > long_map_s)
        cb_note(
            "the first cycle of the map took %.2f s, and %.0f s are left; faults that come and go "
            "need ten cycles or more",
            (double)(cb_now_ns() - state->map_began_ns) / 1e9, run->limit_s);
    if (run->cycles < state->analyse_after)
        return;
    state->analyse_after = run->cycles + (run->cycles + 1) / 2;
    (void)analyse_samples(state, &figures, found, &count);
    map_figures_free(&figures);
    for (size_t i = 0; i < count; i++)
        if (is_among(state->before, state->before_count, &found[i]))
            warn_once(state, &found[i]);
    memcpy(state->before, found, sizeof(found));
    state->before_count = count;
}

static cb_status run_map(linkmap_state *state)
{
    const measurement_setting *setting = &state->setting;
    engine_session *session = setting->session;
    const linkmap_options *options = options_of(session);
    const unsigned can = transport_capabilities(session->technology);
    const bool sleeps = setting->oversubscribed || session->effective_wait != TRANSPORT_WAIT_SPIN;
    const double elapsed_s =
        budget_used_ns(session->job->options, state->passes.pass.started) / 1e9;
    /* The rate is not known before the samples: none of a link of 1 MB/s or more times out. */
    const double byte_ns = 1000, packets = fmax((double)options->packets, 2 * MAP_ROUND_TRIPS);
    const double timeout_ns =
        options->timeout_s * 1e9 + byte_ns * packets * (double)setting->planned->size_bytes;
    map_run *run = &state->run;

    *run = (map_run){.setting = setting,
                     .pattern =
                         (map_pattern)(setting->planned->mode - session->job->definition->modes),
                     .end = {.me = state->passes.pass.me,
                             .terms = link_terms(session, sleeps),
                             .packets = (size_t)options->packets,
                             .reliable = (can & TRANSPORT_RELIABLE) != 0,
                             .timeout_ns = (uint64_t)timeout_ns},
                     .hosts = setting->participants,
                     .self = control_team_index(setting->team),
                     .cycles_least = (size_t)options->cycles,
                     .limit_s = share_map_end * session->job->options->max_time_s - elapsed_s,
                     .context = state};
    if (run->pattern == MAP_PAIRS)
        run->after_cycle = warn_early;
    state->analyse_after = CYCLES_TO_WARN;
    CB_TRY(control_agree(setting->team, map_run_make(run)));
    rank_reset(run->end.me, state->passes.traffic);
    CB_TRY(control_barrier(setting->team));
    state->map_began_ns = cb_now_ns();
    meters_begin(&state->map_meters);
    CB_TRY(map_run_cycles(run));
    meters_end(&state->map_meters);
    return rank_check_sum(run->end.me);
}

/* The row */

/* Throughput of each cycle (both halves of a bisection) or of each source (its median). */
static cb_status fill_pattern(const linkmap_state *state, report_row *row)
{
    const map_run *run = &state->run;
    const bool bisection = run->pattern == MAP_BISECTION;
    const size_t count = bisection ? run->cycles : run->hosts;
    const double bytes = (double)(run->end.packets * state->planned.size_bytes);
    double *values = cb_allocate(count, sizeof(*values), "the figures of a map");
    double *room = cb_allocate(run->cycles, sizeof(*room), "the figures of a map");
    cb_status status = values != NULL && room != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t i = 0; i < count && status == CB_OK; i++) {
        stats_summary summary;
        size_t kept = 0;

        values[i] = bisection ? 0 : (double)NAN;
        for (size_t member = 0; member < run->hosts && bisection; member++) {
            const double time_s = (double)run->values[i * run->hosts + member];

            values[i] += isfinite(time_s) ? bytes / time_s / 1e6 : 0;
        }
        for (size_t cycle = 0; cycle < run->cycles && !bisection; cycle++) {
            const double time_s = (double)run->values[cycle * run->hosts + i];

            if (isfinite(time_s))
                room[kept++] = time_s;
        }
        if (!bisection && kept > 0) {
            summary = stats_summarize(room, kept);
            values[i] = (double)(run->hosts - 1) * bytes / summary.median / 1e6;
        }
    }
    if (status == CB_OK && bytes > 0)
        status = row_fill_spread(bisection ? REPORT_BISECTION_MBPS : REPORT_ONE_TO_ALL_MBPS, values,
                                 count, row);
    free(values);
    free(room);
    return status;
}

static cb_status fill_pairs(const map_description *map, report_row *row)
{
    static const struct {
        map_quantity quantity;
        report_column column;
    } figures[] = {{MAP_LATENCY, REPORT_PAIR_LATENCY_US},
                   {MAP_ONE_WAY, REPORT_ONE_WAY_MBPS},
                   {MAP_BOTH_WAYS, REPORT_BOTH_WAYS_MBPS}};
    const size_t pairs = map->hosts * map->hosts;
    double *values = cb_allocate(pairs, sizeof(*values), "the figures of a map");
    cb_status status = values != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]) && status == CB_OK; i++) {
        const double bytes = (double)(map->packets * map->size_bytes);

        for (size_t pair = 0; pair < pairs; pair++) {
            const double time_s = map->figures->median[figures[i].quantity][pair];

            values[pair] = figures[i].quantity == MAP_LATENCY ? time_s * 1e6 : bytes / time_s / 1e6;
        }
        if (figures[i].quantity == MAP_LATENCY || bytes > 0)
            status = row_fill_spread(figures[i].column, values, pairs, row);
    }
    free(values);
    return status;
}

static cb_status fill_row(void *context, const measurement_setting *setting, report_row *row)
{
    linkmap_state *state = context;
    const delivery_counts *delivery = &state->passes.out.base.delivery;
    const double packets =
        (double)bench_packets_of(state->planned.mode->packets, state->planned.count);
    map_fault faults[MAP_FAULTS_MOST];
    map_description map = description_of(state);
    map_figures figures = {0};
    stats_summary summary;
    cb_status status = CB_OK;
    double step_us;

    figures_fill_common(setting, state->planned.mode->name,
                        figures_arrived_share(delivery) * packets,
                        (double)state->planned.size_bytes, &state->passes.out.base, row);
    if (state->step_count > 0) {
        CB_TRY(figures_summarize(state->steps_us, state->step_count, &summary));
        figures_fill_blocks(figures_column(state->planned.mode), &summary, state->steps_us,
                            state->step_count, state->step_count, row);
        step_us = figures_rate_us(delivery, &state->passes.out.base.counters, state->steps_us,
                                  state->step_count, summary.median, row);
        if (state->planned.size_bytes > 0)
            report_set_number(row, REPORT_THROUGHPUT_MBPS,
                              figures_arrived_share(delivery) * packets *
                                  (double)state->planned.size_bytes / step_us);
    }
    map.faults = faults;
    if (state->run.pattern == MAP_PAIRS) {
        status = analyse_samples(state, &figures, faults, &map.fault_count);
        map.figures = &figures;
    }
    map_put_lost_first(state->run.hosts, state->run.lost, state->run.lost_pairs, faults,
                       &map.fault_count);
    for (size_t i = 0; i < map.fault_count; i++)
        warn_once(state, &faults[i]);
    if (state->warned_count > map.fault_count)
        cb_note("%zu of the warnings do not hold for the whole map: the result has only %zu faults",
                state->warned_count - map.fault_count, map.fault_count);
    if (status == CB_OK)
        status = map.figures != NULL ? fill_pairs(&map, row) : fill_pattern(state, row);
    if (status == CB_OK)
        row_fill_map(&map, row);
    map_figures_free(&figures);
    return status;
}

static cb_status write_row(linkmap_state *state, report_row *row)
{
    return row_write(&state->passes.out.base, &state->setting, "packets", fill_row, state, row);
}

/* A host or a link was lost: nothing collective ends any more. The first rank writes the row and
 * ends the job; the others wait for that. */
static cb_status end_without(linkmap_state *state)
{
    const measurement_setting *setting = &state->setting;
    report_row row = {.broken = false};

    if (setting->session->document == NULL)
        return control_barrier(setting->team);
    CB_TRY(write_row(state, &row));
    cb_error(
        "hosts or links were lost during the map; the result has the samples of the others, and "
        "nothing more can be measured in this job; repair the hosts, or start without them");
    return CB_ERROR_TRANSPORT;
}

static cb_status measure_members(linkmap_state *state)
{
    const measurement_setting *setting = &state->setting;
    engine_session *session = setting->session;
    measurement_passes *passes = &state->passes;
    const bool writes = session->document != NULL;
    report_row row = {.broken = false};

    CB_TRY(places_exchange(setting->team, &session->job->settings, control_rank(session->plane),
                           &state->places, &state->order));
    CB_TRY(control_agree(setting->team, make_rank(state)));
    CB_TRY(control_barrier(setting->team));
    measurement_begin_row(passes);
    CB_TRY(run_map(state));
    if (state->run.any_lost || state->run.left)
        return end_without(state);
    CB_TRY(transport_flush(session->technology));
    CB_TRY(control_barrier(setting->team));
    /* New buffers: the content of others was overwritten by control messages. */
    CB_TRY(control_agree(setting->team, rank_prepare(passes->pass.me)));
    CB_TRY(control_barrier(setting->team));
    CB_TRY(time_steps(state));
    rank_reset(passes->pass.me, passes->traffic);
    CB_TRY(measurement_verify(passes));
    /* The cores are those that the map kept busy; a step is too short for them. */
    passes->out.base.timed.elapsed_ns = 0;
    CB_TRY(meters_report(&state->map_meters, setting->team, writes ? &row : NULL));
    CB_TRY(row_gather(&passes->out.base, setting, writes ? &row : NULL));
    return control_agree(setting->team, writes ? write_row(state, &row) : CB_OK);
}

static cb_status measure(void *unused, const measurement_setting *setting)
{
    const int self = control_rank(setting->session->plane);
    linkmap_state *state = cb_allocate(1, sizeof(*state), "a map");
    cb_status status = state != NULL ? choose_ranks(setting, state) : CB_ERROR_MEMORY;
    bool takes_part = false;

    (void)unused;
    CB_TRY(control_agree(setting->team, status));
    for (size_t i = 0; i < state->setting.participants; i++)
        takes_part = takes_part || state->ranks[i] == self;
    if (takes_part) {
        CB_TRY(control_team_create(setting->session->plane, state->ranks,
                                   state->setting.participants, &state->setting.team));
        CB_TRY(measure_members(state));
        control_team_free(state->setting.team);
    }
    status = control_barrier(setting->team);
    map_run_free(&state->run);
    rank_destroy(setting->session->job->definition, state->passes.pass.me);
    free(state->passes.out.blocks_ns);
    free(state->steps_us);
    free(state->places);
    free(state->order);
    free(state->ranks);
    free(state);
    return status;
}

const measurement_method linkmap_method = {
    .several_unanswered = true,
    .no_harness = true,
    .control_message_bytes = LINK_CONTROL_BYTES,
    .needs = TRANSPORT_DELIVERS,
    .measure = measure,
};
