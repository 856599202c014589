/* The figures of the phases, and the impacts. */
#include "congest/row.h"

#include <math.h>
#include <stdio.h>

#include "congest/members.h"
#include "engine/fragments.h"

static const char *const time_names[CONGEST_TIMES] = {"mean", "p50", "p99", "p99_9"};

static double mean_of_blocks(const report_row *row)
{
    const size_t count = (size_t)fmax(0, report_row_number(row, REPORT_BLOCKS, ""));
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        char place[24];

        snprintf(place, sizeof(place), "%zu", i);
        sum += report_row_number(row, REPORT_BLOCKS_US, place);
    }
    return count > 0 ? sum / (double)count : REPORT_ABSENT;
}

/* The time of an event where the benchmark has events, else of a step. */
congest_phase congest_phase_of(const report_row *row)
{
    const report_column times =
        report_row_has(row, REPORT_EVENT_LATENCY_US) ? REPORT_EVENT_LATENCY_US : REPORT_STEP_US;
    congest_phase phase;

    phase.figures[CONGEST_MEAN] = mean_of_blocks(row);
    for (size_t figure = CONGEST_P50; figure < CONGEST_TIMES; figure++)
        phase.figures[figure] = report_row_number(row, times, time_names[figure]);
    phase.figures[CONGEST_THROUGHPUT] = report_row_number(row, REPORT_THROUGHPUT_MBPS, "");
    phase.figures[CONGEST_BLOCK_STEPS] =
        report_row_number(row, REPORT_STEPS, "") / report_row_number(row, REPORT_BLOCKS, "");
    phase.figures[CONGEST_CPU_US_PER_STEP] = report_row_number(row, REPORT_CPU_US_PER_STEP, "");
    phase.from_totals = report_row_has(row, REPORT_RATES_FROM);
    return phase;
}

static double typical_bytes(const bench_measurement *measurement)
{
    return measurement != NULL ? (double)plan_typical_bytes(measurement) : 0;
}

static void fill_aggressor(const congest_run *run, const engine_session *session, report_row *row)
{
    const congest_options *options = congest_options_of(session);
    const congest_note *tally = &run->tally;
    const bool sends = run->aggressor.kind == CONGEST_SENDS;
    const size_t shared =
        congest_shared_hosts(session->job->machines.hosts, run->victims.ranks, run->victims.count,
                             run->aggressors.ranks, run->aggressors.count);

    report_set_text(row, REPORT_VICTIM, run->victim.text);
    report_set_text(row, REPORT_AGGRESSOR, run->aggressor.text);
    report_set_text(row, REPORT_AGGRESSOR_PLACEMENT, options->placement);
    report_set_number(row, REPORT_AGGRESSOR_RANKS, (double)run->aggressors.count);
    if (options->rate_hz > 0) {
        report_set_number(row, REPORT_AGGRESSOR_RATE_HZ, options->rate_hz);
        report_set_text(row, REPORT_AGGRESSOR_ARRIVALS, options->arrivals);
    }
    if (session->job->machines.host_count > 1)
        report_set_number(row, REPORT_SHARED_HOSTS, (double)shared);
    if (run->failed)
        report_set_flag(row, REPORT_AGGRESSOR_FAILED, true);
    if (!sends || tally->elapsed_ns <= 0)
        return;
    report_set_number(row, REPORT_AGGRESSOR_SIZE_BYTES, typical_bytes(run->pair->aggressor));
    report_set_number(row, REPORT_AGGRESSOR_MBPS,
                      tally->packets * typical_bytes(run->pair->aggressor) / tally->elapsed_ns *
                          1e3);
    report_set_number(row, REPORT_AGGRESSOR_TURNS, tally->turns);
    if (tally->steps > 0)
        report_set_number(row, REPORT_AGGRESSOR_TURN_STEPS, tally->steps / tally->turns);
    report_set_number(row, REPORT_AGGRESSOR_BUSY_PCT, 100 * tally->busy_ns / tally->elapsed_ns);
}

