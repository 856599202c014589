/* The formulas of docs/methodology.md. */
#include "engine/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/plan.h"

static bool named(const bench_role *role, const char *name)
{
    return role->name != NULL && strcmp(role->name, name) == 0;
}

/* How many ranks of a measurement have a role of that name; 0 where there is none. */
static size_t ranks_named(const bench_definition *definition, const char *name, size_t count)
{
    for (size_t role = 0; role < BENCH_ROLES; role++)
        if (named(&definition->roles[role], name))
            return bench_role_size(definition, role, count);
    return 0;
}

/* The time of a step at the reference count, remembered from when it was measured; 0 without. */
static double reference_step(const measurement_setting *setting, double step_us)
{
    const bench_measurement *planned = setting->planned;
    reference_list *references = setting->references;

    if (planned->count == setting->session->definition->reference)
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
    const bench_definition *definition = setting->session->definition;
    double count = (double)setting->planned->count, reference_us;

    if (definition->ratio == BENCH_NO_RATIO)
        return;
    reference_us = reference_step(setting, step_us);
    if (reference_us <= 0)
        return;
    if (definition->ratio == BENCH_CONGESTION)
        row->congestion_ratio = step_us / (count - 1) / reference_us;
    else if (definition->ratio == BENCH_EFFICIENCY)
        row->scaling_efficiency = reference_us / step_us;
    else
        row->loss_pct = 100 * (1 - count * reference_us / step_us);
}

/* Of a list that changes, all destinations that take part have their turns. */
static size_t receivers_of(const bench_definition *definition, const bench_measurement *measurement,
                           size_t participants)
{
    if (definition->lists)
        return participants - 1;
    return ranks_named(definition, "destination", measurement->count) +
           ranks_named(definition, "node", measurement->count);
}

static void fill_rates(const bench_definition *definition, const bench_measurement *measurement,
                       size_t participants, double time_us, double lost_share, report_row *row)
{
    const bench_mode *mode = measurement->mode;
    double packets = (double)mode->packets(measurement->count);
    size_t receivers = receivers_of(definition, measurement, participants);

    row->frequency_Hz = (mode->counts_packets ? packets : 1) / time_us * 1e6;
    row->throughput_MBps = packets * (1 - lost_share) * (double)measurement->size_bytes / time_us;
    if (receivers > 1 || definition->counted == BENCH_PROCESSORS ||
        definition->counted == BENCH_DESTINATIONS)
        row->per_node_MBps = row->throughput_MBps / (double)receivers;
}

cb_status figures_summarize(const double *values, size_t count, stats_summary *out)
{
    double *sorted = cb_allocate(count, sizeof(*sorted), "the times of blocks");

    if (sorted == NULL)
        return CB_ERROR_MEMORY;
    memcpy(sorted, values, count * sizeof(*sorted));
    *out = stats_summarize(sorted, count);
    free(sorted);
    return CB_OK;
}

/* Beside a computing task the mean takes the median's place: the rare long interruptions that a
 * median hides are what is looked for. */
static cb_status fill_blocks(const bench_measurement *measurement,
                             const measurement_outcome *outcome, report_row *row)
{
    double divisor_us = 1e3 * (double)outcome->steps * measurement->mode->divisor;
    stats_summary summary;
    double total = 0;

    for (size_t i = 0; i < outcome->block_count; i++)
        total += outcome->blocks_ns[i] /= divisor_us;
    CB_TRY(figures_summarize(outcome->blocks_ns, outcome->block_count, &summary));
    if (measurement->occupation != BENCH_UNOCCUPIED && summary.count > 0)
        summary.median = total / (double)outcome->block_count;
    *(measurement->mode->figure == BENCH_LATENCY ? &row->latency_us : &row->round_us) = summary;
    row->blocks_us = outcome->blocks_ns;
    row->block_count = outcome->block_count;
    row->step_count = (double)outcome->steps * (double)outcome->block_count;
    if (outcome->window > 0)
        row->window = outcome->window;
    return CB_OK;
}

/* Of a technology's own multicast every receiver makes a copy in any case. */
static size_t piece_bytes(const engine_session *session, const bench_measurement *measurement)
{
    const size_t most = session->technology != NULL ? session->technology->piece_bytes : 0;

    return measurement->size_bytes > most && !measurement->own_multicast ? most : 0;
}

void figures_conditions(const measurement_setting *setting, report_row *row)
{
    const engine_session *session = setting->session;
    const bench_measurement *measurement = setting->planned;
    const bench_options *options = session->options;
    const bench_definition *definition = session->definition;

    row->mode = measurement->mode->name;
    row->occupation = bench_occupation_name(measurement->occupation);
    row->touch = options->touch;
    row->buffers = options->buffers;
    row->wait_requested = options->wait;
    row->wait_effective = transport_wait_name(session->effective_wait);
    row->size_bytes = (double)measurement->size_bytes;
    row->processors = (double)setting->participants;
    row->oversubscribed = setting->oversubscribed;
    row->piece_bytes = piece_bytes(session, measurement);
    row->roles = setting->roles;
    row->role_count = session->machines.host_count > 1 ? BENCH_ROLES : 0;
    row->host_count = session->machines.host_count;
    if (definition->counted == BENCH_DESTINATIONS)
        row->destinations = (double)measurement->count;
    if (definition->counted == BENCH_SOURCES)
        row->sources = (double)measurement->count;
    if (definition->counted == BENCH_FARM || definition->counted == BENCH_TOPOLOGY)
        row->algorithm_us = measurement->algorithm_us;
    if (measurement->topology[0] != '\0')
        row->topology = measurement->topology;
    if (definition->lists) {
        row->list = bench_list_name(measurement->list);
        row->multicast = measurement->own_multicast ? "technology" : "loop";
    }
}

/* The harness of a ping-pong is not halved: a round trip holds a step of both sides, one after the
 * other, and over null a step of one side was measured. */
cb_status figures_fill(const measurement_setting *setting, const measurement_outcome *outcome,
                       report_row *row)
{
    const bench_definition *definition = setting->session->definition;
    const bench_measurement *measurement = setting->planned;
    double divisor = measurement->mode->divisor, time_us;

    figures_conditions(setting, row);
    row->stopped_by = outcome->stopped_by;
    CB_TRY(fill_blocks(measurement, outcome, row));
    time_us = (measurement->mode->figure == BENCH_LATENCY ? row->latency_us : row->round_us).median;
    fill_rates(definition, measurement, setting->participants, time_us, outcome->lost_share, row);
    fill_ratio(setting, time_us * divisor, row);
    row->steps = outcome->histogram;
    row->step_divisor = divisor;
    row->skew_us = outcome->skew_ns / 1e3;
    row->shares = outcome->shares;
    row->share_count = outcome->share_count;
    row->verification = outcome->verification;
    row->datagrams = outcome->datagrams;
    if (outcome->algorithm_true_us >= 0)
        row->algorithm_true_us = outcome->algorithm_true_us;
    if (outcome->harness_ns >= 0)
        row->harness_us = outcome->harness_ns / 1e3;
    if (outcome->touch_ns >= 0)
        row->touch_us = outcome->touch_ns / 1e3;
    if (outcome->group_create_ns >= 0)
        row->group_create_us = outcome->group_create_ns / 1e3;
    return CB_OK;
}
