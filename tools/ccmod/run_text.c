/* The result of ccmod run for people: a summary, ranks, the links that matter, and the bottleneck
 * in words. */
#include "tools/ccmod/run_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_SHOWN = 32, LINKS_SHOWN = 8 };

static const char *const directions[] = {[CCMOD_INWARD] = "inward", [CCMOD_OUTWARD] = "outward"};

void run_name_cell(const run_plan *plan, uint32_t cell, char text[RUN_NAME_BYTES])
{
    char name[RUN_NAME_BYTES - 16];

    ccmod_link_name(plan->inputs->network, cell / 2, name, sizeof(name));
    snprintf(text, RUN_NAME_BYTES, "%s, %s", name, directions[cell % 2]);
}

double run_use_of(const run_plan *plan, uint32_t cell)
{
    const ccmod_result *result = run_average(plan)->result;
    double width = plan->inputs->network->widths != NULL ? plan->inputs->network->widths[cell] : 1;

    return result->end_us > 0 ? ccmod_result_cell(result, cell).work_us / width / result->end_us
                              : 0;
}

/* What twice the width gains: an earlier end of the traces, or a higher rate where they were not
 * evaluated to their ends. */
static void describe_gain(const run_plan *plan, char *text, size_t bytes)
{
    const ccmod_result *before = run_average(plan)->result, *after = plan->doubled;

    if (before->stopped_by == CCMOD_STOPPED_BY_TRACE && after->stopped_by == CCMOD_STOPPED_BY_TRACE)
        snprintf(text, bytes, "it would end at %.6g us, %.3g %% earlier", after->end_us,
                 before->end_us > 0 ? 100 * (1 - after->end_us / before->end_us) : 0);
    else if (before->rate.batches > 0 && after->rate.batches > 0)
        snprintf(text, bytes, "rank %u would receive %.6g messages/s, %.3g %% more",
                 run_average(plan)->parameters.rate_of, after->rate.per_s,
                 100 * (after->rate.per_s / before->rate.per_s - 1));
    else
        snprintf(text, bytes, "too few messages would be received to tell a rate");
}

static void append_gain(const run_plan *plan, char text[RUN_SENTENCE_BYTES])
{
    size_t used = strlen(text);
    char name[RUN_NAME_BYTES], gain[2 * RUN_NAME_BYTES];

    if (plan->doubled == NULL)
        return;
    if (ccmod_result_cell(plan->doubled, plan->doubled->bottleneck).lost_us > 0)
        run_name_cell(plan, plan->doubled->bottleneck, name);
    else
        snprintf(name, sizeof(name), "no link");
    describe_gain(plan, gain, sizeof(gain));
    snprintf(text + used, RUN_SENTENCE_BYTES - used, " Twice as wide %s, and %s would limit then.",
             gain, name);
}

void run_describe_bottleneck(const run_plan *plan, char text[RUN_SENTENCE_BYTES])
{
    const ccmod_result *result = run_average(plan)->result;
    char name[RUN_NAME_BYTES];
    ccmod_cell cell;

    if (result->bottleneck == CCMOD_NO_CELL) {
        snprintf(text, RUN_SENTENCE_BYTES, "No message uses a link.");
        return;
    }
    cell = ccmod_result_cell(result, result->bottleneck);
    run_name_cell(plan, result->bottleneck, name);
    if (cell.lost_us > 0)
        snprintf(
            text, RUN_SENTENCE_BYTES,
            "The bottleneck is %s: messages lost %.6g us there, waiting for each other or for "
            "the background; it is used for %.3g %% of the time, by up to %u messages at once.",
            name, cell.lost_us, 100 * run_use_of(plan, result->bottleneck), cell.peak);
    else
        snprintf(
            text, RUN_SENTENCE_BYTES,
            "No link is a bottleneck: no message was held up; the most used is %s, for %.3g %% "
            "of the time.",
            name, 100 * run_use_of(plan, result->bottleneck));
    append_gain(plan, text);
}

/* How often the rank of --rate-of receives, if one was asked for. */
static void write_rate(FILE *stream, const run_case *evaluated)
{
    const ccmod_rate *rate = &evaluated->result->rate;
    uint32_t rank = evaluated->parameters.rate_of;

    if (rank == CCMOD_NOBODY)
        return;
    if (rate->batches == 0)
        fprintf(stream, "rank %u receives %llu messages, too few to tell a rate\n", rank,
                (unsigned long long)rate->received);
    else
        fprintf(stream,
                "rank %u receives %.6g messages/s (95 %%: %.6g to %.6g), the mean of %llu from "
                "%.6g us on\n",
                rank, rate->per_s, rate->low_per_s, rate->high_per_s,
                (unsigned long long)rate->counted, rate->from_us);
}

