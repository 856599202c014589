/* What a result of cb_calibrate tells beside its ping-pong: how fast messages follow each other,
 * what flows take from each other, up to which size a message does not wait for its receive. */
#include "config.h"

#include "tools/ccmod/measurements_flows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ccmod/measurements_rows.h"

/* Nothing limits what goes without its receive. */
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

/* Half of the round trip at this very size; NaN where it was not measured, or is not certain. */
static measured_time quiet_time(const report_reading *reading, double bytes)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        measured_time time = measurements_time(reading, i, "latency_us");
        double size = size_of(reading, i);

        if (size >= bytes && size <= bytes && measurements_is(reading, i, "mode", "pingpong") &&
            measurements_is(reading, i, "occupation", "none") && measurements_certain(time))
            return time;
    }
    return (measured_time){(double)NAN, (double)NAN};
}

/* The way of an acknowledgement, a message of 0 bytes. Where that size was not measured it is what
 * is left of the smallest message without its bytes, at the price between the smallest and the
 * largest. */
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

/* How long a packet keeps the next one waiting. A block of a stream is the first packet's whole
 * time, so long for each other packet, and the last acknowledgement's way; in a block of few
 * packets what is not known of the block is not known of those few. NaN where it cannot be told. */
static measured_time following_time(const report_reading *reading, size_t row,
                                    double packets_a_step, const measurements *found)
{
    double steps = report_reading_number(reading, "results.%zu.steps", row);
    double block_steps = steps / report_reading_number(reading, "results.%zu.blocks", row);
    measured_time round = measurements_time(reading, row, "round_us");
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

        if (!measurements_is(reading, i, "mode", mode) || isnan(time.us))
            continue;
        if (measurements_certain(time))
            keep(out, size_of(reading, i), time.us);
        else
            found->left_out++;
    }
}

/* How much longer an exchange takes than a lone packet. */
static void read_meeting(const report_reading *reading, measurements *found)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        double both_us = measurements_median(reading, i, "round_us");
        double more_us = both_us - quiet_time(reading, size_of(reading, i)).us;

        if (measurements_is(reading, i, "mode", "exchange") && !isnan(more_us))
            keep(&found->meeting, size_of(reading, i), more_us);
    }
}

/* The round of a mode at this very size; NaN where it was not measured, or is not certain. */
static double round_at(const report_reading *reading, const char *mode, double bytes)
{
    size_t rows = report_reading_count(reading, "results");

    for (size_t i = 0; i < rows; i++) {
        double size = size_of(reading, i);

        if (size >= bytes && size <= bytes && measurements_is(reading, i, "mode", mode))
            return measurements_median(reading, i, "round_us");
    }
    return (double)NAN;
}

/* Whether what goes to another host is acknowledged by TCP. */
static bool goes_over_tcp(const report_reading *reading)
{
    const char *technology = report_reading_text(reading, "technology");

    return technology != NULL &&
           (strcmp(technology, "tcp") == 0 || strcmp(technology, "mpi") == 0) &&
           report_reading_count(reading, "environment.hosts") > 1;
}

/* In a ring no packet on the way back carries an acknowledgement, in an exchange each does; all
 * else is alike. The median over all sizes. */
static double find_waiting(const report_reading *reading, size_t rows)
{
    measured_values list = {.count = 0};

    for (size_t i = 0; i < rows && goes_over_tcp(reading); i++) {
        if (measurements_is(reading, i, "mode", "ring"))
            measurements_note(&list, measurements_median(reading, i, "round_us") -
                                         round_at(reading, "exchange", size_of(reading, i)));
    }
    return measurements_middle(&list);
}

/* What most single steps of a stream take is the send alone: the window is rarely full. */
static double find_send(const report_reading *reading, size_t rows)
{
    measured_values list = {.count = 0};

    for (size_t i = 0; i < rows; i++) {
        if (measurements_is(reading, i, "mode", "stream") &&
            size_of(reading, i) <= MEASUREMENTS_SMALL_BYTES)
            measurements_note(&list, report_reading_number(reading, "results.%zu.step_us.p50", i));
    }
    return measurements_middle(&list);
}

