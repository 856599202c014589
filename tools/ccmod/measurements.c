/* Measurements from a result of cb_calibrate or cb_oneway. The ping-pong measures the quiet
 * network: the latency in the document is half of a round trip. The stream measures how fast
 * messages follow each other, the endpoint's own rate, not the quiet delay. cb_calibrate also
 * measures the contention between flows, and the size up to which a send does not wait for its
 * receive. */
#include "config.h"

#include "tools/ccmod/measurements.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/log.h"
#include "report/reading.h"
#include "tools/ccmod/measurements_columns.h"
#include "tools/ccmod/tool.h"

/* A time, and the larger distance to an end of its 95 % interval. */
typedef struct {
    double us, reach_us;
} measured_time;

/* Values to take the median of. */
typedef struct {
    double values[MEASUREMENTS_SIZES];
    size_t count;
} measured_values;

/* A figure with a wider relative 95 % interval is not used. */
static const double uncertain = 0.2;

/* Whether a text of a row has this value; the median of a figure, NaN if missing. */
static bool row_is(const report_reading *reading, size_t row, const char *key, const char *value)
{
    const char *found = report_reading_text(reading, "results.%zu.%s", row, key);

    return found != NULL && strcmp(found, value) == 0;
}

static measured_time row_time(const report_reading *reading, size_t row, const char *figure)
{
    double median = report_reading_number(reading, "results.%zu.%s.median", row, figure);
    double low = report_reading_number(reading, "results.%zu.%s.ci95.0", row, figure);
    double high = report_reading_number(reading, "results.%zu.%s.ci95.1", row, figure);
    bool known = !isnan(median) && !isnan(low) && !isnan(high);

    return (measured_time){median, known ? fmax(median - low, high - median) : (double)NAN};
}

/* The median of a time that is positive and known to a fifth, otherwise NaN. */
static bool is_certain(measured_time time)
{
    return time.us > 0 && time.reach_us <= uncertain * time.us;
}

static double row_median(const report_reading *reading, size_t row, const char *figure)
{
    measured_time time = row_time(reading, row, figure);

    return is_certain(time) ? time.us : (double)NAN;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Add a value if there is room; NaN is ignored. */
static void add_value(measured_values *list, double value)
{
    if (list->count < MEASUREMENTS_SIZES && !isnan(value))
        list->values[list->count++] = value;
}

/* The median, NaN for an empty list; sorts the list. */
static double middle_of(measured_values *list)
{
    size_t count = list->count;

    qsort(list->values, count, sizeof(list->values[0]), by_value);
    return count > 0 ? (list->values[(count - 1) / 2] + list->values[count / 2]) / 2 : (double)NAN;
}

/* No eager limit. */
#define ALL_BYTES 0x1p53

static void keep(measured_times *times, double bytes, double time_us)
{
    if (times->count < MEASUREMENTS_SIZES)
        times->points[times->count++] = (ccmod_point){bytes, time_us};
}

static double size_of(const report_reading *reading, size_t row)
{
    return report_reading_number(reading, "results.%zu.size_bytes", row);
}

/* Half of the round trip at exactly this size; NaN if not measured or uncertain. */
static measured_time quiet_time(const report_reading *reading, double bytes)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        measured_time time = row_time(reading, i, "latency_us");
        double size = size_of(reading, i);

        if (size >= bytes && size <= bytes && row_is(reading, i, "mode", "pingpong") &&
            row_is(reading, i, "occupation", "none") && is_certain(time))
            return time;
    }
    return (measured_time){(double)NAN, (double)NAN};
}

/* The time of an acknowledgement, a message of 0 bytes. If that size was not measured: the smallest
 * message minus its bytes at the time per byte between the smallest and the largest. */
static measured_time answer_time(const report_reading *reading, const measurements *found)
{
    measured_time measured = quiet_time(reading, 0);
    const ccmod_point *small = found->points, *large = found->points;
    double price, left_us;

    if (!isnan(measured.us) || found->count == 0)
        return measured;
    for (const ccmod_point *point = small; point < found->points + found->count; point++) {
        small = point->bytes < small->bytes ? point : small;
        large = point->bytes > large->bytes ? point : large;
    }
    if (large->bytes <= small->bytes)
        return measured;
    price = fmax(0, (large->time_us - small->time_us) / (large->bytes - small->bytes));
    left_us = fmax(0, small->time_us - small->bytes * price);
    return (measured_time){left_us, small->time_us - left_us};
}

