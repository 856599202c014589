/* Quiet delays, as piecewise lines of overhead, latency and time per byte, and their fit to
 * measured times. Breaks come from the project's piecewise least squares (stats/fit.h). Start-up
 * and time per byte of a message are not negative: if the best line has a negative part, the best
 * line without it is used. */
#include <ccmod/calibration.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/fit.h"

ccmod_calibration ccmod_calibration_line(double overhead_us, double latency_us,
                                         double bandwidth_MBps)
{
    /* 1 MB/s is one byte per microsecond */
    return (ccmod_calibration){
        .lines = {{UINT64_MAX, overhead_us, latency_us, 1 / bandwidth_MBps}},
        .line_count = 1,
    };
}

double ccmod_barrier_us(const ccmod_calibration *calibration, size_t processors)
{
    double rounds = 0;

    for (size_t reached = 1; reached < processors; reached *= 2)
        rounds++;
    return calibration->barrier_us + rounds * calibration->barrier_round_us;
}

static const ccmod_line *line_for(const ccmod_line *lines, size_t count, uint64_t bytes)
{
    const ccmod_line *line = lines, *last = lines + count - 1;

    while (line < last && bytes > line->to_bytes)
        line++;
    return line;
}

double ccmod_bytes_on_links(uint64_t payload_bytes, double header_bytes, double bytes)
{
    if (payload_bytes == 0 || !(bytes > (double)payload_bytes))
        return bytes;
    return bytes + header_bytes * (ceil(bytes / (double)payload_bytes) - 1);
}

ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                      uint64_t bytes)
{
    const ccmod_line *line = line_for(calibration->lines, calibration->line_count, bytes);
    double on_links =
        ccmod_bytes_on_links(calibration->payload_bytes, calibration->header_bytes, (double)bytes);
    ccmod_delay delay = {line->overhead_us, line->latency_us, on_links * line->us_per_byte};
    double kept_us = fmax(delay.transfer_us, calibration->gap_us); /* how long it keeps its links */

    if (calibration->hold_count > 0) {
        const ccmod_line *hold = line_for(calibration->holds, calibration->hold_count, bytes);

        kept_us = hold->latency_us + on_links * hold->us_per_byte;
    }
    delay.latency_us = fmax(0, delay.latency_us - (kept_us - delay.transfer_us));
    delay.transfer_us = kept_us;
    if (hops > 2)
        delay.latency_us += (double)(hops - 2) * calibration->hop_us;
    return delay;
}

void ccmod_calibration_divide(ccmod_calibration *calibration, double overhead_us)
{
    for (size_t i = 0; i < calibration->line_count; i++) {
        ccmod_line *line = &calibration->lines[i];
        double start_up_us = line->overhead_us + line->latency_us;

        line->overhead_us = fmin(overhead_us, start_up_us);
        line->latency_us = start_up_us - line->overhead_us;
    }
}

/* Points as arrays for the fit, by ascending size: the bytes of the message, and on the links. */
typedef struct {
    double *sizes, *bytes, *time_us;
    size_t count;
} point_rows;

/* Weighted sums over the points of a line. */
typedef struct {
    double weight, time, bytes_bytes, bytes_time;
} weighted_sums;

static int by_size(const void *left, const void *right)
{
    const ccmod_point *a = left, *b = right;

    if (a->bytes < b->bytes || a->bytes > b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->time_us > b->time_us) - (a->time_us < b->time_us);
}

static ccmod_status check_points(const ccmod_point *points, size_t count, ccmod_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!(points[i].bytes >= 0 && points[i].bytes <= 0x1p53) ||
            !(points[i].time_us > 0 && points[i].time_us <= 1e15))
            return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                              "cannot calibrate with %.6g us for %.6g bytes: sizes are 0 to 2^53 "
                              "and times above 0; correct or remove this measurement",
                              points[i].time_us, points[i].bytes);
    }
    return CCMOD_OK;
}

static void free_rows(point_rows *rows)
{
    free(rows->sizes);
    free(rows->bytes);
    free(rows->time_us);
}

