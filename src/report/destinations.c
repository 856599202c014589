/* Naming the slow destinations of a farm: a figure over all of them hides one. */
#include "report/destinations.h"

#include <stdlib.h>

#include "report/figure.h"
#include "stats/stats.h"

static const double much_slower = 2;

static const json_t *median_of(const json_t *destination)
{
    return json_object_get(json_object_get(destination, "latency_us"), "p50");
}

/* The median over the destinations; 0 where too few have one to compare. */
static double usual_us(const json_t *destinations)
{
    size_t count = json_array_size(destinations), known = 0;
    double *medians = malloc(count * sizeof(*medians) + 1), usual = 0;

    if (medians == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *median = median_of(json_array_get(destinations, i));

        if (json_is_number(median))
            medians[known++] = json_number_value(median);
    }
    if (known > 1)
        usual = stats_summarize(medians, known).median;
    free(medians);
    return usual;
}

void report_write_slow_destinations(FILE *stream, const json_t *destinations)
{
    static const report_phrase phrases[] = {
        {"rank ", "rank", ""},
        {"latency p50 ", "latency_us.p50", " us"},
        {"p99 ", "latency_us.p99", " us"},
        {"in flight ", "in_flight_mean", " in the mean"},
        {"at most ", "in_flight_most", ""},
    };
    double usual = usual_us(destinations);

    for (size_t i = 0; usual > 0 && i < json_array_size(destinations); i++) {
        const json_t *one = json_array_get(destinations, i);
        char text[REPORT_FIGURE_BYTES];

        if (json_number_value(median_of(one)) <= much_slower * usual)
            continue;
        fputs("    slow destination: ", stream);
        report_write_phrases(stream, one, phrases, sizeof(phrases) / sizeof(phrases[0]));
        report_format_real(usual, text);
        fprintf(stream, "; half of all destinations have p50 of %s us or less\n", text);
    }
}