static void write_head(FILE *stream, const run_plan *plan)
{
    static const char *const ends[] = {
        [CCMOD_STOPPED_BY_TRACE] = "end",
        [CCMOD_STOPPED_BY_TIME] = "stopped",
        [CCMOD_STOPPED_BY_PRECISION] = "stopped as precise",
    };
    const tool_settings *settings = plan->settings;
    const ccmod_result *result = run_average(plan)->result;

    fprintf(stream, "%s on %s: mode %s, share %s, background %s\n", settings->trace,
            plan->inputs->network->name, settings->mode, settings->share, settings->background);
    if (settings->calibration != NULL)
        fprintf(stream, "quiet network: %zu lines of %s\n", plan->inputs->calibration.line_count,
                settings->calibration);
    else
        fprintf(stream, "quiet network: %.6g us + %.6g us + bytes / %.6g MB/s\n",
                settings->overhead_us, settings->latency_us, settings->bandwidth_MBps);
    fprintf(stream, "%zu ranks, %llu messages, %s at %.10g us\n", result->processors,
            (unsigned long long)result->messages, ends[result->stopped_by], result->end_us);
    write_rate(stream, run_average(plan));
    for (size_t i = 0; plan->case_count > 1 && i < plan->case_count; i++)
        fprintf(stream, "  %-7s background %5.3f: end at %.10g us\n", plan->cases[i].name,
                plan->cases[i].parameters.background_load, plan->cases[i].result->end_us);
}

static void write_times(FILE *stream, const char *name, const ccmod_processor *times)
{
    fprintf(stream, "%10s  %13.3f  %13.3f  %13.3f  %13.3f  %13.3f\n", name, times->clock_us,
            times->send_us, times->receive_us, times->wait_us, times->compute_us);
}

static void write_mean(FILE *stream, const ccmod_result *result)
{
    double count = (double)result->processors;
    ccmod_processor mean = {.clock_us = 0};

    for (size_t i = 0; i < result->processors; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);

        mean.clock_us += times.clock_us / count;
        mean.send_us += times.send_us / count;
        mean.receive_us += times.receive_us / count;
        mean.wait_us += times.wait_us / count;
        mean.compute_us += times.compute_us / count;
    }
    write_times(stream, "mean", &mean);
}

static void write_ranks(FILE *stream, const ccmod_result *result)
{
    char name[24];

    fprintf(stream, "\n%10s  %13s  %13s  %13s  %13s  %13s\n", "rank", "clock us", "send us",
            "receive us", "wait us", "compute us");
    for (size_t i = 0; i < result->processors && i < RANKS_SHOWN; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);

        snprintf(name, sizeof(name), "%zu", i);
        write_times(stream, name, &times);
    }
    if (result->processors > RANKS_SHOWN)
        fprintf(stream, "%10s  and %zu more ranks, all of them in the form json\n", "...",
                result->processors - RANKS_SHOWN);
    write_mean(stream, result);
}

/* The cells with most lost time, then most work, in descending order. */
static size_t find_first_cells(const ccmod_result *result, uint32_t found[LINKS_SHOWN])
{
    size_t count = 0;

    for (uint32_t cell = 0; cell < result->cells; cell++) {
        ccmod_cell use = ccmod_result_cell(result, cell);
        size_t at = count;

        if (use.packets == 0)
            continue;
        while (at > 0) {
            ccmod_cell before = ccmod_result_cell(result, found[at - 1]);

            if (before.lost_us > use.lost_us ||
                (!(before.lost_us < use.lost_us) && before.work_us >= use.work_us))
                break;
            at--;
        }
        if (at == LINKS_SHOWN)
            continue;
        count += count < LINKS_SHOWN;
        memmove(found + at + 1, found + at, (count - 1 - at) * sizeof(*found));
        found[at] = cell;
    }
    return count;
}

static void write_links(FILE *stream, const run_plan *plan)
{
    const ccmod_result *result = run_average(plan)->result;
    uint32_t cells[LINKS_SHOWN];
    size_t count = find_first_cells(result, cells);
    char name[RUN_NAME_BYTES];

    fprintf(stream, "\n%-32s  %8s  %13s  %12s  %6s\n", "link", "used %", "lost us", "packets",
            "peak");
    for (size_t i = 0; i < count; i++) {
        ccmod_cell use = ccmod_result_cell(result, cells[i]);

        run_name_cell(plan, cells[i], name);
        fprintf(stream, "%-32s  %8.3f  %13.3f  %12llu  %6u\n", name,
                100 * run_use_of(plan, cells[i]), use.lost_us, (unsigned long long)use.packets,
                use.peak);
    }
}

static void write_comparison(FILE *stream, const ccmod_comparison *comparison)
{
    if (comparison->records == 0)
        return;
    fprintf(stream,
            "\n%llu records have measured times: %.6g us measured, %.6g us predicted; the worst "
            "error is %.3g %%, in line %u\n",
            (unsigned long long)comparison->records, comparison->measured_us,
            comparison->predicted_us, 100 * comparison->worst_error, comparison->worst_line);
}

void run_write_text(FILE *stream, const run_plan *plan)
{
    const ccmod_result *result = run_average(plan)->result;
    char sentence[RUN_SENTENCE_BYTES];

    write_head(stream, plan);
    write_ranks(stream, result);
    write_links(stream, plan);
    write_comparison(stream, &result->comparison);
    run_describe_bottleneck(plan, sentence);
    fprintf(stream, "\n%s%s\n", sentence,
            plan->doubled == NULL && result->bottleneck != CCMOD_NO_CELL
                ? " (--double says what twice its width would gain.)"
                : "");
}