/* How long a packet delays the next one. A block of a stream takes the first packet's whole time,
 * this delay for each other packet, and the last acknowledgement's time; in a block of few packets
 * the uncertainty of the block is that of those few. NaN if it cannot be determined. */
static measured_time following_time(const report_reading *reading, size_t row,
                                    double packets_a_step, const measurements *found)
{
    double steps = report_reading_number(reading, "results.%zu.steps", row);
    double block_steps = steps / report_reading_number(reading, "results.%zu.blocks", row);
    measured_time round = row_time(reading, row, "round_us");
    measured_time first = quiet_time(reading, size_of(reading, row));
    measured_time answer = answer_time(reading, found);
    double others = packets_a_step * block_steps - 1;

    if (!(others > 0))
        return (measured_time){(double)NAN, (double)NAN};
    return (measured_time){
        (round.us * block_steps - first.us - answer.us) / others,
        (round.reach_us * block_steps + first.reach_us + answer.reach_us) / others,
    };
}

static void read_following(const report_reading *reading, const char *mode, double packets_a_step,
                           measurements *found, measured_times *out)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        measured_time time = following_time(reading, i, packets_a_step, found);

        if (!row_is(reading, i, "mode", mode) || isnan(time.us))
            continue;
        if (is_certain(time))
            keep(out, size_of(reading, i), time.us);
        else
            found->left_out++;
    }
}

/* The round of a mode at exactly this size; NaN if not measured or uncertain. */
static double round_at(const report_reading *reading, const char *mode, double bytes)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        double size = size_of(reading, i);

        if (size >= bytes && size <= bytes && row_is(reading, i, "mode", mode))
            return row_median(reading, i, "round_us");
    }
    return (double)NAN;
}

static bool is_over(const report_reading *reading, const char *technology)
{
    const char *found = report_reading_text(reading, "technology");

    return found != NULL && strcmp(found, technology) == 0;
}

/* Whether TCP may acknowledge messages to other hosts. */
static bool goes_over_tcp(const report_reading *reading)
{
    return (is_over(reading, "tcp") || is_over(reading, "mpi")) &&
           report_reading_count(reading, "environment.hosts") > 1;
}

/* In a ring no returning packet carries an acknowledgement, in an exchange each does; all else is
 * equal. The median over all sizes. */
static double find_waiting(const report_reading *reading, size_t rows)
{
    measured_values list = {.count = 0};

    for (size_t i = 0; i < rows && goes_over_tcp(reading); i++) {
        if (row_is(reading, i, "mode", "ring"))
            add_value(&list, row_median(reading, i, "round_us") -
                                 round_at(reading, "exchange", size_of(reading, i)));
    }
    return middle_of(&list);
}

/* In a round of a barrier each rank sends an empty message and receives one, as in an exchange. */
static double find_barrier_round(const report_reading *reading, size_t rows)
{
    double least_bytes = MEASUREMENTS_SMALL_BYTES, round_us = (double)NAN;

    for (size_t i = 0; i < rows; i++) {
        if (row_is(reading, i, "mode", "exchange") && size_of(reading, i) <= least_bytes &&
            !isnan(row_median(reading, i, "round_us"))) {
            least_bytes = size_of(reading, i);
            round_us = row_median(reading, i, "round_us");
        }
    }
    return round_us;
}

/* Most single steps of a stream are only the send: the window is rarely full. */
static double find_send(const report_reading *reading, size_t rows)
{
    measured_values list = {.count = 0};

    for (size_t i = 0; i < rows; i++) {
        if (row_is(reading, i, "mode", "stream") && size_of(reading, i) <= MEASUREMENTS_SMALL_BYTES)
            add_value(&list, report_reading_number(reading, "results.%zu.step_us.p50", i));
    }
    return middle_of(&list);
}

/* Contention between flows */

