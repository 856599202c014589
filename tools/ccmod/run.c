/* ccmod run: evaluate a trace on a network, once or for three backgrounds, and report what limits
 * it. The text has a summary, ranks, the links that matter, and the bottleneck in words. The
 * document has schema combench-model/1 and is streamed, since a million ranks have a million rows;
 * it does not depend on the machine's clock. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "report/stream.h"
#include "tools/ccmod/inputs.h"
#include "tools/ccmod/observe.h"

enum { RUN_CASES = 3 };

/* One evaluation: the only one, or the best, average or worst case. */
typedef struct {
    const char *name;
    ccmod_parameters parameters;
    ccmod_result *result;
} run_case;

typedef struct {
    const tool_settings *settings;
    const tool_inputs *inputs;
    run_case cases[RUN_CASES];
    size_t case_count;
    tool_target signals;   /* of the average case */
    ccmod_result *doubled; /* with the bottleneck of double width; NULL if not requested */
} run_plan;

/* The case of the figures in a result. */
static inline const run_case *average_case(const run_plan *plan)
{
    return &plan->cases[plan->case_count > 1 ? 1 : 0];
}

/* "node 3, outward". */
enum { RUN_NAME_BYTES = 96, RUN_SENTENCE_BYTES = 512 };

enum { RANKS_SHOWN = 32, LINKS_SHOWN = 8 };

static const char *const directions[] = {[CCMOD_INWARD] = "inward", [CCMOD_OUTWARD] = "outward"};

static void name_cell(const run_plan *plan, uint32_t cell, char text[RUN_NAME_BYTES])
{
    char name[RUN_NAME_BYTES - 16];

    ccmod_link_name(plan->inputs->network, cell / 2, name, sizeof(name));
    snprintf(text, RUN_NAME_BYTES, "%s, %s", name, directions[cell % 2]);
}

/* Utilisation of a cell: work / (width * time); 0 to about 1. */
static double use_of(const run_plan *plan, uint32_t cell)
{
    const ccmod_result *result = average_case(plan)->result;
    double width = plan->inputs->network->widths != NULL ? plan->inputs->network->widths[cell] : 1;

    return result->end_us > 0 ? ccmod_result_cell(result, cell).work_us / width / result->end_us
                              : 0;
}

static void append_gain(const run_plan *plan, char text[RUN_SENTENCE_BYTES])
{
    size_t used = strlen(text);
    char name[RUN_NAME_BYTES], gain[2 * RUN_NAME_BYTES];
    const ccmod_result *before = average_case(plan)->result, *after = plan->doubled;

    if (plan->doubled == NULL)
        return;
    if (ccmod_result_cell(plan->doubled, plan->doubled->bottleneck).lost_us > 0)
        name_cell(plan, plan->doubled->bottleneck, name);
    else
        snprintf(name, sizeof(name), "none");
    /* an earlier end of the traces or, if they were stopped, a higher rate */
    if (before->stopped_by == CCMOD_STOPPED_BY_TRACE && after->stopped_by == CCMOD_STOPPED_BY_TRACE)
        snprintf(gain, sizeof(gain), "it would end at %.6g us, %.3g %% earlier", after->end_us,
                 before->end_us > 0 ? 100 * (1 - after->end_us / before->end_us) : 0);
    else if (before->rate.batches > 0 && after->rate.batches > 0)
        snprintf(gain, sizeof(gain), "rank %u would receive %.6g messages/s, %.3g %% more",
                 average_case(plan)->parameters.rate_of, after->rate.per_s,
                 100 * (after->rate.per_s / before->rate.per_s - 1));
    else
        snprintf(gain, sizeof(gain), "too few messages would be received to tell a rate");
    snprintf(text + used, RUN_SENTENCE_BYTES - used,
             " Twice as wide %s; the link on which most would be lost then: %s.", gain, name);
}

