/* The distribution of single steps: the percentiles that the number of samples supports, and the
 * histogram over the range that it fills. */
#include "report/steps.h"

#include <stdbool.h>

#include "report/value.h"

/* A percentile stands on the samples beyond it: with fewer it would only repeat a few outliers. */
enum { SAMPLES_BEYOND = 10 };

static const struct {
    const char *key;
    double quantile;
    uint64_t one_in; /* this share of the samples lies beyond it */
} percentiles[] = {
    {"p50", 0.5, 2},
    {"p90", 0.9, 10},
    {"p99", 0.99, 100},
    {"p99_9", 0.999, 1000},
};

static json_t *microseconds(double ns, double divisor)
{
    return report_value_number(ns / 1000.0 / divisor);
}

static void set_percentiles(json_t *object, const stats_histogram *steps, double divisor)
{
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
        double ns = stats_histogram_quantile(steps, percentiles[i].quantile);

        if (steps->samples / percentiles[i].one_in >= SAMPLES_BEYOND)
            json_object_set_new(object, percentiles[i].key, microseconds(ns, divisor));
    }
    json_object_set_new(object, "max", microseconds((double)steps->maximum_ns, divisor));
}

/* From the first cell in use to the last; a run of empty cells between them becomes one. */
static json_t *filled_cells(const stats_histogram *steps, double divisor)
{
    json_t *bounds = json_array(), *counts = json_array();
    size_t first = 0, last = STATS_HISTOGRAM_CELLS - 1, next;

    while (steps->counts[first] == 0)
        first++;
    while (steps->counts[last] == 0)
        last--;
    json_array_append_new(bounds, microseconds((double)stats_histogram_bound(first), divisor));
    for (size_t cell = first; cell <= last; cell = next) {
        next = cell + 1;
        while (steps->counts[cell] == 0 && steps->counts[next] == 0)
            next++;
        json_array_append_new(counts, json_integer((json_int_t)steps->counts[cell]));
        json_array_append_new(bounds, microseconds((double)stats_histogram_bound(next), divisor));
    }
    return json_pack("{s:o, s:o}", "bounds", bounds, "counts", counts);
}

json_t *report_steps(const stats_histogram *steps, double divisor)
{
    json_t *object;

    if (steps == NULL || steps->samples + steps->dropped == 0)
        return NULL;
    object = json_object();
    if (steps->samples > 0)
        set_percentiles(object, steps, divisor);
    json_object_set_new(object, "samples", json_integer((json_int_t)steps->samples));
    json_object_set_new(object, "dropped", json_integer((json_int_t)steps->dropped));
    if (steps->samples > 0)
        json_object_set_new(object, "histogram", filled_cells(steps, divisor));
    return object;
}
