/* Piecewise least squares for Hockney's line. Dynamic programming finds, for every number of
 * segments, the breaks with the least sum of squared relative residuals. A penalised cost selects
 * the number of segments, and each segment's parameters are then checked. */
#include "stats/fit.h"

#include <math.h>
#include <stdlib.h>

/* Lower bound of the relative uncertainty of a time. Without it, three points on a straight line
 * have no residual, its logarithm is unbounded, any data would be cut into threes, and a slope
 * would have no uncertainty. */
static const double noise_floor = 0.005;

/* A larger residual, as a share of the time, means that no straight line describes the points. */
static const double residual_limit = 0.2;

/* A parameter is significant if it is this many standard errors from zero. */
static const double standard_errors = 2;

/* A smaller overhead, as a share of the mean time, is a rounding error and counts as zero. */
static const double rounding = 1e-10;

/* A point that exceeds the asymptote by more than this factor contradicts it. */
static const double surpassing_limit = 1.2;

typedef struct {
    const double *bytes, *time_us;
    size_t count;
} point_list;

/* Moments of a segment's points about their means, each point weighted by 1/t^2. Updated point by
 * point, since sums of raw squares would cancel for sizes of megabytes. */
typedef struct {
    double weight, mean_bytes, mean_us;
    double bytes_bytes, bytes_us, us_us;
} moments;

/* The table of the dynamic programme: an entry for each number of segments (less one) and each last
 * point. */
typedef struct {
    double *residual; /* least sum of squares of the points up to the last one; infinity if
                         impossible */
    size_t *first;    /* where the last of these segments starts */
    size_t count, limit;
} search_table;

/* A line and its uncertainty. Relative residuals are shares of a point's time. */
typedef struct {
    double overhead_us, slope_us_per_byte;
    double overhead_error_us, slope_error_us_per_byte;
} fitted_line;

static void moments_add(moments *sums, double bytes, double time_us)
{
    double weight = 1 / (time_us * time_us);
    double bytes_step = bytes - sums->mean_bytes, us_step = time_us - sums->mean_us;

    sums->weight += weight;
    sums->mean_bytes += bytes_step * (weight / sums->weight);
    sums->mean_us += us_step * (weight / sums->weight);
    sums->bytes_bytes += weight * bytes_step * (bytes - sums->mean_bytes);
    sums->bytes_us += weight * bytes_step * (time_us - sums->mean_us);
    sums->us_us += weight * us_step * (time_us - sums->mean_us);
}

/* Sum of the squared relative residuals of the best line; infinity if there is none. */
static double moments_residual(const moments *sums)
{
    double residual = sums->us_us - sums->bytes_us * sums->bytes_us / sums->bytes_bytes;

    if (!isfinite(residual))
        return (double)INFINITY;
    return residual > 0 ? residual : 0;
}

static fitted_line line_through(const moments *sums, size_t points)
{
    double variance = moments_residual(sums) / (double)(points - 2);
    double spread = fmax(sqrt(variance), noise_floor);
    fitted_line line;

    line.slope_us_per_byte = sums->bytes_us / sums->bytes_bytes;
    line.overhead_us = sums->mean_us - line.slope_us_per_byte * sums->mean_bytes;
    if (fabs(line.overhead_us) < rounding * sums->mean_us)
        line.overhead_us = 0;
    line.slope_error_us_per_byte = spread / sqrt(sums->bytes_bytes);
    line.overhead_error_us =
        spread * sqrt(1 / sums->weight + sums->mean_bytes * sums->mean_bytes / sums->bytes_bytes);
    return line;
}

/* The reason not to report the line, or NULL. The order matters: later checks rely on the residual
 * or the slope. */
static const char *refusal_of(const fitted_line *line, const stats_segment *segment, double mean_us)
{
    bool overhead_unknown = line->overhead_us > -standard_errors * line->overhead_error_us;
    const struct {
        bool holds;
        const char *text;
    } reasons[] = {
        {segment->rms_residual_us > residual_limit * mean_us ||
             segment->rms_residual_pct > 100 * residual_limit,
         "the residual exceeds a fifth of the time: no straight line describes these points"},
        {line->slope_us_per_byte <= 0,
         "the slope is not positive: the time does not grow with the size, so there is no "
         "asymptotic throughput"},
        {line->slope_us_per_byte <= standard_errors * line->slope_error_us_per_byte,
         "the slope is not significant: the time grows by less than its uncertainty, so the "
         "asymptotic throughput is not known"},
        {line->overhead_us < 0 && overhead_unknown,
         "the overhead is negative, but not significant: these sizes are too large "
         "to show it"},
        {line->overhead_us < 0,
         "the overhead is negative: the time grows faster than in proportion to the size, which no "
         "constant overhead explains"},
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].holds)
            return reasons[i].text;
    return NULL;
}