/* The rank that computes for most of the time, and for which share of it. */
static double find_computing(const ccmod_result *result, size_t *rank)
{
    double most_us = 0;

    *rank = 0;
    for (size_t i = 0; i < result->processors; i++) {
        double compute_us = ccmod_result_processor(result, i).compute_us;

        if (compute_us > most_us) {
            most_us = compute_us;
            *rank = i;
        }
    }
    return result->end_us > 0 ? most_us / result->end_us : 0;
}

/* What limits if the link on which most was lost does not, since it is used for less than half of
 * the time, or for less than a rank computes; or "". */
static void describe_limit(double link_use, const ccmod_result *result,
                           char text[RUN_SENTENCE_BYTES])
{
    static const double least_use = 0.5;
    size_t rank;
    double computing = find_computing(result, &rank);

    text[0] = '\0';
    if (computing >= least_use && computing > link_use)
        snprintf(text, RUN_SENTENCE_BYTES,
                 "Computing limits: rank %zu computes for %.3g %% of the time. ", rank,
                 100 * computing);
    else if (link_use < least_use)
        snprintf(text, RUN_SENTENCE_BYTES,
                 "No link is a bottleneck, and no rank computes for half of the time. ");
}

/* What limits; the link on which most was lost, and, if evaluated, the gain of doubling its width.
 */
static void describe_bottleneck(const run_plan *plan, char text[RUN_SENTENCE_BYTES])
{
    const ccmod_result *result = average_case(plan)->result;
    char name[RUN_NAME_BYTES];
    ccmod_cell cell;
    size_t used;

    if (result->bottleneck == CCMOD_NO_CELL) {
        snprintf(text, RUN_SENTENCE_BYTES, "No message uses a link.");
        return;
    }
    cell = ccmod_result_cell(result, result->bottleneck);
    name_cell(plan, result->bottleneck, name);
    describe_limit(use_of(plan, result->bottleneck), result, text);
    used = strlen(text);
    if (cell.lost_us > 0)
        snprintf(text + used, RUN_SENTENCE_BYTES - used,
                 "%s %s: messages lost %.6g us there, waiting for each other or for the "
                 "background; it is used for %.3g %% of the time, by up to %u messages at once.",
                 used > 0 ? "Most was lost on" : "The bottleneck is", name, cell.lost_us,
                 100 * use_of(plan, result->bottleneck), cell.peak);
    else
        snprintf(text + used, RUN_SENTENCE_BYTES - used,
                 "No message was held up; the most used link is %s, for %.3g %% of the time.", name,
                 100 * use_of(plan, result->bottleneck));
    append_gain(plan, text);
}

/* The receive rate of the rank of --rate-of, if given. */
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

/* The sum over all ranks. */
static ccmod_processor sum_ranks(const ccmod_result *result)
{
    ccmod_processor sum = {.clock_us = 0};

    for (size_t i = 0; i < result->processors; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);

        sum.clock_us += times.clock_us;
        sum.send_us += times.send_us;
        sum.receive_us += times.receive_us;
        sum.wait_us += times.wait_us;
        sum.compute_us += times.compute_us;
    }
    return sum;
}

/* The first line: what was assumed, the end, where the ranks' time went, and the link on which
 * messages lost most. */
static void write_summary(FILE *stream, const run_plan *plan)
{
    static const char *const ends[] = {
        [CCMOD_STOPPED_BY_TRACE] = "end",
        [CCMOD_STOPPED_BY_TIME] = "stopped",
        [CCMOD_STOPPED_BY_PRECISION] = "stopped as precise",
    };
    const ccmod_result *result = average_case(plan)->result;
    ccmod_processor sum = sum_ranks(result);
    char name[RUN_NAME_BYTES];

    tool_write_assumed(plan->inputs, stream);
    fprintf(stream, "%zu ranks, %llu messages, %s at %.10g us", result->processors,
            (unsigned long long)result->messages, ends[result->stopped_by], result->end_us);
    if (sum.clock_us > 0)
        fprintf(stream, ": %.3g %% computing, %.3g %% sending and receiving, %.3g %% waiting",
                100 * sum.compute_us / sum.clock_us,
                100 * (sum.send_us + sum.receive_us) / sum.clock_us,
                100 * sum.wait_us / sum.clock_us);
    if (result->bottleneck != CCMOD_NO_CELL) {
        name_cell(plan, result->bottleneck, name);
        fprintf(stream, "; %s link: %s, used %.3g %% of the time",
                ccmod_result_cell(result, result->bottleneck).lost_us > 0 ? "most contended"
                                                                          : "most used",
                name, 100 * use_of(plan, result->bottleneck));
    }
    fputc('\n', stream);
}

