/* The result of ccmod run as JSON, schema combench-model/1: written as it comes, since a million
 * ranks have a million rows. Nothing in it depends on the clock of the machine. */
#include "config.h"

#include "tools/ccmod/run_json.h"

#include <string.h>

#include "report/stream.h"
#include "tools/ccmod/run_text.h"

/* Parameters go to `out`; with a calibration file those that it replaces are left to
 * put_calibration. */
typedef struct {
    report_stream *out;
    bool calibrated;
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

    if (writer->calibrated && is_of_calibration(row->key))
        return;
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

static void put_parameters(report_stream *out, const run_plan *plan)
{
    parameter_writer writer = {out, plan->settings->calibration != NULL};

    report_stream_object(out, "parameters");
    cb_options_visit(&run_options, plan->settings, put_parameter, &writer);
    report_stream_end(out);
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

static void put_calibration(report_stream *out, const ccmod_calibration *calibration)
{
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
    put_holds(out, calibration);
    put_known(out, "out_contention", calibration->out_contention);
    put_known(out, "in_contention", calibration->in_contention);
    put_known(out, "duplex_contention", calibration->duplex_contention);
    put_known(out, "acknowledgement_us", calibration->acknowledgement_us);
    report_stream_end(out);
}

static void put_network(report_stream *out, const ccmod_network *network)
{
    report_stream_object(out, "network");
    report_stream_text(out, "name", network->name);
    report_stream_number(out, "nodes", (double)network->nodes);
    report_stream_number(out, "links", (double)network->links);
    report_stream_number(out, "payload_bytes", (double)network->payload_bytes);
    report_stream_number(out, "header_bytes", (double)network->header_bytes);
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

static void put_processors(report_stream *out, const ccmod_result *result)
{
    report_stream_array(out, "processors");
    for (size_t i = 0; i < result->processors; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);

        report_stream_object(out, NULL);
        report_stream_number(out, "rank", (double)i);
        report_stream_number(out, "clock_us", times.clock_us);
        report_stream_number(out, "send_us", times.send_us);
        report_stream_number(out, "receive_us", times.receive_us);
        report_stream_number(out, "wait_us", times.wait_us);
        report_stream_number(out, "compute_us", times.compute_us);
        report_stream_end(out);
    }
    report_stream_end(out);
}

/* The members that tell of one cell. */
static void put_cell(report_stream *out, const run_plan *plan, uint32_t cell)
{
    ccmod_cell use = ccmod_result_cell(run_average(plan)->result, cell);
    char name[RUN_NAME_BYTES];

    ccmod_link_name(plan->inputs->network, cell / 2, name, sizeof(name));
    report_stream_number(out, "link", cell / 2);
    report_stream_text(out, "name", name);
    report_stream_text(out, "direction", cell % 2 == CCMOD_INWARD ? "inward" : "outward");
    report_stream_number(out, "packets", (double)use.packets);
    report_stream_number(out, "work_us", use.work_us);
    report_stream_number(out, "lost_us", use.lost_us);
    report_stream_number(out, "utilisation", run_use_of(plan, cell));
    report_stream_number(out, "peak_messages", use.peak);
}

static void put_links(report_stream *out, const run_plan *plan)
{
    const ccmod_result *result = run_average(plan)->result;

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
    const ccmod_result *result = run_average(plan)->result;
    char sentence[RUN_SENTENCE_BYTES];

    run_describe_bottleneck(plan, sentence);
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

void run_write_json(FILE *stream, const run_plan *plan)
{
    const ccmod_result *result = run_average(plan)->result;
    report_stream out = report_stream_begin(stream);

    report_stream_text(&out, "schema", "combench-model/1");
    report_stream_text(&out, "version", CB_VERSION);
    report_stream_text(&out, "commit", CB_COMMIT);
    put_parameters(&out, plan);
    put_calibration(&out, &plan->inputs->calibration);
    put_network(&out, plan->inputs->network);
    report_stream_number(&out, "ranks", (double)result->processors);
    report_stream_number(&out, "messages", (double)result->messages);
    report_stream_number(&out, "horizons", (double)result->cycles);
    report_stream_number(&out, "end_us", result->end_us);
    report_stream_text(&out, "stopped_by", ccmod_stop_name(result->stopped_by));
    put_rate(&out, run_average(plan));
    put_cases(&out, plan);
    put_processors(&out, result);
    put_links(&out, plan);
    put_bottleneck(&out, plan);
    put_comparison(&out, &result->comparison);
    report_stream_end(&out);
}