/* Residuals of the segment's points; returns the mean of their times in us. */
static double measure_residuals(const point_list *points, stats_segment *segment)
{
    double squares = 0, relative_squares = 0, sum_us = 0;
    double count = (double)(segment->last - segment->first + 1);

    for (size_t i = segment->first; i <= segment->last; i++) {
        double residual_us = points->time_us[i] - segment->overhead_us -
                             segment->slope_us_per_byte * points->bytes[i];
        double share = residual_us / points->time_us[i];

        squares += residual_us * residual_us;
        relative_squares += share * share;
        sum_us += points->time_us[i];
    }
    segment->rms_residual_us = sqrt(squares / count);
    segment->rms_residual_pct = 100 * sqrt(relative_squares / count);
    return sum_us / count;
}

static stats_segment segment_of(const point_list *points, size_t first, size_t last)
{
    stats_segment segment = {.first = first,
                             .last = last,
                             .from_bytes = points->bytes[first],
                             .to_bytes = points->bytes[last]};
    moments sums = {0};
    fitted_line line;
    double mean_us;

    for (size_t i = first; i <= last; i++)
        moments_add(&sums, points->bytes[i], points->time_us[i]);
    line = line_through(&sums, last - first + 1);
    segment.overhead_us = line.overhead_us;
    segment.slope_us_per_byte = line.slope_us_per_byte;
    if (line.slope_us_per_byte > 0) {
        segment.r_inf_MBps = 1 / line.slope_us_per_byte; /* bytes per us are MB/s */
        segment.n_half_bytes = line.overhead_us / line.slope_us_per_byte;
    }
    mean_us = measure_residuals(points, &segment);
    segment.refusal = refusal_of(&line, &segment, mean_us);
    return segment;
}

static bool points_are_usable(const point_list *points)
{
    for (size_t i = 0; i < points->count; i++) {
        if (!isfinite(points->bytes[i]) || !isfinite(points->time_us[i]))
            return false;
        if (points->bytes[i] < 0 || points->time_us[i] <= 0)
            return false;
        if (i > 0 && points->bytes[i] < points->bytes[i - 1])
            return false;
    }
    return points->count >= STATS_FIT_POINTS;
}

static bool size_starts_at(const point_list *points, size_t index)
{
    return index == 0 || index == points->count || points->bytes[index] != points->bytes[index - 1];
}

/* Least residual of the points before `first` in `segments` segments. */
static double residual_before(const search_table *table, size_t segments, size_t first)
{
    if (first == 0 || segments == 0)
        return first == 0 && segments == 0 ? 0 : (double)INFINITY;
    return table->residual[(segments - 1) * table->count + first - 1];
}

/* Fill the table's entries for one last point: try all segments that end there, growing backwards,
 * after every number of earlier segments. */
static void search_ending_at(const point_list *points, size_t last, search_table *table)
{
    moments sums = {0};
    size_t sizes = 0;

    for (size_t first = last + 1; first-- > 0;) {
        double residual;

        moments_add(&sums, points->bytes[first], points->time_us[first]);
        if (!size_starts_at(points, first) || ++sizes < STATS_FIT_POINTS)
            continue;
        residual = moments_residual(&sums);
        for (size_t before = 0; before < table->limit; before++) {
            double sum = residual_before(table, before, first) + residual;
            size_t entry = before * table->count + last;

            if (sum < table->residual[entry]) {
                table->residual[entry] = sum;
                table->first[entry] = first;
            }
        }
    }
}

/* The penalised cost of k segments over n points,
 *
 *     (n - 2k) ln(s^2) + (3k - 1) ln(n),   s^2 = residual / (n - 2k) + noise_floor^2.
 *
 * It is BIC with 2k line parameters and k - 1 breaks, except that the logarithm of the variance
 * counts once per residual degree of freedom instead of once per point. BIC proper assumes many
 * points and changes of the size of the noise: with 8 to 22 points of one line and 2 % noise or
 * more it splits a fifth to a half of all data sets. Here a line also costs 2 ln(1/s^2), which
 * expects a change of protocol to alter the time by a share of itself, not by a share of its noise.
 */
