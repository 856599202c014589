/* The formulas of docs/using/benchmarks.md. */
#include "engine/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/traffic.h"
#include "engine/verification.h"
#include "stats/fit.h"

/* Number of ranks with a role of that name in a measurement; 0 if the benchmark has no such role.
 */
static size_t ranks_named(const benchmark *definition, const char *name, size_t count)
{
    for (size_t role = 0; role < BENCH_ROLES; role++) {
        const char *other = definition->roles[role].name;

        if (other != NULL && strcmp(other, name) == 0)
            return shape_role_size(definition, role, count);
    }
    return 0;
}

/* The time of a step at the reference count, in us, stored when it is measured; 0 if it has not
 * been measured. */
static double reference_step(const measurement_setting *setting, double step_us)
{
    const bench_measurement *planned = setting->planned;
    reference_list *references = setting->references;

    if (planned->count == setting->session->job->definition->ratio.reference)
        references->figures[references->count++] =
            (reference_figure){planned->mode, planned->size_bytes, step_us};
    for (size_t i = references->count; i-- > 0;)
        if (references->figures[i].mode == planned->mode &&
            references->figures[i].size_bytes == planned->size_bytes)
            return references->figures[i].step_us;
    return 0;
}

static void fill_ratio(const measurement_setting *setting, double step_us, report_row *row)
{
    const benchmark *definition = setting->session->job->definition;
    const bench_ratio *ratio = &definition->ratio;
    double reference_us;

    if (ratio->reference == 0)
        return;
    reference_us = reference_step(setting, step_us);
    if (reference_us > 0)
        report_set_number(row, ratio->column,
                          bench_ratio_of(ratio, setting->planned->count, step_us, reference_us));
}

static void fill_cost(double messages, double size_bytes, report_row *row)
{
    const double step_us = report_row_number(row, REPORT_CPU_US_PER_STEP, "");

    if (!(step_us > 0) || !(messages > 0))
        return;
    report_set_number(row, REPORT_CPU_US_PER_MESSAGE, step_us / messages);
    if (size_bytes > 0)
        report_set_number(row, REPORT_CPU_S_PER_GB, 1e3 * step_us / messages / size_bytes);
}

void figures_fill_units(const bench_scale *scale, double size_bytes, double time_us,
                        double arrived_share, double whole_share, report_row *row)
{
    const double payload_MBps = arrived_share * size_bytes / time_us;
    const double throughput_MBps = (double)scale->packets * payload_MBps;
    const double sent = (double)(scale->packets - scale->own_packets);

    report_set_number(row, REPORT_FREQUENCY_HZ,
                      whole_share * (double)scale->events / time_us * 1e6);
    report_set_number(row, REPORT_THROUGHPUT_MBPS, throughput_MBps);
    report_set_number(row, REPORT_PER_NODE_MBPS, throughput_MBps / (double)scale->receivers);
    report_set_number(row, REPORT_PER_LINK_MBPS, sent * payload_MBps / (double)scale->receivers);
}

static void fill_rates(const benchmark *definition, const bench_measurement *measurement,
                       size_t participants, double size_bytes, double time_us, double arrived_share,
                       report_row *row)
{
    const bench_mode *mode = measurement->mode;
    double packets = (double)bench_packets_of(mode->packets, measurement->count);
    /* In a list that changes, all destinations take turns. */
    size_t receivers = definition->lists
                           ? participants - 1
                           : ranks_named(definition, "destination", measurement->count) +
                                 ranks_named(definition, "node", measurement->count);
    double throughput_MBps = packets * arrived_share * size_bytes / time_us;

    report_set_number(row, REPORT_FREQUENCY_HZ,
                      arrived_share * (mode->counts_packets ? packets : 1) / time_us * 1e6);
    report_set_number(row, REPORT_THROUGHPUT_MBPS, throughput_MBps);
    if (receivers > 1 || definition->counted == &counted_processors ||
        definition->counted == &counted_destinations)
        report_set_number(row, REPORT_PER_NODE_MBPS, throughput_MBps / (double)receivers);
}

static cb_status summarize_copy(const double *values, size_t count,
                                stats_summary (*how)(double *values, size_t count),
                                stats_summary *out)
{
    double *sorted = cb_allocate(count, sizeof(*sorted), "the times of blocks");

    if (sorted == NULL)
        return CB_ERROR_MEMORY;
    memcpy(sorted, values, count * sizeof(*sorted));
    *out = how(sorted, count);
    free(sorted);
    return CB_OK;
}