static int by_descending_size(const void *left, const void *right)
{
    const ccmod_point *a = left, *b = right;

    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static double hold_us(const ccmod_calibration *calibration, double bytes)
{
    return ccmod_default_quiet_delay(calibration, 0, (uint64_t)bytes).transfer_us;
}

/* How much longer each of two messages takes than a single one, if each delays the next one by this
 * time. The median over the three largest sizes, where the link dominates.
 * Relative to the fitted hold, since a single size's may be inaccurate or missing. 1 to 2; NaN if
 * not measured. */
static double find_contention(const measured_times *times, const ccmod_calibration *calibration)
{
    enum { LARGEST = 3 };
    measured_times sorted = *times;
    measured_values list = {.count = 0};

    qsort(sorted.points, sorted.count, sizeof(sorted.points[0]), by_descending_size);
    for (size_t i = 0; i < sorted.count && i < LARGEST; i++) {
        const ccmod_point *point = &sorted.points[i];

        add_value(&list, 2 * point->time_us / hold_us(calibration, point->bytes));
    }
    return list.count > 0 ? fmin(fmax(middle_of(&list), 1), 2) : (double)NAN;
}

/* How much longer a message takes that meets another one in the opposite direction: what grows with
 * its hold, the median of the slopes between all pairs of sizes. Ranks that poll notice a message
 * late by a time that has nothing to do with the link. */
static double find_duplex(const measured_times *times, const ccmod_calibration *calibration)
{
    enum { PAIRS = MEASUREMENTS_SIZES * (MEASUREMENTS_SIZES - 1) / 2 };
    double *slopes = malloc(PAIRS * sizeof(*slopes)), middle = (double)NAN;
    size_t count = 0;

    for (size_t i = 0; slopes != NULL && i < times->count; i++) {
        for (size_t j = 0; j < i; j++) {
            double holds_us = hold_us(calibration, times->points[i].bytes) -
                              hold_us(calibration, times->points[j].bytes);

            if (fabs(holds_us) > 0)
                slopes[count++] = (times->points[i].time_us - times->points[j].time_us) / holds_us;
        }
    }
    if (count > 0) {
        qsort(slopes, count, sizeof(*slopes), by_value);
        middle = fmin(fmax(1 + (slopes[(count - 1) / 2] + slopes[count / 2]) / 2, 1), 2);
    }
    free(slopes);
    return middle;
}

void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration)
{
    if (calibration->hold_count == 0)
        return;
    found->out_contention = find_contention(&found->leaving, calibration);
    found->in_contention = find_contention(&found->coming, calibration);
    found->duplex_contention = find_duplex(&found->meeting, calibration);
}

double measurements_acknowledgement(const measurements *found, const ccmod_calibration *calibration)
{
    double frame_us = calibration->hold_count > 0 ? hold_us(calibration, 0) : 0;

    if (calibration->payload_bytes > 0 && calibration->hold_count > 0) {
        double price = calibration->holds[calibration->hold_count - 1].us_per_byte;
        double header_us = price * calibration->header_bytes;

        return found->over_tcp || found->waiting_us >= header_us / 2 ? header_us : 0;
    }
    return found->waiting_us >= frame_us / 2 ? fmin(found->waiting_us, frame_us) : 0;
}

/* A queue serves the packet that came first, and the other one after it; links that are shared let
 * both take twice as long, less the time by which the first was ahead, which is that of an empty
 * message. Only single packets tell, since those of two messages take turns in a queue. */
unsigned measurements_share_rule(const measurements *found, const ccmod_calibration *calibration)
{
    const double long_enough = 3; /* for the head start to be a small part */
    measured_values list = {.count = 0};
    double middle,
        payload_bytes = found->over_datagrams ? HUGE_VAL : (double)calibration->payload_bytes;

    if (calibration->hold_count == 0)
        return 0;
    for (size_t i = 0; i < found->first_of_two.count; i++) {
        const ccmod_point *point = &found->first_of_two.points[i];
        double kept_us = hold_us(calibration, point->bytes);

        if (point->bytes <= payload_bytes && kept_us >= long_enough * hold_us(calibration, 0))
            add_value(&list, point->time_us / kept_us);
    }
    middle = middle_of(&list);
    if (isnan(middle))
        return 0;
    return 1 + (unsigned)(middle < 0.5 ? CCMOD_FIFO : CCMOD_MAXMIN);
}

/* The size up to which a send does not wait for its receive */

/* NaN if there are none. */
static double smallest_hold_us(const measured_times *holds)
{
    double least_us = (double)NAN;

    for (size_t i = 0; i < holds->count; i++)
        least_us = fmin(least_us, holds->points[i].time_us);
    return least_us;
}

/* The late receive starts when a packet has gone to the third rank and its answer has arrived; a
 * packet that waited for it takes its own time after that. Half of its own time is the limit
 * between the two cases. */
static bool has_waited(const report_reading *reading, size_t row, const measurements *found)
{
    double packet_us = quiet_time(reading, size_of(reading, row)).us;
    double answer_us = answer_time(reading, found).us;
    double question_us = fmin(answer_us, smallest_hold_us(&found->holds));

    return row_median(reading, row, "round_us") >
           question_us + packet_us + answer_us + packet_us / 2;
}

static bool tells_waiting(const report_reading *reading, size_t row)
{
    return row_is(reading, row, "mode", "late") && !isnan(row_median(reading, row, "round_us")) &&
           !isnan(quiet_time(reading, size_of(reading, row)).us);
}