static ccmod_status sort_points(const ccmod_point *points, size_t count, const ccmod_fit_wish *wish,
                                point_rows *rows, ccmod_error *error)
{
    ccmod_point *sorted = calloc(count + 1, sizeof(*sorted));

    *rows = (point_rows){calloc(count + 1, sizeof(double)), calloc(count + 1, sizeof(double)),
                         calloc(count + 1, sizeof(double)), count};
    if (sorted == NULL || rows->sizes == NULL || rows->bytes == NULL || rows->time_us == NULL) {
        free(sorted);
        free_rows(rows);
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                          "cannot calibrate: out of memory for the points; give fewer");
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = points[i];
    qsort(sorted, count, sizeof(*sorted), by_size);
    for (size_t i = 0; i < count; i++) {
        rows->sizes[i] = sorted[i].bytes;
        rows->bytes[i] =
            ccmod_bytes_on_links(wish->payload_bytes, wish->header_bytes, sorted[i].bytes);
        rows->time_us[i] = sorted[i].time_us;
    }
    free(sorted);
    return CCMOD_OK;
}

/* Segments */

/* One line up to the size of a packet, and one above. */
static size_t fit_around(const point_rows *rows, uint64_t packet_bytes, stats_segment *segments)
{
    size_t small = 0, found;

    while (small < rows->count && rows->sizes[small] <= (double)packet_bytes)
        small++;
    if (stats_fit(rows->bytes, rows->time_us, small, 1, true, segments) == 0)
        return 0;
    found = stats_fit(rows->bytes + small, rows->time_us + small, rows->count - small, 1, true,
                      segments + 1);
    segments[1].first += small;
    segments[1].last += small;
    return found == 0 ? 0 : 2;
}

static size_t find_segments(const point_rows *rows, const ccmod_fit_wish *wish,
                            stats_segment *segments)
{
    size_t fixed = wish->segments > 0 ? wish->segments : wish->segments_allowed;

    if (wish->packet_bytes > 0)
        return fit_around(rows, wish->packet_bytes, segments);
    return stats_fit(rows->bytes, rows->time_us, rows->count,
                     fixed > 0 ? fixed : STATS_FIT_SEGMENTS, fixed > 0, segments);
}

/* Lines */

/* The article's regression, about the means of sizes and times. */
static ccmod_line plain_line(const point_rows *rows, const stats_segment *segment)
{
    double count = (double)(segment->last - segment->first + 1);
    double mean_bytes = 0, mean_us = 0, bytes_bytes = 0, bytes_us = 0;
    ccmod_line line = {.to_bytes = UINT64_MAX};

    for (size_t i = segment->first; i <= segment->last; i++) {
        mean_bytes += rows->bytes[i] / count;
        mean_us += rows->time_us[i] / count;
    }
    for (size_t i = segment->first; i <= segment->last; i++) {
        double bytes = rows->bytes[i] - mean_bytes;

        bytes_bytes += bytes * bytes;
        bytes_us += bytes * (rows->time_us[i] - mean_us);
    }
    line.us_per_byte = bytes_us / bytes_bytes;
    line.latency_us = mean_us - line.us_per_byte * mean_bytes;
    return line;
}

/* All of the start-up goes to latency_us: points do not tell which part the sender spends. */
static ccmod_line line_of(const point_rows *rows, const stats_segment *segment, bool plain)
{
    ccmod_line line = {UINT64_MAX, 0, segment->overhead_us, segment->slope_us_per_byte};
    weighted_sums sums = {0};

    if (plain)
        line = plain_line(rows, segment);
    for (size_t i = segment->first; i <= segment->last; i++) {
        double bytes = rows->bytes[i], time_us = rows->time_us[i];
        double weight = plain ? 1 : 1 / (time_us * time_us);

        sums.weight += weight;
        sums.time += weight * time_us;
        sums.bytes_bytes += weight * bytes * bytes;
        sums.bytes_time += weight * bytes * time_us;
    }
    if (line.us_per_byte < 0) {
        line.us_per_byte = 0;
        line.latency_us = sums.time / sums.weight;
    } else if (line.latency_us < 0) {
        line.latency_us = 0;
        line.us_per_byte = sums.bytes_time / sums.bytes_bytes;
    }
    return line;
}

/* The rms residual of a plain fit as a share of the rms time. */
static double plain_residual(const point_rows *rows, const stats_segment *segment,
                             const ccmod_line *line)
{
    double squares = 0, times = 0;

    for (size_t i = segment->first; i <= segment->last; i++) {
        double residual_us =
            line->latency_us + line->us_per_byte * rows->bytes[i] - rows->time_us[i];

        squares += residual_us * residual_us;
        times += rows->time_us[i] * rows->time_us[i];
    }
    return sqrt(squares / times);
}