cb_status figures_summarize(const double *values, size_t count, stats_summary *out)
{
    return summarize_copy(values, count, stats_summarize, out);
}

cb_status figures_are_precise(const bench_options *options, const double *values, size_t count,
                              size_t least, stats_summary *out, bool *precise)
{
    CB_TRY(figures_summarize(values, count, out));
    *precise = count >= least && stats_precision_pct(out) <= options->precision_pct;
    return CB_OK;
}

report_column figures_column(const bench_mode *mode)
{
    return mode->figure == BENCH_LATENCY ? REPORT_LATENCY_US : REPORT_ROUND_US;
}

void figures_fill_blocks(report_column figure, const stats_summary *summary,
                         const double *blocks_us, size_t count, uint64_t steps, report_row *row)
{
    report_set_summary(row, figure, summary);
    report_set_numbers(row, REPORT_BLOCKS_US, blocks_us, count);
    report_set_number(row, REPORT_BLOCKS, (double)count);
    report_set_number(row, REPORT_STEPS, (double)steps);
}

/* Cells, samples and dropped values are summed; the maximum is not. */
cb_status figures_sum_histogram(control_team *team, stats_histogram *histogram)
{
    double maximum_ns = (double)histogram->maximum_ns;

    CB_TRY(control_sum(team, histogram->counts, STATS_HISTOGRAM_CELLS));
    CB_TRY(control_sum(team, &histogram->samples, 1));
    CB_TRY(control_sum(team, &histogram->dropped, 1));
    CB_TRY(control_maximum(team, &maximum_ns, 1));
    histogram->maximum_ns = (uint64_t)maximum_ns;
    return CB_OK;
}

/* What was delivered, in the time that passed */

/* Steps go on after a loss; lost packets are not payload. */
cb_status figures_sum_delivery(const measurement_setting *setting, const bench_rank *me,
                               delivery_counts *out)
{
    const unsigned capabilities = transport_capabilities(setting->session->technology);
    uint64_t counts[] = {me->received.packets, me->received.lost, me->received.own,
                         me->received.unacknowledged};

    *out = (delivery_counts){0};
    if ((capabilities & (TRANSPORT_DELIVERS | TRANSPORT_RELIABLE)) != TRANSPORT_DELIVERS)
        return CB_OK;
    CB_TRY(control_sum(setting->team, counts, 4));
    *out = (delivery_counts){counts[0], counts[1], counts[2], counts[3]};
    return CB_OK;
}

double figures_arrived_share(const delivery_counts *delivery)
{
    return delivery->lost == 0
               ? 1
               : (double)delivery->arrived / (double)(delivery->arrived + delivery->lost);
}

bool figures_nothing_arrived(const delivery_counts *delivery)
{
    return delivery->lost > 0 && delivery->arrived == delivery->own;
}

cb_status figures_refuse(const measurement_setting *setting, const char *what, uint64_t lost)
{
    const bench_measurement *planned = setting->planned;
    engine_session *session = setting->session;
    char measured[160], reason[224], algorithm[48] = "";

    if (planned->algorithm_us > 0)
        snprintf(algorithm, sizeof(algorithm), ", algorithm %g us", planned->algorithm_us);
    snprintf(measured, sizeof(measured), "%s, %zu processors, %zu bytes%s", planned->mode->name,
             setting->participants, planned->size_bytes, algorithm);
    snprintf(reason, sizeof(reason),
             "none of %llu %s arrived, so nothing was measured; see whether a firewall drops them, "
             "and whether the hosts reach each other, or use another --technology",
             (unsigned long long)lost, what);
    cb_error("%s over %s: %s", measured, session->job->options->technology, reason);
    session->verdict.nothing_arrived = true;
    return report_skip(session->document, measured, reason);
}

/* Whether the technology counted packets that were lost or sent again, or marks of congestion. */
static bool has_marked_counter(const cb_counts *counters)
{
    for (size_t i = 0; counters->set != NULL && i < counters->set->count; i++)
        if (counters->set->rows[i].is_marked && counters->values[i] != CB_COUNTER_ABSENT &&
            counters->values[i] > 0)
            return true;
    return false;
}