/* The smallest size that waited, among those above the largest that did not. */
static void find_eager(const report_reading *reading, size_t rows, measurements *found)
{
    double eager_bytes = -1, waiting_bytes = ALL_BYTES, tried_bytes = -1;

    for (size_t i = 0; i < rows; i++) {
        if (!tells_waiting(reading, i))
            continue;
        tried_bytes = fmax(tried_bytes, size_of(reading, i));
        if (!has_waited(reading, i, found))
            eager_bytes = fmax(eager_bytes, size_of(reading, i));
    }
    for (size_t i = 0; i < rows; i++) {
        if (tells_waiting(reading, i) && size_of(reading, i) > eager_bytes)
            waiting_bytes = fmin(waiting_bytes, size_of(reading, i));
    }
    if (tried_bytes < 0)
        return;
    found->eager_bytes = waiting_bytes;
    found->eager_tried_bytes = tried_bytes;
}

static void read_flows(const report_reading *reading, measurements *found)
{
    size_t rows = report_reading_count(reading, "results");

    read_following(reading, "stream", 1, found, &found->holds);
    read_following(reading, "fan-out", 2, found, &found->leaving);
    read_following(reading, "fan-in", 2, found, &found->coming);
    /* how much longer an exchange takes than a single packet */
    for (size_t i = 0; i < rows; i++) {
        double both_us = row_median(reading, i, "round_us");
        double more_us = both_us - quiet_time(reading, size_of(reading, i)).us;

        if (row_is(reading, i, "mode", "exchange") && !isnan(more_us))
            keep(&found->meeting, size_of(reading, i), more_us);
    }
    /* Two questions, of which the second follows the first at once; the packet, its answer, and the
     * word that it has come. */
    for (size_t i = 0; i < rows; i++) {
        double alone_us =
            2 * quiet_time(reading, size_of(reading, i)).us + 2 * answer_time(reading, found).us;
        double more_us = row_median(reading, i, "round_us") - alone_us;

        if (row_is(reading, i, "mode", "meeting") && !isnan(more_us))
            keep(&found->first_of_two, size_of(reading, i), more_us);
    }
    found->between_hosts = report_reading_count(reading, "environment.hosts") > 1;
    found->over_tcp = found->between_hosts && is_over(reading, "tcp");
    found->over_datagrams = found->between_hosts && is_over(reading, "udp");
    found->send_us = find_send(reading, rows);
    found->waiting_us = find_waiting(reading, rows);
    found->barrier_round_us = find_barrier_round(reading, rows);
    find_eager(reading, rows, found);
}

static cb_status no_memory(void)
{
    cb_error("cannot store the measurements: out of memory; give fewer");
    return CB_ERROR_MEMORY;
}

/* Results of cb_calibrate and cb_oneway */

static cb_status read_pingpong(const report_reading *reading, size_t row, measurements *out)
{
    double bytes = report_reading_number(reading, "results.%zu.size_bytes", row);
    double latency_us = row_median(reading, row, "latency_us");

    if (isnan(bytes) || isnan(latency_us)) {
        out->left_out++;
        return CB_OK;
    }
    return measurements_add(out, bytes, latency_us) ? CB_OK : no_memory();
}

/* The median over small packets of streams, or NaN. */
static double find_gap(const report_reading *reading, size_t rows)
{
    measured_values gaps_us = {.count = 0};

    for (size_t i = 0; i < rows; i++) {
        double bytes = report_reading_number(reading, "results.%zu.size_bytes", i);
        double time_us = row_median(reading, i, "round_us");

        if (row_is(reading, i, "mode", "stream") && row_is(reading, i, "occupation", "none") &&
            bytes <= MEASUREMENTS_SMALL_BYTES && time_us > 0)
            add_value(&gaps_us, time_us);
    }
    return middle_of(&gaps_us);
}

/* Whether Open MPI's own protocol carries the messages: the setting names it, excludes others, or
 * is absent. */
static bool is_ob1(const report_reading *reading)
{
    const char *pml = report_reading_text(reading, "environment.mpi_settings.pml");

    return pml == NULL || pml[0] == '\0' || pml[0] == '^' || strcmp(pml, "ob1") == 0;
}

/* Open MPI's limit, a setting of its lower layer: shared memory within a host, otherwise TCP. Other
 * libraries and technologies do not report it. */
