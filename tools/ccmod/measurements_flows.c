/* What a result of cb_calibrate tells beside its ping-pong: how fast messages follow each other,
 * what flows take from each other, up to which size a message does not wait for its receive. */
#include "config.h"

#include "tools/ccmod/measurements.h"

#include <math.h>
#include <stdlib.h>

#include "report/reading.h"

enum { VALUES = MEASUREMENTS_HOLDS };

/* Nothing limits what goes without its receive. */
#define ALL_BYTES 0x1p53

typedef struct {
    double values[VALUES];
    size_t count;
} value_list;

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void add(value_list *list, double value)
{
    if (list->count < VALUES && !isnan(value))
        list->values[list->count++] = value;
}

/* NaN of an empty list, which is sorted. */
static double median_of(value_list *list)
{
    size_t count = list->count;

    qsort(list->values, count, sizeof(list->values[0]), by_value);
    return count > 0 ? (list->values[(count - 1) / 2] + list->values[count / 2]) / 2 : (double)NAN;
}

static double point_at(const ccmod_point *points, size_t count, double bytes)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i].bytes >= bytes && points[i].bytes <= bytes)
            return points[i].time_us;
    }
    return (double)NAN;
}

/* Half of the round trip at this very size, or NaN. */
static double quiet_us(const measurements *found, double bytes)
{
    return point_at(found->points, found->count, bytes);
}

static double size_of(const report_reading *reading, size_t row)
{
    return report_reading_number(reading, "results.%zu.size_bytes", row);
}

/* How long a packet keeps the next one waiting. A block of a stream is the first packet's whole
 * time, so long for each other packet, and the last acknowledgement's way; NaN where that cannot be
 * told. */
static double following_us(const report_reading *reading, size_t row, double packets_a_step,
                           const measurements *found)
{
    double steps = report_reading_number(reading, "results.%zu.steps", row);
    double blocks = report_reading_number(reading, "results.%zu.blocks", row);
    double block_us = measurements_median(reading, row, "round_us") * steps / blocks;
    double alone_us = quiet_us(found, size_of(reading, row)) + quiet_us(found, 0);
    double others = packets_a_step * steps / blocks - 1;
    double each_us = (block_us - alone_us) / others;

    return others > 0 && each_us > 0 ? each_us : (double)NAN;
}

static void read_holds(const report_reading *reading, size_t rows, measurements *found)
{
    for (size_t i = 0; i < rows && found->hold_count < MEASUREMENTS_HOLDS; i++) {
        double each_us = following_us(reading, i, 1, found);

        if (measurements_is(reading, i, "mode", "stream") && !isnan(each_us))
            found->holds[found->hold_count++] = (ccmod_point){size_of(reading, i), each_us};
    }
}

/* What most single steps of a stream take is the send alone: the window is rarely full. */
static double find_send(const report_reading *reading, size_t rows)
{
    const double small_bytes = 64;
    value_list list = {.count = 0};

    for (size_t i = 0; i < rows; i++) {
        if (measurements_is(reading, i, "mode", "stream") && size_of(reading, i) <= small_bytes)
            add(&list, report_reading_number(reading, "results.%zu.step_us.p50", i));
    }
    return median_of(&list);
}

/* How much longer each of two takes than one alone. */
typedef double (*row_contention)(const report_reading *reading, size_t row,
                                 const measurements *found, double hold_us);

static double of_two_flows(const report_reading *reading, size_t row, const measurements *found,
                           double hold_us)
{
    return 2 * following_us(reading, row, 2, found) / hold_us;
}

static double of_two_directions(const report_reading *reading, size_t row,
                                const measurements *found, double hold_us)
{
    double both_us = measurements_median(reading, row, "round_us");

    return 1 + (both_us - quiet_us(found, size_of(reading, row))) / hold_us;
}

typedef struct {
    double bytes, contention;
} sized_contention;

static int by_descending_size(const void *left, const void *right)
{
    const sized_contention *a = left, *b = right;

    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* The median over the three largest sizes, where the link takes most of the time: elsewhere it is
 * not the link that is shared. 1 to 2; NaN where it was not measured. */
static double find_contention(const report_reading *reading, size_t rows, const char *mode,
                              row_contention contention, const measurements *found)
{
    enum { LARGEST = 3 };
    sized_contention all[VALUES];
    value_list list = {.count = 0};
    size_t count = 0;

    for (size_t i = 0; i < rows && count < VALUES; i++) {
        double bytes = size_of(reading, i);
        double hold_us = point_at(found->holds, found->hold_count, bytes);
        double found_here = contention(reading, i, found, hold_us);

        if (measurements_is(reading, i, "mode", mode) && !isnan(found_here))
            all[count++] = (sized_contention){bytes, found_here};
    }
    qsort(all, count, sizeof(all[0]), by_descending_size);
    for (size_t i = 0; i < count && i < LARGEST; i++)
        add(&list, all[i].contention);
    return count > 0 ? fmin(fmax(median_of(&list), 1), 2) : (double)NAN;
}

/* The late receive looks when a packet has gone to the third and its answer has come; a packet that
 * has waited for it takes its own time from then on. Half of that tells one from the other. */
static bool has_waited(const report_reading *reading, size_t row, const measurements *found)
{
    double bytes = size_of(reading, row);
    double packet_us = quiet_us(found, bytes), answer_us = quiet_us(found, 0);
    double question_us = fmin(answer_us, point_at(found->holds, found->hold_count, 0));

    return measurements_median(reading, row, "round_us") >
           question_us + packet_us + answer_us + packet_us / 2;
}

static bool tells_waiting(const report_reading *reading, size_t row, const measurements *found)
{
    return measurements_is(reading, row, "mode", "late") &&
           !isnan(measurements_median(reading, row, "round_us")) &&
           !isnan(quiet_us(found, size_of(reading, row)));
}

/* The smallest size that waited, of those above the largest that did not. */
static void find_eager(const report_reading *reading, size_t rows, measurements *found)
{
    double eager_bytes = -1, waiting_bytes = ALL_BYTES, tried_bytes = -1;

    for (size_t i = 0; i < rows; i++) {
        if (!tells_waiting(reading, i, found))
            continue;
        tried_bytes = fmax(tried_bytes, size_of(reading, i));
        if (!has_waited(reading, i, found))
            eager_bytes = fmax(eager_bytes, size_of(reading, i));
    }
    for (size_t i = 0; i < rows; i++) {
        if (tells_waiting(reading, i, found) && size_of(reading, i) > eager_bytes)
            waiting_bytes = fmin(waiting_bytes, size_of(reading, i));
    }
    if (tried_bytes < 0)
        return;
    found->eager_bytes = waiting_bytes;
    found->eager_tried_bytes = tried_bytes;
}

void measurements_read_flows(const report_reading *reading, measurements *found)
{
    size_t rows = report_reading_count(reading, "results");

    read_holds(reading, rows, found);
    found->send_us = find_send(reading, rows);
    found->out_contention = find_contention(reading, rows, "fan-out", of_two_flows, found);
    found->in_contention = find_contention(reading, rows, "fan-in", of_two_flows, found);
    found->duplex_contention = find_contention(reading, rows, "exchange", of_two_directions, found);
    find_eager(reading, rows, found);
}