/* Over most technologies a loss shows only as a wait: the mean of the blocks is then above their
 * median by more than the unsteadiness of a machine explains. */
static const double stalled = 1.25;

double figures_rate_us(const delivery_counts *delivery, const cb_counts *counters,
                       const double *blocks_us, size_t count, double median_us, report_row *row)
{
    double total_us = 0, mean_us;

    for (size_t i = 0; i < count; i++)
        total_us += blocks_us[i];
    mean_us = total_us / (double)count;
    if (delivery->lost == 0 && delivery->unacknowledged == 0 && !has_marked_counter(counters) &&
        !(mean_us > stalled * median_us))
        return median_us;
    report_set_text(row, REPORT_RATES_FROM, "totals");
    return mean_us;
}

/* Values that all rows have */

/* Every receiver copies a packet of the technology's own multicast. */
static size_t piece_bytes(const engine_session *session, const bench_measurement *measurement)
{
    const size_t most = session->technology != NULL ? session->technology->piece_bytes : 0;

    return measurement->size_bytes > most && !measurement->own_multicast ? most : 0;
}

static void fill_conditions(const measurement_setting *setting, const char *mode, report_row *row)
{
    const engine_session *session = setting->session;
    const bench_measurement *measurement = setting->planned;
    const bench_options *options = session->job->options;
    const benchmark *definition = session->job->definition;
    size_t pieces = piece_bytes(session, measurement), hosts = session->job->machines.host_count;

    report_set_text(row, REPORT_MODE, mode);
    report_set_text(row, REPORT_OCCUPATION, bench_occupation_name(measurement->occupation));
    if (options->threads > 1)
        report_set_number(row, REPORT_THREADS, (double)options->threads);
    report_set_text(row, REPORT_TOUCH, options->touch);
    report_set_text(row, REPORT_BUFFERS, options->buffers);
    report_set_member_text(row, REPORT_WAIT, options->wait, "requested");
    report_set_member_text(row, REPORT_WAIT, transport_wait_name(session->effective_wait),
                           "effective");
    report_set_number(row, REPORT_SIZE_BYTES, (double)plan_typical_bytes(measurement));
    if (measurement->varied)
        report_set_text(row, REPORT_FRAGMENTS, options->fragments);
    if (measurement->varied && options->correlation > 0)
        report_set_number(row, REPORT_CORRELATION, options->correlation);
    report_set_number(row, REPORT_PROCESSORS, (double)setting->participants);
    report_set_flag(row, REPORT_OVERSUBSCRIBED, setting->oversubscribed);
    if (pieces > 0)
        report_set_number(row, REPORT_PIECE_BYTES, (double)pieces);
    for (size_t role = 0; hosts > 1 && role < BENCH_ROLES; role++)
        for (size_t i = 0; setting->roles[role].name != NULL && i < hosts; i++)
            report_set_member(row, REPORT_PLACEMENT, (double)setting->roles[role].ranks[i],
                              "[%s].%zu", setting->roles[role].name, i);
    if (definition->counted == &counted_destinations)
        report_set_number(row, REPORT_DESTINATIONS, (double)measurement->count);
    if (definition->counted == &counted_sources)
        report_set_number(row, REPORT_SOURCES, (double)measurement->count);
    if (definition->counted->choose != NULL)
        report_set_number(row, REPORT_ALGORITHM_US, measurement->algorithm_us);
    report_set_text(row, REPORT_TOPOLOGY, measurement->topology);
    if (definition->lists) {
        report_set_text(row, REPORT_LIST, bench_list_names[measurement->list]);
        report_set_number(row, REPORT_CANDIDATES, (double)(setting->participants - 1));
        report_set_text(row, REPORT_MULTICAST, measurement->own_multicast ? "technology" : "loop");
    } else if (measurement->own_multicast) {
        report_set_text(row, REPORT_MULTICAST, "technology");
    }
}

static void fill_verification(const verification_result *found, report_row *row)
{
    if (!found->done)
        return;
    report_set_member(row, REPORT_VERIFY, (double)found->messages, "messages");
    report_set_member(row, REPORT_VERIFY, (double)found->lost, "lost");
    report_set_member(row, REPORT_VERIFY, (double)found->duplicate, "doubled");
    report_set_member(row, REPORT_VERIFY, (double)found->reordered, "reordered");
    report_set_member(row, REPORT_VERIFY, (double)found->corrupted, "corrupted");
}