static void write_head(FILE *stream, const run_plan *plan)
{
    const tool_settings *settings = plan->settings;

    write_summary(stream, plan);
    fprintf(stream, "%s on %s: mode %s, share %s, background %s\n", settings->trace,
            plan->inputs->network->name, settings->mode, settings->share, settings->background);
    tool_write_factor(plan->inputs, stream);
    if (settings->calibration != NULL)
        fprintf(stream, "quiet network: %zu lines of %s\n", plan->inputs->calibration.line_count,
                settings->calibration);
    else
        fprintf(stream, "quiet network: %.6g us + %.6g us + bytes / %.6g MB/s\n",
                settings->overhead_us, settings->latency_us, settings->bandwidth_MBps);
    write_rate(stream, average_case(plan));
    for (size_t i = 0; plan->case_count > 1 && i < plan->case_count; i++)
        fprintf(stream, "  %-7s background %5.3f: end at %.10g us\n", plan->cases[i].name,
                plan->cases[i].parameters.background_load, plan->cases[i].result->end_us);
}

static void write_times(FILE *stream, const char *name, const ccmod_processor *times)
{
    fprintf(stream, "%10s  %13.3f  %13.3f  %13.3f  %13.3f  %13.3f\n", name, times->clock_us,
            times->send_us, times->receive_us, times->wait_us, times->compute_us);
}