static double penalised_cost(double residual, size_t count, size_t segments)
{
    double freedom = (double)count - 2 * (double)segments;
    double variance = residual / freedom + noise_floor * noise_floor;

    return freedom * log(variance) + (3 * (double)segments - 1) * log((double)count);
}

/* Number of segments to use; 0 if not even one is possible. */
static size_t choose_segments(const search_table *table, bool fixed)
{
    double best = (double)INFINITY;
    size_t chosen = 0;

    for (size_t segments = 1; segments <= table->limit; segments++) {
        double residual = table->residual[segments * table->count - 1];
        double cost;

        if (!isfinite(residual))
            continue;
        cost = penalised_cost(residual, table->count, segments);
        if (fixed || cost < best) {
            best = cost;
            chosen = segments;
        }
    }
    return chosen;
}

size_t stats_fit(const double *bytes, const double *time_us, size_t count, size_t limit, bool fixed,
                 stats_segment *segments)
{
    point_list points = {bytes, time_us, count};
    search_table table = {.count = count};
    size_t chosen = 0;

    table.limit = limit > STATS_FIT_SEGMENTS ? STATS_FIT_SEGMENTS : limit;
    if (table.limit == 0 || !points_are_usable(&points))
        return 0;
    table.residual = calloc(count, table.limit * sizeof(*table.residual));
    table.first = calloc(count, table.limit * sizeof(*table.first));
    if (table.residual == NULL || table.first == NULL)
        goto free_table;
    for (size_t i = 0; i < count * table.limit; i++)
        table.residual[i] = (double)INFINITY;
    for (size_t last = 0; last < count; last++)
        if (size_starts_at(&points, last + 1))
            search_ending_at(&points, last, &table);
    chosen = choose_segments(&table, fixed);
    for (size_t i = chosen, last = count - 1; i-- > 0;) {
        size_t first = table.first[i * count + last];

        segments[i] = segment_of(&points, first, last);
        last = first - 1;
    }

free_table:
    free(table.residual);
    free(table.first);
    return chosen;
}

/* A line for each part, the specific performance and the highest observed rate, which also exposes
 * a line that promises more than was observed. */
static stats_parkbench describe_part(const double *bytes, const double *time_us, size_t count)
{
    stats_parkbench part = {
        .pi0_Hz = (double)NAN, .maximum_MBps = (double)NAN, .maximum_bytes = (double)NAN};
    size_t sizes = 0;

    for (size_t i = 0; i < count; i++) {
        double rate_MBps = bytes[i] / time_us[i]; /* bytes per us are MB/s */

        sizes += i == 0 || bytes[i] != bytes[i - 1];
        if (isfinite(rate_MBps) && rate_MBps > 0 && !(rate_MBps <= part.maximum_MBps)) {
            part.maximum_MBps = rate_MBps;
            part.maximum_bytes = bytes[i];
        }
    }
    if (stats_fit(bytes, time_us, count, 1, true, &part.line) == 0)
        part.line = (stats_segment){
            .last = count - 1,
            .from_bytes = bytes[0],
            .to_bytes = bytes[count - 1],
            .refusal = sizes < STATS_FIT_POINTS
                           ? "fewer than three sizes define no line: measure more of them, on each "
                             "side of a breakpoint"
                           : "a time or a size is not a number that a line can be fitted to",
        };
    if (part.line.refusal == NULL && part.maximum_MBps > surpassing_limit * part.line.r_inf_MBps)
        part.line.refusal = "a size was more than a fifth faster than r_inf, which no size can "
                            "exceed: these sizes have no common asymptote";
    if (part.line.refusal == NULL && part.line.overhead_us > 0)
        part.pi0_Hz = 1e6 / part.line.overhead_us;
    return part;
}

size_t stats_parkbench_fit(const double *bytes, const double *time_us, size_t count,
                           double breakpoint_bytes, stats_parkbench *parts)
{
    size_t below = 0, written = 0;

    while (below < count && bytes[below] < breakpoint_bytes)
        below++;
    if (below > 0)
        parts[written++] = describe_part(bytes, time_us, below);
    if (below < count) {
        parts[written] = describe_part(bytes + below, time_us + below, count - below);
        parts[written].line.first += below;
        parts[written++].line.last += below;
    }
    return written;
}