void figures_fill_synchronised(const bench_measurement *measurement, size_t packets,
                               report_row *row)
{
    report_set_number(row, REPORT_SYNCHRONISED_BYTES,
                      (double)packets * (double)plan_typical_bytes(measurement));
}

void figures_fill_common(const measurement_setting *setting, const char *mode, double messages,
                         double message_bytes, const row_base *base, report_row *row)
{
    fill_conditions(setting, mode, row);
    fill_cost(messages, message_bytes, row);
    report_set_number(row, REPORT_SKEW_US, base->skew_ns / 1e3);
    if (base->touch_ns >= 0)
        report_set_number(row, REPORT_TOUCH_US, base->touch_ns / 1e3);
    if (base->algorithm_true_us >= 0)
        report_set_number(row, REPORT_ALGORITHM_TRUE_US, base->algorithm_true_us);
    if (setting->planned->varied && base->fragment_mean_bytes > 0) {
        report_set_number(row, REPORT_FRAGMENT_MEAN_BYTES, base->fragment_mean_bytes);
        report_set_number(row, REPORT_FRAGMENT_LARGEST_BYTES, base->fragment_largest_bytes);
    }
    fill_verification(&base->verification, row);
    report_set_counters(row, &base->counters);
    counting_fill(&setting->session->counting, &base->counters, row);
}

/* A row of the plain passes */

/* Single steps come from a pass of their own, which may run faster than the blocks. */
static void fill_steps(const stats_histogram *histogram, double divisor, double median_us,
                       report_row *row)
{
    report_set_distribution(row, REPORT_STEP_US, histogram, divisor);
    if (histogram != NULL && histogram->samples > 0 && histogram->dropped == 0 &&
        (double)histogram->maximum_ns / 1e3 / divisor < median_us)
        report_set_flag(row, REPORT_STEPS_BELOW_MEDIAN, true);
}

/* Beside a computing task the mean is the figure: a median would hide the rare long interruptions.
 * The harness time of a ping-pong is not halved: a round trip contains one step of
 * each side, and over null one step of one side was measured. */
cb_status figures_fill(const measurement_setting *setting, measurement_outcome *outcome,
                       report_row *row)
{
    const bench_measurement *measurement = setting->planned;
    const benchmark *definition = setting->session->job->definition;
    const double size_bytes =
        measurement->varied ? outcome->base.fragment_mean_bytes : (double)measurement->size_bytes;
    const double arrived = figures_arrived_share(&outcome->base.delivery);
    const double divisor = measurement->mode->divisor;
    const double packets = (double)bench_step_packets(definition, setting->session->job->options,
                                                      measurement->mode, measurement->count);
    stats_summary summary;
    double rate_us;

    figures_fill_common(setting, measurement->mode->name, arrived * divisor * packets, size_bytes,
                        &outcome->base, row);
    for (size_t i = 0; i < outcome->block_count; i++)
        outcome->blocks_ns[i] /= 1e3 * (double)outcome->steps * divisor;
    CB_TRY(summarize_copy(outcome->blocks_ns, outcome->block_count,
                          measurement->occupation != BENCH_UNOCCUPIED ? stats_summarize_mean
                                                                      : stats_summarize,
                          &summary));
    figures_fill_blocks(figures_column(measurement->mode), &summary, outcome->blocks_ns,
                        outcome->block_count, outcome->steps * outcome->block_count, row);
    report_set_text(row, REPORT_STOPPED_BY, outcome->stopped_by);
    rate_us = figures_rate_us(&outcome->base.delivery, &outcome->base.counters, outcome->blocks_ns,
                              outcome->block_count, stats_figure(&summary), row);
    outcome->figure_us = rate_us / arrived;
    if (definition->units != NULL) {
        const bench_scale scale =
            definition->units->scale(setting->session->job->options, measurement->count);

        figures_fill_units(&scale, size_bytes, rate_us, arrived,
                           outcome->whole_share < 0 ? arrived : outcome->whole_share, row);
        figures_fill_synchronised(measurement, scale.converging, row);
    } else {
        fill_rates(setting->session->job->definition, measurement, setting->participants,
                   size_bytes, rate_us, arrived, row);
    }
    if (definition->counted == &counted_sources)
        figures_fill_synchronised(
            measurement, measurement->count * (size_t)setting->session->job->options->window, row);
    fill_ratio(setting, outcome->figure_us * divisor, row);
    fill_steps(outcome->histogram, divisor, summary.median, row);
    report_set_numbers(row, REPORT_SHARES, outcome->shares, outcome->share_count);
    report_set_numbers(row, REPORT_THREAD_SHARES, outcome->thread_shares, outcome->thread_count);
    if (outcome->window > 0)
        report_set_number(row, REPORT_WINDOW, outcome->window);
    if (outcome->harness_ns >= 0)
        report_set_number(row, REPORT_HARNESS_US, outcome->harness_ns / 1e3);
    if (outcome->group_create_ns >= 0)
        report_set_number(row, REPORT_GROUP_CREATE_US, outcome->group_create_ns / 1e3);
    if (outcome->group_free_ns >= 0)
        report_set_number(row, REPORT_GROUP_FREE_US, outcome->group_free_ns / 1e3);
    return CB_OK;
}