static double find_eager_limit(const report_reading *reading)
{
    const char *technology = report_reading_text(reading, "technology");
    size_t hosts = report_reading_count(reading, "environment.hosts");
    const char *limit =
        report_reading_text(reading, hosts == 1 ? "environment.mpi_settings.btl_vader_eager_limit"
                                                : "environment.mpi_settings.btl_tcp_eager_limit");
    char *end;
    double bytes;

    if (technology == NULL || strcmp(technology, "mpi") != 0 || hosts == 0 || limit == NULL ||
        !is_ob1(reading))
        return (double)NAN;
    bytes = strtod(limit, &end);
    return end > limit && *end == '\0' && bytes >= 0 && bytes <= 0x1p53 ? bytes : (double)NAN;
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}

static bool is_of(const report_reading *reading, const char *benchmark)
{
    const char *found = report_reading_text(reading, "benchmark");

    return found != NULL && strcmp(found, benchmark) == 0;
}

static cb_status check_benchmark(const report_reading *reading, const char *path)
{
    if (is_of(reading, "oneway") || is_of(reading, "calibrate"))
        return CB_OK;
    cb_error("cannot calibrate with '%s': it is a result of cb_%.40s, which has no ping-pong on a "
             "quiet network; name one of cb_calibrate or cb_oneway",
             path, or_unknown(report_reading_text(reading, "benchmark")));
    return CB_ERROR_USAGE;
}

static cb_status read_rows(const report_reading *reading, const char *path, measurements *out)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        if (row_is(reading, i, "mode", "pingpong") && row_is(reading, i, "occupation", "none"))
            CB_TRY(read_pingpong(reading, i, out));
    }
    out->gap_us = find_gap(reading, rows);
    out->eager_bytes = find_eager_limit(reading);
    if (is_of(reading, "calibrate"))
        read_flows(reading, out);
    snprintf(out->origin, sizeof(out->origin),
             "%.200s: cb_%.40s over %.40s, %.40s, on %.80s, %.80s", path,
             or_unknown(report_reading_text(reading, "benchmark")),
             or_unknown(report_reading_text(reading, "technology")),
             or_unknown(report_reading_text(reading, "started")),
             or_unknown(report_reading_text(reading, "environment.hosts.0.cpu")),
             or_unknown(report_reading_text(reading, "environment.mpi")));
    return CB_OK;
}

static cb_status read_result(const char *path, measurements *out)
{
    report_reading *reading = NULL;
    cb_status status = report_reading_open(path, &reading);

    if (status == CB_OK)
        status = check_benchmark(reading, path);
    if (status == CB_OK)
        status = read_rows(reading, path, out);
    report_reading_close(reading);
    return status;
}

/* Either source */

static cb_status read_text(FILE *stream, const char *path, bool round_trips, measurements *out)
{
    ccmod_error error;

    snprintf(out->origin, sizeof(out->origin), "%.400s: two columns%s", path,
             round_trips ? ", of round trips" : "");
    if (measurements_read_columns(stream, path, round_trips, out, &error) != CCMOD_OK)
        return tool_refuse(&error);
    return CB_OK;
}

static bool begins_with_brace(FILE *stream)
{
    int first;

    do {
        first = fgetc(stream);
    } while (first != EOF && isspace(first));
    cb_input_rewind(stream);
    return first == '{';
}

static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (!isprint((unsigned char)*text))
            *text = '?';
    }
}

static measurements nothing(void)
{
    const double unknown = (double)NAN;

    return (measurements){.gap_us = unknown,
                          .eager_bytes = unknown,
                          .send_us = unknown,
                          .waiting_us = unknown,
                          .barrier_round_us = unknown,
                          .out_contention = unknown,
                          .in_contention = unknown,
                          .duplex_contention = unknown,
                          .eager_tried_bytes = unknown};
}

cb_status measurements_read(const char *path, bool round_trips, measurements *out)
{
    char why[CB_INPUT_WHY_BYTES];
    FILE *stream = cb_input_stream(path, CB_INPUT_LARGEST_TABLE_BYTES, why);
    cb_status status;

    *out = nothing();
    if (stream == NULL) {
        cb_error("cannot read the measurements '%s': %s; name a file that can be read", path, why);
        return CB_ERROR_USAGE;
    }
    if (!begins_with_brace(stream)) {
        status = read_text(stream, path, round_trips, out);
    } else if (round_trips) {
        cb_error("--round-trip is for two columns: the result '%s' has already halved its round "
                 "trips; omit the option",
                 path);
        status = CB_ERROR_USAGE;
    } else {
        status = read_result(path, out);
    }
    fclose(stream);
    make_printable(out->origin);
    return status;
}