/* What flows take from each other */

static int by_descending_size(const void *left, const void *right)
{
    const ccmod_point *a = left, *b = right;

    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static double hold_us(const ccmod_calibration *calibration, double bytes)
{
    return ccmod_default_quiet_delay(calibration, 0, (uint64_t)bytes).transfer_us;
}

/* How much longer each of two takes than one alone: `alone` and, for each hold that a time is,
 * `each`. The median over the three largest sizes, where the link takes most of the time: elsewhere
 * it is not the link that is shared. Beside the fitted hold, since that of a single size may be
 * wrong by much where its blocks were short, or missing. 1 to 2; NaN where it was not measured. */
static double find_contention(const measured_times *times, const ccmod_calibration *calibration,
                              double alone, double each)
{
    enum { LARGEST = 3 };
    measured_times sorted = *times;
    measured_values list = {.count = 0};

    qsort(sorted.points, sorted.count, sizeof(sorted.points[0]), by_descending_size);
    for (size_t i = 0; i < sorted.count && i < LARGEST; i++) {
        const ccmod_point *point = &sorted.points[i];

        measurements_note(&list,
                          alone + each * point->time_us / hold_us(calibration, point->bytes));
    }
    return list.count > 0 ? fmin(fmax(measurements_middle(&list), 1), 2) : (double)NAN;
}

void measurements_find_contentions(measurements *found, const ccmod_calibration *calibration)
{
    if (calibration->hold_count == 0)
        return;
    found->out_contention = find_contention(&found->leaving, calibration, 0, 2);
    found->in_contention = find_contention(&found->coming, calibration, 0, 2);
    found->duplex_contention = find_contention(&found->meeting, calibration, 1, 1);
}

double measurements_acknowledgement(const measurements *found, const ccmod_calibration *calibration)
{
    double frame_us = calibration->hold_count > 0 ? hold_us(calibration, 0) : 0;

    return found->waiting_us >= frame_us / 2 ? fmin(found->waiting_us, frame_us) : 0;
}

/* Up to which size a message does not wait for its receive */

/* NaN without any. */
static double smallest_hold_us(const measured_times *holds)
{
    double least_us = (double)NAN;

    for (size_t i = 0; i < holds->count; i++)
        least_us = fmin(least_us, holds->points[i].time_us);
    return least_us;
}

/* The late receive looks when a packet has gone to the third and its answer has come; a packet that
 * has waited for it takes its own time from then on. Half of that tells one from the other. */
static bool has_waited(const report_reading *reading, size_t row, const measurements *found)
{
    double packet_us = quiet_time(reading, size_of(reading, row)).us;
    double answer_us = answer_time(reading, found).us;
    double question_us = fmin(answer_us, smallest_hold_us(&found->holds));

    return measurements_median(reading, row, "round_us") >
           question_us + packet_us + answer_us + packet_us / 2;
}

static bool tells_waiting(const report_reading *reading, size_t row)
{
    return measurements_is(reading, row, "mode", "late") &&
           !isnan(measurements_median(reading, row, "round_us")) &&
           !isnan(quiet_time(reading, size_of(reading, row)).us);
}

/* The smallest size that waited, of those above the largest that did not. */
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

void measurements_read_flows(const report_reading *reading, measurements *found)
{
    size_t rows = report_reading_count(reading, "results");

    read_following(reading, "stream", 1, found, &found->holds);
    read_following(reading, "fan-out", 2, found, &found->leaving);
    read_following(reading, "fan-in", 2, found, &found->coming);
    read_meeting(reading, found);
    found->send_us = find_send(reading, rows);
    found->waiting_us = find_waiting(reading, rows);
    find_eager(reading, rows, found);
}
