/* Measurements from the result of cb_calibrate or cb_oneway. Its ping-pong is the quiet network:
 * the latency in the document is half of a round trip already. Its stream tells how fast one
 * message can follow the other, the endpoint's own rate, and nothing of the quiet delay. */
#include "config.h"

#include "tools/ccmod/measurements.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/reading.h"
#include "tools/ccmod/measurements_flows.h"
#include "tools/ccmod/measurements_rows.h"
#include "tools/ccmod/tool.h"

static cb_status no_memory(void)
{
    cb_error("cannot keep the measurements: no memory; give fewer");
    return CB_ERROR_MEMORY;
}

/* Results of cb_calibrate and cb_oneway */

static cb_status read_pingpong(const report_reading *reading, size_t row, measurements *out)
{
    double bytes = report_reading_number(reading, "results.%zu.size_bytes", row);
    double latency_us = measurements_median(reading, row, "latency_us");

    if (isnan(bytes) || isnan(latency_us)) {
        out->left_out++;
        return CB_OK;
    }
    return measurements_add(out, bytes, latency_us) ? CB_OK : no_memory();
}

/* The median over the small packets of streams, or NaN. */
static double find_gap(const report_reading *reading, size_t rows)
{
    measured_values gaps_us = {.count = 0};

    for (size_t i = 0; i < rows; i++) {
        double bytes = report_reading_number(reading, "results.%zu.size_bytes", i);
        double time_us = measurements_median(reading, i, "round_us");

        if (measurements_is(reading, i, "mode", "stream") &&
            measurements_is(reading, i, "occupation", "none") &&
            bytes <= MEASUREMENTS_SMALL_BYTES && time_us > 0)
            measurements_note(&gaps_us, time_us);
    }
    return measurements_middle(&gaps_us);
}

/* Whether messages go by Open MPI's own protocol: the setting names it, leaves others out, or is
 * not there. */
static bool is_ob1(const report_reading *reading)
{
    const char *pml = report_reading_text(reading, "environment.mpi_settings.pml");

    return pml == NULL || pml[0] == '\0' || pml[0] == '^' || strcmp(pml, "ob1") == 0;
}

/* Open MPI's, which is a setting of the layer below: shared memory within a host, else TCP. Other
 * libraries and technologies do not tell. */
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

static void describe(const report_reading *reading, const char *path, measurements *out)
{
    snprintf(out->origin, sizeof(out->origin),
             "%.200s: cb_%.40s over %.40s, %.40s, on %.80s, %.80s", path,
             or_unknown(report_reading_text(reading, "benchmark")),
             or_unknown(report_reading_text(reading, "technology")),
             or_unknown(report_reading_text(reading, "started")),
             or_unknown(report_reading_text(reading, "environment.hosts.0.cpu")),
             or_unknown(report_reading_text(reading, "environment.mpi")));
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
        if (measurements_is(reading, i, "mode", "pingpong") &&
            measurements_is(reading, i, "occupation", "none"))
            CB_TRY(read_pingpong(reading, i, out));
    }
    out->gap_us = find_gap(reading, rows);
    out->eager_bytes = find_eager_limit(reading);
    if (is_of(reading, "calibrate"))
        measurements_read_flows(reading, out);
    describe(reading, path, out);
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

/* Either */

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
    rewind(stream);
    return first == '{';
}

static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (!isprint((unsigned char)*text))
            *text = '?';
    }
}

static measurements measurements_nothing(void)
{
    const double unknown = (double)NAN;

    return (measurements){.gap_us = unknown,
                          .eager_bytes = unknown,
                          .send_us = unknown,
                          .waiting_us = unknown,
                          .out_contention = unknown,
                          .in_contention = unknown,
                          .duplex_contention = unknown,
                          .eager_tried_bytes = unknown};
}

cb_status measurements_read(const char *path, bool round_trips, measurements *out)
{
    FILE *stream = fopen(path, "re");
    cb_status status;

    *out = measurements_nothing();
    if (stream == NULL) {
        cb_error("cannot read the measurements '%s': %s; name a file that can be read", path,
                 strerror(errno));
        return CB_ERROR_USAGE;
    }
    if (!begins_with_brace(stream)) {
        status = read_text(stream, path, round_trips, out);
    } else if (round_trips) {
        cb_error("--round-trip is for two columns: the result '%s' has halved its round trips "
                 "already; leave the option away",
                 path);
        status = CB_ERROR_USAGE;
    } else {
        status = read_result(path, out);
    }
    fclose(stream);
    make_printable(out->origin);
    return status;
}
