/* ccmod calibrate: make a calibration file from measurements of the quiet network. */
#include "config.h"

#include "tools/ccmod/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "tools/ccmod/measurements.h"

typedef struct {
    const char *measurements, *output, *fit, *mode;
    uint64_t segments, packet_bytes, eager_bytes;
    double residual_pct, overhead_us, gap_us, hop_us, barrier_us;
    bool round_trips;
} calibrate_settings;

#define FIELD(name) offsetof(calibrate_settings, name)

static const char *const fit_names[] = {"relative", "plain", NULL};
static const char *const modes[] = {"split", "paper", NULL};

/* clang-format off */
static const cb_option rows[] = {
    {.name = "RESULT",
     .type = CB_OPTION_OPERAND,
     .offset = FIELD(measurements),
     .file = CB_FILE_READ,
     .argument = "RESULT",
     .help = "Result of cb_calibrate or cb_oneway (JSON), or two columns",
     .more = "The two columns of a text file are bytes and microseconds."},
    {.name = "mode",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(mode),
     .argument = "MODE",
     .default_text = "split",
     .choices = modes,
     .help = "Mode of ccmod run that the calibration is for",
     .more = "paper writes only what the article has: two lines (--segments 1 or --packet-bytes change that) by --fit plain, without gap, links' own times, contention at nodes, acknowledgements and eager sends."},
    {.name = "fit",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(fit),
     .argument = "FIT",
     .choices = fit_names,
     .help = "Residuals whose squares are least; default relative, or plain in mode paper",
     .more = "relative: shares of each time, so that small messages count as much as large ones. plain: microseconds, the unweighted regression of the article's listing 2."},
    {.name = "segments",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(segments),
     .argument = "N",
     .default_text = "0",
     .maximum = 8,
     .help = "Number of linear segments; 0 as many as the data support",
     .more = "The breaks between the segments are those with the smallest error."},
    {.name = "packet-bytes",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(packet_bytes),
     .argument = "BYTES",
     .default_text = "0",
     .maximum = 0x1p53,
     .help = "Fit messages up to this size and larger ones apart",
     .more = "This is the size of a packet in the article, which fits two segments."},
    {.name = "residual-pct",
     .type = CB_OPTION_REAL,
     .offset = FIELD(residual_pct),
     .argument = "PCT",
     .default_text = "20",
     .maximum = 1000,
     .help = "Refuse a fit whose error (rms) is larger than this"},
    {.name = "round-trip",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(round_trips),
     .help = "The times of the two columns are of round trips: halve them"},
    {.name = "overhead-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(overhead_us),
     .argument = "X",
     .maximum = 1e9,
     .unit = "us",
     .help = "Part of the start-up that the sender spends",
     .more = "Default: what the stream of the result shows; all of the start-up if it has no stream."},
    {.name = "gap-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(gap_us),
     .argument = "US",
     .maximum = 1e9,
     .unit = "us",
     .help = "Shortest time that a message occupies its links",
     .more = "Default: what the stream of the result shows."},
    {.name = "eager-bytes",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(eager_bytes),
     .argument = "BYTES",
     .maximum = 0x1p53,
     .help = "Smallest send that waits for its receive",
     .more = "A send of fewer bytes does not wait. Default: what the result says of the MPI library, otherwise 0."},
    {.name = "hop-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(hop_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .help = "Latency of each link of a route beyond the second"},
    {.name = "barrier-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(barrier_us),
     .argument = "US",
     .maximum = 1e9,
     .unit = "us",
     .help = "Time of a barrier from the last arrival to the release",
     .more = "Default: what the smallest exchange of the result shows for each of its rounds, log2 of the ranks."},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write the calibration to FILE",
     .more = "What was fitted is printed to standard output."},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const cb_option_table table = {
    .program = "ccmod-calibrate",
    .summary = "make a calibration from measurements",
    .description =
        "Fits lines T(n) = overhead + latency + n x price to the ping-pong of a result, and "
        "writes a calibration file for --calibration. The time of a message is half a round trip. "
        "Breaks between lines are found by least squares of relative residuals; the file lists "
        "all residuals.\n\n"
        "The stream of the result determines the gap between small messages, and the sender's "
        "part of the start-up.\n\n"
        "A result of cb_calibrate also determines how long messages occupy their links, the "
        "processor time of a send, the sharing of a node's link between flows, the cost of TCP's "
        "acknowledgements, and the size up to which a send does not wait for its receive. Between "
        "hosts it "
        "also shows the payload and header of a packet, and how packets that meet share a link.\n\n"
        "With --mode paper the file has the article's lines alone.",
    .synopsis = "ccmod calibrate [OPTION]... RESULT",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
};

typedef struct {
    const calibrate_settings *settings;
    measurements found;
    ccmod_calibration calibration;
    ccmod_fit fits[CCMOD_LINES], hold_fits[CCMOD_LINES];
    bool plain; /* unweighted */
} calibrate_plan;

static bool was_given(const bool *given, const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (given[i] && strcmp(rows[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Calibration */

/* Link times need at least as many sizes as a line. */
static ccmod_status fit_holds(calibrate_plan *plan, const ccmod_fit_wish *wish, ccmod_error *error)
{
    const size_t sizes_of_a_line = 3;
    const measured_times *holds = &plan->found.holds;

    if (holds->count < sizes_of_a_line || holds->count < wish->segments)
        return CCMOD_OK;
    return ccmod_calibration_fit_holds(holds->points, holds->count, wish, &plan->calibration,
                                       plan->hold_fits, error);
}

static bool is_for_paper(const calibrate_settings *settings)
{
    return strcmp(settings->mode, "paper") == 0;
}

/* The article calibrates with ping-pongs alone. */
static void keep_ping_pongs(measurements *found)
{
    found->holds.count = found->leaving.count = found->coming.count = found->meeting.count = 0;
    found->first_of_two.count = 0;
    found->gap_us = found->send_us = found->waiting_us = (double)NAN;
    found->barrier_round_us = (double)NAN;
    found->eager_bytes = found->eager_tried_bytes = (double)NAN;
}

/* Packets of a network between hosts, unless an option divides the sizes. */
static void find_packets(const calibrate_plan *plan, ccmod_fit_wish *wish)
{
    const measurements *found = &plan->found;
    const ccmod_point_set sets[] = {{found->points, found->count},
                                    {found->holds.points, found->holds.count}};
    uint64_t payload_bytes;
    double header_bytes;

    if (!found->between_hosts || wish->packet_bytes > 0 || is_for_paper(plan->settings) ||
        !ccmod_calibration_find_packets(sets, sizeof(sets) / sizeof(sets[0]), &payload_bytes,
                                        &header_bytes))
        return;
    wish->payload_bytes = payload_bytes;
    wish->header_bytes = header_bytes;
}

static cb_status fit(calibrate_plan *plan)
{
    enum { ARTICLE_LINES = 2 };
    const calibrate_settings *settings = plan->settings;
    bool paper = is_for_paper(settings);
    const char *kind = settings->fit != NULL ? settings->fit : paper ? "plain" : "relative";
    ccmod_fit_wish wish = {.segments = settings->segments,
                           .segments_allowed = paper ? ARTICLE_LINES : 0,
                           .packet_bytes = settings->packet_bytes,
                           .residual_limit = settings->residual_pct / 100,
                           .plain = strcmp(kind, "plain") == 0};
    const char *about = "";
    ccmod_error error;

    plan->plain = wish.plain;
    if (wish.packet_bytes > 0 && wish.segments > 0 && wish.segments != 2) {
        cb_error("--packet-bytes makes two lines, but --segments is %zu; give one of "
                 "the two",
                 wish.segments);
        return CB_ERROR_USAGE;
    }
    find_packets(plan, &wish);
    if (ccmod_calibration_fit(plan->found.points, plan->found.count, &wish, &plan->calibration,
                              plan->fits, &error) == CCMOD_OK) {
        about = "of how packets of the stream follow each other: ";
        if (fit_holds(plan, &wish, &error) == CCMOD_OK) {
            plan->calibration.payload_bytes = wish.payload_bytes;
            plan->calibration.header_bytes = wish.header_bytes;
            return CB_OK;
        }
    }
    cb_error("%s: %s%s%s", settings->measurements, about, error.text,
             plan->found.left_out > 0 ? " (times with an interval above 20 % were left out)" : "");
    return tool_status(error.status);
}

/* Divide the start-up so that the time of a single message stays as measured: the gap is on the
 * link; of the rest, at most the time between two messages is the sender's, and what remains is
 * latency. */
static void divide_start_up(calibrate_plan *plan, const bool *given)
{
    ccmod_calibration *calibration = &plan->calibration;
    double start_up_us = calibration->lines[0].latency_us;
    double between_us = plan->found.gap_us;
    double overhead_us = HUGE_VAL;

    if (!isnan(between_us)) {
        calibration->gap_us = fmin(between_us, start_up_us);
        overhead_us = fmin(between_us, start_up_us - calibration->gap_us);
    }
    if (!isnan(plan->found.send_us))
        overhead_us = fmin(overhead_us, plan->found.send_us);
    if (calibration->hold_count > 0)
        calibration->gap_us = 0;
    if (was_given(given, "gap-us"))
        calibration->gap_us = plan->settings->gap_us;
    if (was_given(given, "overhead-us"))
        overhead_us = plan->settings->overhead_us;
    ccmod_calibration_divide(calibration, overhead_us);
}

/* 0 (unknown) if not measured or close to the usual value of a full-duplex link: evaluations with
 * node ends are slower. */
static double unless_usual(double contention, double usual)
{
    const double error = 0.1;

    return !isnan(contention) && fabs(contention - usual) > error ? contention : 0;
}

/* Output of the result, each line after `before`, which may make it a comment */

static void write_contention(FILE *stream, const char *before, const char *what, double contention)
{
    if (!isnan(contention))
        fprintf(stream, "%stwo messages that %s take %.3g times as long as one\n", before, what,
                contention);
}

static void write_flows(FILE *stream, const char *before, const calibrate_plan *plan)
{
    const measurements *found = &plan->found;

    if (!isnan(found->send_us))
        fprintf(stream, "%sa send costs its processor %.4g us\n", before, found->send_us);
    for (size_t i = 0; i < plan->calibration.hold_count; i++) {
        const ccmod_line *hold = &plan->calibration.holds[i];
        const ccmod_fit *made = &plan->hold_fits[i];

        fprintf(stream,
                "%sof %.10g to %.10g bytes a message keeps its links for %.4g us + bytes x %.4g "
                "us; %zu measurements, residual %.2g %% (rms)\n",
                before, made->from_bytes, made->to_bytes, hold->latency_us, hold->us_per_byte,
                made->points, 100 * made->rms_residual);
    }
    if (!isnan(found->barrier_round_us))
        fprintf(stream, "%sa round of a barrier takes %.4g us, as two that exchange messages\n",
                before, found->barrier_round_us);
    write_contention(stream, before, "leave a node", found->out_contention);
    write_contention(stream, before, "come to a node", found->in_contention);
    write_contention(stream, before, "pass a link in both directions", found->duplex_contention);
    if (plan->calibration.payload_bytes > 0)
        fprintf(stream, "%spackets carry %" PRIu64 " bytes, and a header of %.4g each\n", before,
                plan->calibration.payload_bytes, plan->calibration.header_bytes);
    if (plan->calibration.acknowledgement_us > 0)
        fprintf(
            stream,
            "%sa packet waits %.4g us for an acknowledgement, which keeps its links for %.4g us\n",
            before, plan->found.waiting_us, plan->calibration.acknowledgement_us);
    if (plan->calibration.share_rule > 0)
        fprintf(stream, "%spackets that meet share a link by the rule %s\n", before,
                ccmod_share_name((ccmod_share)(plan->calibration.share_rule - 1)));
    if (isnan(found->eager_tried_bytes))
        return;
    if (found->eager_bytes > found->eager_tried_bytes)
        fprintf(stream,
                "%sno message waited for its receive, up to %.10g bytes, the largest that was "
                "tried\n",
                before, found->eager_tried_bytes);
    else
        fprintf(stream, "%smessages of %.10g bytes and more waited for their receive\n", before,
                found->eager_bytes);
}

static const ccmod_line *line_for(const ccmod_calibration *calibration, double bytes)
{
    size_t i = 0;

    while (i + 1 < calibration->line_count && bytes > (double)calibration->lines[i].to_bytes)
        i++;
    return &calibration->lines[i];
}

static void write_findings(FILE *stream, const char *before, const calibrate_plan *plan)
{
    fprintf(stream, "%sof %s\n", before, plan->found.origin);
    if (plan->plain)
        fprintf(stream, "%sfit plain: least squares of microseconds, unweighted\n", before);
    if (plan->found.left_out > 0)
        fprintf(stream,
                "%s%zu measurements were left out, whose 95 %% interval reaches farther "
                "than a fifth\n",
                before, plan->found.left_out);
    if (!isnan(plan->found.gap_us))
        fprintf(stream, "%ssmall messages of the stream follow each other in %.4g us\n", before,
                plan->found.gap_us);
    for (size_t i = 0; i < plan->calibration.line_count; i++) {
        const ccmod_line *line = &plan->calibration.lines[i];
        const ccmod_fit *made = &plan->fits[i];

        fprintf(stream, "%s%.10g to %.10g bytes: %.4g us", before, made->from_bytes, made->to_bytes,
                line->overhead_us + line->latency_us);
        if (line->us_per_byte > 0)
            fprintf(stream, " + bytes / %.4g MB/s", 1 / line->us_per_byte);
        fprintf(stream, "; %zu measurements, residual %.2g %% (rms), at most %.2g %% at %.10g\n",
                made->points, 100 * made->rms_residual, 100 * made->worst_residual,
                made->worst_bytes);
    }
    write_flows(stream, before, plan);
    fprintf(stream, "%s%12s  %14s  %14s  %8s\n", before, "bytes", "measured us", "line us",
            "error %");
    for (size_t i = 0; i < plan->found.count; i++) {
        const ccmod_point *point = &plan->found.points[i];
        const ccmod_line *line = line_for(&plan->calibration, point->bytes);
        double on_links = ccmod_bytes_on_links(plan->calibration.payload_bytes,
                                               plan->calibration.header_bytes, point->bytes);
        double line_us = line->overhead_us + line->latency_us + line->us_per_byte * on_links;

        fprintf(stream, "%s%12.10g  %14.6g  %14.6g  %8.2f\n", before, point->bytes, point->time_us,
                line_us, 100 * (line_us / point->time_us - 1));
    }
}

static void write_calibration(FILE *stream, void *context)
{
    const calibrate_plan *plan = context;

    ccmod_calibration_write(&plan->calibration, stream);
    write_findings(stream, "# ", plan);
}

static cb_status write_result(calibrate_plan *plan)
{
    tool_target target = {NULL, NULL};
    cb_status status = tool_open_target(plan->settings->output, &target);

    if (status == CB_OK)
        status = tool_write(&target, write_calibration, plan);
    if (status == CB_OK && target.path != NULL) {
        write_findings(stdout, "", plan);
        status = tool_flush();
    }
    tool_close_target(&target);
    return status;
}

static cb_status calibrate(const calibrate_settings *settings, const bool *given)
{
    calibrate_plan plan = {.settings = settings};
    cb_status status;

    if (settings->measurements == NULL) {
        cb_error("the measurements are missing; write %s, or see --help", table.synopsis);
        return CB_ERROR_USAGE;
    }
    status = measurements_read(settings->measurements, settings->round_trips, &plan.found);
    if (status == CB_OK && is_for_paper(settings))
        keep_ping_pongs(&plan.found);
    if (status == CB_OK)
        status = fit(&plan);
    if (status == CB_OK) {
        ccmod_calibration *calibration = &plan.calibration;

        divide_start_up(&plan, given);
        if (was_given(given, "eager-bytes"))
            calibration->eager_bytes = plan.settings->eager_bytes;
        else if (!isnan(plan.found.eager_bytes))
            calibration->eager_bytes = (uint64_t)plan.found.eager_bytes;
        measurements_find_contentions(&plan.found, calibration);
        calibration->out_contention = unless_usual(plan.found.out_contention, 2);
        calibration->in_contention = unless_usual(plan.found.in_contention, 2);
        calibration->duplex_contention = unless_usual(plan.found.duplex_contention, 1);
        calibration->acknowledgement_us = measurements_acknowledgement(&plan.found, calibration);
        calibration->share_rule = measurements_share_rule(&plan.found, calibration);
        calibration->hop_us = plan.settings->hop_us;
        if (was_given(given, "barrier-us"))
            calibration->barrier_us = plan.settings->barrier_us;
        else if (!isnan(plan.found.barrier_round_us))
            calibration->barrier_round_us = plan.found.barrier_round_us;
        status = write_result(&plan);
    }
    measurements_close(&plan.found);
    return status;
}

static int run(int argc, char **argv)
{
    bool given[ROWS], done = false;
    calibrate_settings settings;
    cb_status status = tool_parse(&table, argc, argv, &settings, given, &done);

    if (status == CB_OK && !done)
        status = calibrate(&settings, given);
    return tool_exit(status);
}

const ccmod_command ccmod_command_calibrate = {"calibrate", "make a calibration from measurements",
                                               run};