static ccmod_fit measure_fit(const point_rows *rows, const stats_segment *segment,
                             const ccmod_line *line)
{
    ccmod_fit fit = {.points = segment->last - segment->first + 1,
                     .from_bytes = rows->sizes[segment->first],
                     .to_bytes = rows->sizes[segment->last]};
    double squares = 0;

    for (size_t i = segment->first; i <= segment->last; i++) {
        double predicted_us = line->latency_us + line->us_per_byte * rows->bytes[i];
        double share = fabs(predicted_us - rows->time_us[i]) / rows->time_us[i];

        squares += share * share;
        if (share >= fit.worst_residual) {
            fit.worst_residual = share;
            fit.worst_bytes = rows->sizes[i];
        }
    }
    fit.rms_residual = sqrt(squares / (double)fit.points);
    return fit;
}

/* Make a line for each segment. */
static ccmod_status draw_lines(const point_rows *rows, const stats_segment *segments, size_t count,
                               const ccmod_fit_wish *wish, ccmod_calibration *out,
                               ccmod_fit fits[CCMOD_LINES], ccmod_error *error)
{
    *out = (ccmod_calibration){.line_count = count};
    for (size_t i = 0; i < count; i++) {
        double residual;

        out->lines[i] = line_of(rows, &segments[i], wish->plain);
        fits[i] = measure_fit(rows, &segments[i], &out->lines[i]);
        residual =
            wish->plain ? plain_residual(rows, &segments[i], &out->lines[i]) : fits[i].rms_residual;
        if (!(residual <= wish->residual_limit))
            return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                              "no line describes the times from %.10g to %.10g bytes: the residual "
                              "is %.3g %% (rms), the limit is %.3g %%; measure again on a quiet "
                              "machine, with more sizes there, or raise --residual-pct",
                              fits[i].from_bytes, fits[i].to_bytes, 100 * residual,
                              100 * wish->residual_limit);
        if (i + 1 < count)
            out->lines[i].to_bytes = (uint64_t)rows->sizes[segments[i].last];
    }
    return CCMOD_OK;
}

/* As many lines as the points support. If these exceed the residual limit and their number is free,
 * as many as needed: a prediction needs the times, whatever causes them. The error is that of the
 * first attempt. */
static ccmod_status make_lines(const point_rows *rows, const ccmod_fit_wish *wish,
                               ccmod_calibration *out, ccmod_fit fits[CCMOD_LINES],
                               ccmod_error *error)
{
    stats_segment segments[STATS_FIT_SEGMENTS];
    size_t count = find_segments(rows, wish, segments);
    bool free_number =
        wish->segments == 0 && wish->segments_allowed == 0 && wish->packet_bytes == 0;
    ccmod_status status;

    if (count == 0 || count < wish->segments)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot calibrate with %zu points: each line needs %d different sizes; "
                          "measure more of them, or ask for fewer lines",
                          rows->count, STATS_FIT_POINTS);
    status = draw_lines(rows, segments, count, wish, out, fits, error);
    while (status != CCMOD_OK && free_number && ++count <= STATS_FIT_SEGMENTS) {
        ccmod_error ignored;

        if (stats_fit(rows->bytes, rows->time_us, rows->count, count, true, segments) < count)
            break;
        status = draw_lines(rows, segments, count, wish, out, fits, &ignored);
    }
    return status;
}

ccmod_status ccmod_calibration_fit(const ccmod_point *points, size_t count,
                                   const ccmod_fit_wish *wish, ccmod_calibration *out,
                                   ccmod_fit fits[CCMOD_LINES], ccmod_error *error)
{
    point_rows rows;
    ccmod_status status;

    CCMOD_TRY(check_points(points, count, error));
    CCMOD_TRY(sort_points(points, count, wish, &rows, error));
    status = make_lines(&rows, wish, out, fits, error);
    free_rows(&rows);
    return status;
}

ccmod_status ccmod_calibration_fit_holds(const ccmod_point *points, size_t count,
                                         const ccmod_fit_wish *wish, ccmod_calibration *calibration,
                                         ccmod_fit fits[CCMOD_LINES], ccmod_error *error)
{
    ccmod_calibration fitted;

    CCMOD_TRY(ccmod_calibration_fit(points, count, wish, &fitted, fits, error));
    memcpy(calibration->holds, fitted.lines, sizeof(calibration->holds));
    calibration->hold_count = fitted.line_count;
    return CCMOD_OK;
}