static void write_ranks(FILE *stream, const ccmod_result *result)
{
    char name[24];
    double count = (double)result->processors;
    ccmod_processor mean;

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
    mean = sum_ranks(result);
    mean.clock_us /= count;
    mean.send_us /= count;
    mean.receive_us /= count;
    mean.wait_us /= count;
    mean.compute_us /= count;
    write_times(stream, "mean", &mean);
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
    const ccmod_result *result = average_case(plan)->result;
    uint32_t cells[LINKS_SHOWN];
    size_t count = find_first_cells(result, cells);
    char name[RUN_NAME_BYTES];

    fprintf(stream, "\n%-32s  %8s  %13s  %12s  %6s\n", "link", "used %", "lost us", "packets",
            "peak");
    for (size_t i = 0; i < count; i++) {
        ccmod_cell use = ccmod_result_cell(result, cells[i]);

        name_cell(plan, cells[i], name);
        fprintf(stream, "%-32s  %8.3f  %13.3f  %12llu  %6u\n", name, 100 * use_of(plan, cells[i]),
                use.lost_us, (unsigned long long)use.packets, use.peak);
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

static void write_losses(FILE *stream, const run_plan *plan)
{
    const ccmod_losses *losses = &average_case(plan)->result->losses;
    char name[RUN_NAME_BYTES];

    if (losses->frames == 0)
        return;
    name_cell(plan, losses->queue_cell, name);
    fprintf(stream,
            "\n%llu of %llu frames were dropped at full buffers, %llu segments sent again, %llu "
            "retransmission timeouts; the largest queue was %llu bytes, at %s\n",
            (unsigned long long)losses->dropped, (unsigned long long)losses->frames,
            (unsigned long long)losses->retransmitted, (unsigned long long)losses->timeouts,
            (unsigned long long)losses->queue_bytes, name);
}

static void write_text(FILE *stream, void *context)
{
    const run_plan *plan = context;
    const ccmod_result *result = average_case(plan)->result;
    char sentence[RUN_SENTENCE_BYTES];

    write_head(stream, plan);
    write_ranks(stream, result);
    write_links(stream, plan);
    write_comparison(stream, &result->comparison);
    write_losses(stream, plan);
    describe_bottleneck(plan, sentence);
    fprintf(stream, "\n%s%s\n", sentence,
            plan->doubled == NULL && result->bottleneck != CCMOD_NO_CELL
                ? " (--double says what twice its width would gain.)"
                : "");
}

/* Write parameters to `out`; with a calibration file, put_calibration writes those that it
 * replaces. */
typedef struct {
    report_stream *out;
    const tool_settings *settings;
} parameter_writer;

static bool is_of_calibration(const char *key)
{
    static const char *const keys[] = {"overhead_us", "latency_us", "bandwidth_MBps", "eager_bytes",
                                       "hop_us",      "gap_us",     "barrier_us"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(key, keys[i]) == 0)
            return true;
    }
    return false;
}

static void put_parameter(const cb_option *row, const void *value, void *context)
{
    const parameter_writer *writer = context;
    report_stream *out = writer->out;

    if (writer->settings->calibration != NULL && is_of_calibration(row->key))
        return;
    if (writer->settings->background_interval != NULL &&
        value == &writer->settings->background_interval_us)
        return; /* replaced by --background-interval */
    switch (row->type) {
    case CB_OPTION_FLAG:
        report_stream_flag(out, row->key, *(const bool *)value);
        break;
    case CB_OPTION_COUNT:
    case CB_OPTION_SIZE:
        report_stream_number(out, row->key, (double)*(const uint64_t *)value);
        break;
    case CB_OPTION_REAL:
        report_stream_number(out, row->key, *(const double *)value);
        break;
    default:
        report_stream_text(out, row->key, *(const char *const *)value);
        break;
    }
}

static void put_holds(report_stream *out, const ccmod_calibration *calibration)
{
    if (calibration->hold_count == 0)
        return;
    report_stream_array(out, "holds");
    for (size_t i = 0; i < calibration->hold_count; i++) {
        const ccmod_line *hold = &calibration->holds[i];

        report_stream_object(out, NULL);
        if (i + 1 < calibration->hold_count)
            report_stream_number(out, "to_bytes", (double)hold->to_bytes);
        report_stream_number(out, "us", hold->latency_us);
        report_stream_number(out, "us_per_byte", hold->us_per_byte);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_known(report_stream *out, const char *key, double value)
{
    if (value > 0)
        report_stream_number(out, key, value);
}

static void put_calibration(report_stream *out, const tool_inputs *inputs)
{
    const ccmod_calibration *calibration = &inputs->calibration;

    report_stream_object(out, "calibration");
    report_stream_array(out, "lines");
    for (size_t i = 0; i < calibration->line_count; i++) {
        const ccmod_line *line = &calibration->lines[i];

        report_stream_object(out, NULL);
        if (i + 1 < calibration->line_count)
            report_stream_number(out, "to_bytes", (double)line->to_bytes);
        report_stream_number(out, "overhead_us", line->overhead_us);
        report_stream_number(out, "latency_us", line->latency_us);
        report_stream_number(out, "us_per_byte", line->us_per_byte);
        report_stream_end(out);
    }
    report_stream_end(out);
    report_stream_number(out, "hop_us", calibration->hop_us);
    report_stream_number(out, "gap_us", calibration->gap_us);
    report_stream_number(out, "eager_bytes", (double)calibration->eager_bytes);
    report_stream_number(out, "barrier_us", calibration->barrier_us);
    if (inputs->assumed[0] != '\0')
        report_stream_text(out, "assumed", inputs->assumed);
    put_holds(out, calibration);
    put_known(out, "out_contention", calibration->out_contention);
    put_known(out, "in_contention", calibration->in_contention);
    put_known(out, "duplex_contention", calibration->duplex_contention);
    put_known(out, "acknowledgement_us", calibration->acknowledgement_us);
    put_known(out, "payload_bytes", (double)calibration->payload_bytes);
    put_known(out, "header_bytes", calibration->header_bytes);
    if (calibration->share_rule > 0)
        report_stream_text(out, "share",
                           ccmod_share_name((ccmod_share)(calibration->share_rule - 1)));
    report_stream_end(out);
}

static void put_rate(report_stream *out, const run_case *evaluated)
{
    const ccmod_rate *rate = &evaluated->result->rate;

    if (evaluated->parameters.rate_of == CCMOD_NOBODY)
        return;
    report_stream_object(out, "rate");
    report_stream_number(out, "rank", evaluated->parameters.rate_of);
    report_stream_number(out, "received", (double)rate->received);
    if (rate->batches > 0) {
        report_stream_number(out, "batches", (double)rate->batches);
        report_stream_number(out, "counted", (double)rate->counted);
        report_stream_number(out, "from_us", rate->from_us);
        report_stream_number(out, "to_us", rate->to_us);
        report_stream_number(out, "per_s", rate->per_s);
        report_stream_array(out, "ci95");
        report_stream_number(out, NULL, rate->low_per_s);
        report_stream_number(out, NULL, rate->high_per_s);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_cases(report_stream *out, const run_plan *plan)
{
    if (plan->case_count == 1)
        return;
    report_stream_array(out, "cases");
    for (size_t i = 0; i < plan->case_count; i++) {
        const run_case *one = &plan->cases[i];

        report_stream_object(out, NULL);
        report_stream_text(out, "case", one->name);
        report_stream_number(out, "background_load", one->parameters.background_load);
        report_stream_number(out, "end_us", one->result->end_us);
        if (one->result->rate.batches > 0)
            report_stream_number(out, "rate_per_s", one->result->rate.per_s);
        report_stream_end(out);
    }
    report_stream_end(out);
}

/* The members that describe a cell. */
static void put_cell(report_stream *out, const run_plan *plan, uint32_t cell)
{
    ccmod_cell use = ccmod_result_cell(average_case(plan)->result, cell);
    char name[RUN_NAME_BYTES];

    ccmod_link_name(plan->inputs->network, cell / 2, name, sizeof(name));
    report_stream_number(out, "link", cell / 2);
    report_stream_text(out, "name", name);
    report_stream_text(out, "direction", cell % 2 == CCMOD_INWARD ? "inward" : "outward");
    report_stream_number(out, "packets", (double)use.packets);
    report_stream_number(out, "work_us", use.work_us);
    report_stream_number(out, "lost_us", use.lost_us);
    report_stream_number(out, "utilisation", use_of(plan, cell));
    report_stream_number(out, "peak_messages", use.peak);
}

static void put_links(report_stream *out, const run_plan *plan)
{
    const ccmod_result *result = average_case(plan)->result;

    report_stream_array(out, "links");
    for (uint32_t cell = 0; cell < result->cells; cell++) {
        if (ccmod_result_cell(result, cell).packets == 0)
            continue;
        report_stream_object(out, NULL);
        put_cell(out, plan, cell);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_bottleneck(report_stream *out, const run_plan *plan)
{
    const ccmod_result *result = average_case(plan)->result;
    char sentence[RUN_SENTENCE_BYTES];

    describe_bottleneck(plan, sentence);
    report_stream_object(out, "bottleneck");
    if (result->bottleneck != CCMOD_NO_CELL)
        put_cell(out, plan, result->bottleneck);
    if (plan->doubled != NULL)
        report_stream_number(out, "doubled_end_us", plan->doubled->end_us);
    if (plan->doubled != NULL && plan->doubled->rate.batches > 0)
        report_stream_number(out, "doubled_rate_per_s", plan->doubled->rate.per_s);
    report_stream_text(out, "text", sentence);
    report_stream_end(out);
}

static void put_comparison(report_stream *out, const ccmod_comparison *comparison)
{
    if (comparison->records == 0)
        return;
    report_stream_object(out, "comparison");
    report_stream_number(out, "records", (double)comparison->records);
    report_stream_number(out, "measured_us", comparison->measured_us);
    report_stream_number(out, "predicted_us", comparison->predicted_us);
    report_stream_number(out, "worst_error", comparison->worst_error);
    report_stream_number(out, "worst_line", comparison->worst_line);
    report_stream_end(out);
}

static void put_losses(report_stream *out, const run_plan *plan)
{
    const ccmod_losses *losses = &average_case(plan)->result->losses;

    if (losses->frames == 0)
        return;
    report_stream_object(out, "losses");
    report_stream_number(out, "frames", (double)losses->frames);
    report_stream_number(out, "dropped", (double)losses->dropped);
    report_stream_number(out, "retransmitted", (double)losses->retransmitted);
    report_stream_number(out, "timeouts", (double)losses->timeouts);
    report_stream_number(out, "queue_bytes", (double)losses->queue_bytes);
    report_stream_number(out, "buffered_bytes", (double)losses->buffered_bytes);
    report_stream_end(out);
}

static void write_json(FILE *stream, void *context)
{
    const run_plan *plan = context;
    const ccmod_result *result = average_case(plan)->result;
    report_stream out = report_stream_begin(stream);
    parameter_writer writer = {&out, plan->settings};

    report_stream_text(&out, "schema", "combench-model/1");
    report_stream_text(&out, "version", CB_VERSION);
    report_stream_text(&out, "commit", CB_COMMIT);
    report_stream_object(&out, "parameters");
    cb_options_visit(&run_options, plan->settings, put_parameter, &writer);
    report_stream_end(&out);
    put_calibration(&out, plan->inputs);
    report_stream_object(&out, "network");
    report_stream_text(&out, "name", plan->inputs->network->name);
    report_stream_number(&out, "nodes", (double)plan->inputs->network->nodes);
    report_stream_number(&out, "links", (double)plan->inputs->network->links);
    report_stream_number(&out, "payload_bytes", (double)plan->inputs->network->payload_bytes);
    report_stream_number(&out, "header_bytes", (double)plan->inputs->network->header_bytes);
    report_stream_end(&out);
    report_stream_number(&out, "ranks", (double)result->processors);
    report_stream_number(&out, "messages", (double)result->messages);
    report_stream_number(&out, "horizons", (double)result->cycles);
    report_stream_number(&out, "end_us", result->end_us);
    report_stream_text(&out, "stopped_by", ccmod_stop_name(result->stopped_by));
    put_rate(&out, average_case(plan));
    put_cases(&out, plan);
    report_stream_array(&out, "processors");
    for (size_t i = 0; i < result->processors; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);

        report_stream_object(&out, NULL);
        report_stream_number(&out, "rank", (double)i);
        report_stream_number(&out, "clock_us", times.clock_us);
        report_stream_number(&out, "send_us", times.send_us);
        report_stream_number(&out, "receive_us", times.receive_us);
        report_stream_number(&out, "wait_us", times.wait_us);
        report_stream_number(&out, "compute_us", times.compute_us);
        report_stream_end(&out);
    }
    report_stream_end(&out);
    put_links(&out, plan);
    put_bottleneck(&out, plan);
    put_comparison(&out, &result->comparison);
    put_losses(&out, plan);
    report_stream_end(&out);
}

/* Cases */

/* The load exceeded by only 5 % of the exponential distribution. */
static double worst_load(double mean)
{
    return fmin(-log(0.05) * mean, 0.99);
}

static void add_case(run_plan *plan, const char *name, ccmod_background kind, double load)
{
    run_case *added = &plan->cases[plan->case_count++];

    added->name = name;
    added->parameters = plan->inputs->parameters;
    added->parameters.background = kind;
    added->parameters.background_load = load;
}

/* Evaluation */

static cb_status evaluate(const run_plan *plan, const ccmod_network *network,
                          const ccmod_parameters *parameters, ccmod_result **out)
{
    tool_evaluation evaluation = tool_plain_evaluation(plan->inputs);

    evaluation.network = network;
    evaluation.parameters = parameters;
    if (plan->signals.path != NULL && parameters == &average_case(plan)->parameters &&
        network == plan->inputs->network)
        return tool_evaluate_signalled(plan->inputs, &evaluation, &plan->signals, out);
    return tool_evaluate(plan->inputs, &evaluation, out);
}

/* The same network with the bottleneck of the last case at double width. */
static cb_status evaluate_doubled(run_plan *plan)
{
    const run_case *limited = average_case(plan);
    size_t cells = 2 * plan->inputs->network->links;
    double *widths = cb_allocate(cells, sizeof(*widths), "the widths of links");
    ccmod_network wider = *plan->inputs->network;
    cb_status status = CB_ERROR_MEMORY;

    if (limited->result->bottleneck == CCMOD_NO_CELL || widths == NULL) {
        free(widths);
        return widths == NULL ? CB_ERROR_MEMORY : CB_OK;
    }
    for (size_t i = 0; i < cells; i++)
        widths[i] = plan->inputs->network->widths != NULL ? plan->inputs->network->widths[i] : 1;
    widths[limited->result->bottleneck] *= 2;
    wider.widths = widths;
    status = evaluate(plan, &wider, &limited->parameters, &plan->doubled);
    free(widths);
    return status;
}

static cb_status evaluate_all(const tool_settings *settings, run_plan *plan)
{
    for (size_t i = 0; i < plan->case_count; i++)
        CB_TRY(evaluate(plan, plan->inputs->network, &plan->cases[i].parameters,
                        &plan->cases[i].result));
    return settings->doubled ? evaluate_doubled(plan) : CB_OK;
}

/* Output */

/* With an output file, the text also goes to standard output. */
static cb_status write_result(run_plan *plan, const tool_target *target)
{
    const char *format = plan->settings->format;
    bool json = format != NULL ? strcmp(format, "json") == 0 : target->path != NULL;
    cb_status status = tool_write(target, json ? write_json : write_text, plan);

    if (target->path == NULL)
        return status;
    write_text(stdout, plan);
    return status != CB_OK ? status : tool_flush();
}

static cb_status open_signals(run_plan *plan, const tool_target *target)
{
    const tool_settings *settings = plan->settings;

    if (settings->mask != NULL && settings->signals == NULL) {
        cb_error(
            "--mask selects the signals of --signals; name a file for them, or use ccmod signals");
        return CB_ERROR_USAGE;
    }
    CB_TRY(tool_open_signals(settings->signals, &plan->signals));
    if (plan->signals.path == NULL || target->path == NULL ||
        strcmp(plan->signals.path, target->path) != 0)
        return CB_OK;
    cb_error("--signals and --output both name '%s'; name two files", settings->signals);
    return CB_ERROR_USAGE;
}

static cb_status evaluate_and_write(const tool_settings *settings, const tool_inputs *inputs,
                                    const tool_target *target)
{
    run_plan plan = {.settings = settings, .inputs = inputs};
    const tool_background *background = &plan.inputs->background;
    cb_status status = open_signals(&plan, target);

    if (status != CB_OK || settings->check) {
        tool_close_target(&plan.signals);
        return status != CB_OK ? status : tool_check(inputs);
    }
    if (background->three)
        add_case(&plan, "best", CCMOD_BACKGROUND_NONE, 0);
    add_case(&plan, "average", background->kind, background->load);
    if (background->three)
        add_case(&plan, "worst", CCMOD_BACKGROUND_CONSTANT, worst_load(background->load));
    status = evaluate_all(settings, &plan);
    if (status == CB_OK)
        status = write_result(&plan, target);
    for (size_t i = 0; i < plan.case_count; i++)
        ccmod_result_free(plan.cases[i].result);
    ccmod_result_free(plan.doubled);
    tool_close_target(&plan.signals);
    return status;
}

static int run(int argc, char **argv)
{
    return tool_carry_out(&run_options, argc, argv, evaluate_and_write);
}

const ccmod_command ccmod_command_run = {"run", "evaluate a trace on a network", run};