/* Hockney's parameters of a curve, in as many segments as the data show. */
static cb_status add_hockney(const engine_session *session, const bench_measurement *measurement,
                             size_t participants, const bench_curve *points)
{
    stats_segment segments[STATS_FIT_SEGMENTS];
    const size_t count = stats_fit(points->bytes, points->figures_us, points->count,
                                   STATS_FIT_SEGMENTS, false, segments);

    for (size_t i = 0; i < count; i++)
        CB_TRY(report_add_fit(session->document, measurement->mode->name, (double)participants,
                              report_columns[figures_column(measurement->mode)].key, &segments[i]));
    return CB_OK;
}

const bench_fit figures_hockney = {.name = "hockney", .add = add_hockney};

/* Rows from begin to end. */

void row_begin(row_base *own, engine_session *session)
{
    meters_reset(&own->timed);
    own->arrived = (fragments_arrived){0};
    own->delivery = (delivery_counts){0};
    own->skew_ns = 0;
    own->algorithm_runs = own->algorithm_ns = 0;
    counting_begin(&session->counting, session->technology);
    if (session->job->usage != NULL && control_rank(session->plane) == 0)
        session->job->usage->begin();
}

void row_end(engine_session *session)
{
    counting_end(&session->counting, session->technology);
    if (session->job->usage != NULL && control_rank(session->plane) == 0)
        session->job->usage->end();
}

cb_status row_gather(row_base *own, const measurement_setting *setting, report_row *row)
{
    engine_session *session = setting->session;
    uint64_t algorithm[] = {own->algorithm_ns, own->algorithm_runs};

    CB_TRY(control_sum(setting->team, algorithm, 2));
    own->algorithm_true_us =
        algorithm[1] > 0 ? (double)algorithm[0] / (double)algorithm[1] / 1e3 : -1;
    CB_TRY(counting_gather(&session->counting, session->technology, setting->team, &own->counters));
    if (setting->planned->varied)
        CB_TRY(fragments_summarize(setting->team, own->arrived, &own->fragment_mean_bytes,
                                   &own->fragment_largest_bytes));
    own->limit.load = 0;
    if (row != NULL && session->job->usage != NULL)
        session->job->usage->find_limit(own->timed.elapsed_ns, &own->limit);
    return meters_report(&own->timed, setting->team, row);
}

/* What saturates first in a model, and the frequency at which it has no pause. */
static void fill_limit(const engine_limit *limit, report_row *row)
{
    if (!(limit->load > 0))
        return;
    report_set_text(row, REPORT_LIMIT, limit->place);
    report_set_number(row, REPORT_LIMIT_PCT, 100 * limit->load);
    if (report_row_has(row, REPORT_FREQUENCY_HZ))
        report_set_number(row, REPORT_KNEE_HZ,
                          report_row_number(row, REPORT_FREQUENCY_HZ, "") / limit->load);
}

cb_status row_write(const row_base *own, const measurement_setting *setting, const char *counted,
                    row_fill *fill, void *context, report_row *row)
{
    cb_status status;

    verification_note(setting->session, &own->verification);
    if (figures_nothing_arrived(&own->delivery)) {
        status = figures_refuse(setting, counted, own->delivery.lost);
    } else {
        status = fill(context, setting, row);
        fill_limit(&own->limit, row);
        if (status == CB_OK)
            status = report_add(setting->session->document, row);
    }
    report_row_clear(row);
    setting->session->row_begun = budget_now();
    return status;
}