static void fill_hosts(const congest_run *run, const engine_session *session, report_row *row)
{
    const struct {
        const char *name;
        const congest_team *team;
    } teams[] = {{"victim", &run->victims}, {"aggressor", &run->aggressors}};

    for (size_t side = 0; session->job->machines.host_count > 1 && side < 2; side++)
        for (size_t at = 0; at < session->job->machines.host_count; at++) {
            size_t ranks = 0;

            for (size_t i = 0; i < teams[side].team->count; i++)
                ranks += session->job->machines.hosts[teams[side].team->ranks[i]] == (int)at;
            report_set_member(row, REPORT_PLACEMENT, (double)ranks, "[%s].%zu", teams[side].name,
                              at);
        }
}

/* The values of a figure in all phases. */
static void values_of(const congest_run *run, size_t figure, double *alone, double *beside)
{
    for (size_t i = 0; i <= run->rounds; i++)
        alone[i] = run->alone[i].figures[figure];
    for (size_t i = 0; i < run->rounds; i++)
        beside[i] = run->beside[i].figures[figure];
}

/* The impact on a time, and its values alone and beside: geometric means over the phases. */
static void fill_time(const congest_run *run, size_t figure, report_row *row)
{
    static const report_column columns[CONGEST_TIMES] = {REPORT_IMPACT_MEAN, REPORT_IMPACT_P50,
                                                         REPORT_IMPACT_P99, REPORT_IMPACT_P99_9};
    double alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];
    congest_impact impact;

    values_of(run, figure, alone, beside);
    impact = congest_impact_of(alone, beside, run->rounds);
    report_set_member(row, columns[figure], impact.ratio, "value");
    report_set_member(row, columns[figure], impact.low, "interval.0");
    report_set_member(row, columns[figure], impact.high, "interval.1");
    report_set_member(row, REPORT_ALONE_US, congest_mean(alone, run->rounds + 1), "%s",
                      time_names[figure]);
    report_set_member(row, REPORT_BESIDE_US, congest_mean(beside, run->rounds), "%s",
                      time_names[figure]);
    report_set_member(row, REPORT_DRIFT_PCT, 100 * (alone[run->rounds] / alone[0] - 1), "%s",
                      time_names[figure]);
}

static void fill_both(const congest_run *run, size_t figure, report_column column, report_row *row)
{
    double alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];

    values_of(run, figure, alone, beside);
    report_set_member(row, column, congest_mean(alone, run->rounds + 1), "alone");
    report_set_member(row, column, congest_mean(beside, run->rounds), "beside");
}

/* What the phases had in common stays; figures of one phase are not those of the measurement. */
cb_status congest_row_add(congest_run *run, const engine_session *session)
{
    bool from_totals = run->alone[run->rounds].from_totals;

    for (size_t i = 0; i < run->rounds; i++)
        from_totals = from_totals || run->alone[i].from_totals || run->beside[i].from_totals;
    report_row_keep_conditions(&run->row);
    report_set_counters(&run->row, &run->counted.counts);
    counting_fill(&run->counted, &run->counted.counts, &run->row);
    fill_hosts(run, session, &run->row);
    fill_aggressor(run, session, &run->row);
    report_set_number(&run->row, REPORT_ROUNDS, (double)run->rounds);
    for (size_t figure = 0; figure < CONGEST_TIMES; figure++)
        fill_time(run, figure, &run->row);
    if (from_totals)
        report_set_text(&run->row, REPORT_RATES_FROM, "totals");
    fill_both(run, CONGEST_THROUGHPUT, REPORT_VICTIM_MBPS, &run->row);
    fill_both(run, CONGEST_BLOCK_STEPS, REPORT_BLOCK_STEPS, &run->row);
    fill_both(run, CONGEST_CPU_US_PER_STEP, REPORT_VICTIM_CPU_US_PER_STEP, &run->row);
    return report_add(session->document, &run->row);
}
