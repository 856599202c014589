/* The types of columns: each turns a field of report_row into a JSON value and names the single
 * values in it, for the forms that have cells. */
#include "report/columns.h"

#include <math.h>

#include "report/steps.h"
#include "report/value.h"

static const void *field(const report_row *row, size_t offset)
{
    return (const char *)row + offset;
}

static json_t *number_value(const report_row *row, size_t offset)
{
    const double *number = field(row, offset);

    return report_value_number(*number);
}

static json_t *text_value(const report_row *row, size_t offset)
{
    const char *const *text = field(row, offset);

    return report_value_text(*text);
}

static json_t *flag_value(const report_row *row, size_t offset)
{
    const bool *flag = field(row, offset);

    return json_boolean(*flag);
}

static json_t *count_value(const report_row *row, size_t offset)
{
    const size_t *count = field(row, offset);

    return *count > 0 ? json_integer((json_int_t)*count) : NULL;
}

/* Sets nothing for NULL, which is how an absent value comes. */
static void set(json_t *object, const char *key, json_t *value)
{
    if (value != NULL)
        json_object_set_new(object, key, value);
}

static json_t *numbers(const double *values, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, report_value_number(values[i]));
    return array;
}

/* Fewer values than STATS_INTERVAL_MINIMUM bound no 95 % interval; their range is min and max. */
static json_t *summary_value(const report_row *row, size_t offset)
{
    const stats_summary *summary = field(row, offset);
    json_t *object;

    if (summary->count == 0)
        return NULL;
    object = json_object();
    set(object, "median", report_value_number(summary->median));
    if (summary->count >= STATS_INTERVAL_MINIMUM)
        set(object, "ci95", numbers((const double[]){summary->ci95_low, summary->ci95_high}, 2));
    set(object, "min", report_value_number(summary->minimum));
    set(object, "max", report_value_number(summary->maximum));
    return object;
}

static json_t *blocks_value(const report_row *row, size_t offset)
{
    const double *const *blocks = field(row, offset);

    return *blocks != NULL && row->block_count > 0 ? numbers(*blocks, row->block_count) : NULL;
}

static json_t *steps_value(const report_row *row, size_t offset)
{
    const stats_histogram *const *steps = field(row, offset);

    return report_steps(*steps, row->step_divisor > 0.0 ? row->step_divisor : 1.0);
}

static json_t *shares_value(const report_row *row, size_t offset)
{
    const double *const *shares = field(row, offset);

    return *shares != NULL && row->share_count > 0 ? numbers(*shares, row->share_count) : NULL;
}

static const char *const side_names[REPORT_SIDES] = {
    [REPORT_SOURCE] = "source",
    [REPORT_DESTINATION] = "destination",
    [REPORT_NODE] = "node",
};

/* An object without members stands for nothing and is not written. */
static json_t *unless_empty(json_t *object)
{
    if (json_object_size(object) > 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *sides_value(const report_row *row, size_t offset)
{
    const double *sides = field(row, offset);
    json_t *object = json_object();

    for (size_t i = 0; i < REPORT_SIDES; i++)
        set(object, side_names[i], report_value_number(sides[i]));
    return unless_empty(object);
}

static json_t *roles_value(const report_row *row, size_t offset)
{
    const report_role *const *roles = field(row, offset);
    json_t *object = json_object();

    for (size_t i = 0; i < row->role_count; i++) {
        json_t *hosts = (*roles)[i].name != NULL ? json_array() : NULL;

        for (size_t host = 0; hosts != NULL && host < row->host_count; host++)
            json_array_append_new(hosts, json_integer((json_int_t)(*roles)[i].ranks[host]));
        if (hosts != NULL)
            set(object, (*roles)[i].name, hosts);
    }
    return unless_empty(object);
}

static json_t *flags_value(const report_row *row, size_t offset)
{
    const bool *sides = field(row, offset);
    json_t *object = json_object();

    for (size_t i = 0; i < REPORT_SIDES; i++)
        set(object, side_names[i], sides[i] ? json_true() : NULL);
    return unless_empty(object);
}

static json_t *wait_value(const report_row *row, size_t offset)
{
    json_t *object;

    (void)offset;
    if (row->wait_requested == NULL && row->wait_effective == NULL)
        return NULL;
    object = json_object();
    set(object, "requested", report_value_text(row->wait_requested));
    set(object, "effective", report_value_text(row->wait_effective));
    return object;
}

static json_t *verify_value(const report_row *row, size_t offset)
{
    const report_verification *found = field(row, offset);

    if (!found->done)
        return NULL;
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "messages", (json_int_t)found->messages, "lost",
                     (json_int_t)found->lost, "doubled", (json_int_t)found->doubled, "reordered",
                     (json_int_t)found->reordered, "corrupted", (json_int_t)found->corrupted);
}

static json_t *datagrams_value(const report_row *row, size_t offset)
{
    const report_datagrams *found = field(row, offset);

    if (!found->done)
        return NULL;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "lost",
                     (json_int_t)found->lost, "late", (json_int_t)found->late, "doubled",
                     (json_int_t)found->doubled, "reordered", (json_int_t)found->reordered,
                     "overrun", (json_int_t)found->overrun, "foreign", (json_int_t)found->foreign,
                     "unsent", (json_int_t)found->unsent, "sent", (json_int_t)found->sent,
                     "received", (json_int_t)found->received);
}

static json_t *answer_value(const report_row *row, size_t offset)
{
    const report_answer *answer = field(row, offset);

    return *answer == REPORT_UNKNOWN ? NULL : json_boolean(*answer == REPORT_YES);
}

static json_t *events_value(const report_row *row, size_t offset)
{
    const stats_histogram *const *latency = field(row, offset);

    return report_steps(*latency, 1.0);
}

static json_t *found_value(const report_row *row, size_t offset)
{
    const report_found *found = field(row, offset);

    if (found->repeats == 0)
        return NULL;
    return json_pack("{s:o, s:[o, o], s:I, s:I}", "value", report_value_number(found->value_Hz),
                     "interval", report_value_number(found->low_Hz),
                     report_value_number(found->high_Hz), "held", (json_int_t)found->held,
                     "repeats", (json_int_t)found->repeats);
}

/* The histograms stay out: one for all is in the row. */
static json_t *destination_value(const report_destination *one)
{
    json_t *object = json_object(), *latency = report_steps(one->latency, 1.0);

    set(object, "rank", report_value_number(one->rank));
    set(object, "decided", report_value_number(one->decided));
    set(object, "lost", report_value_number(one->lost));
    set(object, "in_flight_mean", report_value_number(one->in_flight_mean));
    set(object, "in_flight_most", report_value_number(one->in_flight_most));
    json_object_del(latency, "histogram");
    set(object, "latency_us", latency);
    return object;
}

static json_t *destinations_value(const report_row *row, size_t offset)
{
    const report_destination *const *list = field(row, offset);
    json_t *array;

    if (*list == NULL || row->destination_count == 0)
        return NULL;
    array = json_array();
    for (size_t i = 0; i < row->destination_count; i++)
        json_array_append_new(array, destination_value(&(*list)[i]));
    return array;
}

/* Half the width of the interval in per cent of the median. */
static double interval_pct(const json_t *summary)
{
    const json_t *interval = json_object_get(summary, "ci95");
    double median = json_number_value(json_object_get(summary, "median"));
    double low = json_number_value(json_array_get(interval, 0));
    double high = json_number_value(json_array_get(interval, 1));

    return interval != NULL && median > 0.0 ? 50.0 * (high - low) / median : REPORT_ABSENT;
}

static double least_share(const json_t *shares)
{
    double least = 1.0;

    for (size_t i = 0; i < json_array_size(shares); i++)
        least = fmin(least, json_number_value(json_array_get(shares, i)));
    return least;
}

static double largest_share(const json_t *shares)
{
    double largest = 0.0;

    for (size_t i = 0; i < json_array_size(shares); i++)
        largest = fmax(largest, json_number_value(json_array_get(shares, i)));
    return largest;
}

static double faults(const json_t *verify)
{
    static const char *const kinds[] = {"lost", "doubled", "reordered", "corrupted"};
    double sum = 0.0;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        sum += json_number_value(json_object_get(verify, kinds[i]));
    return sum;
}

/* Of all destinations the one whose median event took longest. */
static double slowest(const json_t *destinations)
{
    double longest = REPORT_ABSENT;

    for (size_t i = 0; i < json_array_size(destinations); i++) {
        const json_t *latency = json_object_get(json_array_get(destinations, i), "latency_us");
        const json_t *median = json_object_get(latency, "p50");

        if (json_is_number(median))
            longest = fmax(isnan(longest) ? 0 : longest, json_number_value(median));
    }
    return longest;
}

static double most_in_flight(const json_t *destinations)
{
    double most = 0.0;

    for (size_t i = 0; i < json_array_size(destinations); i++)
        most = fmax(most, json_number_value(
                              json_object_get(json_array_get(destinations, i), "in_flight_most")));
    return most;
}

static const report_part plain_parts[] = {{.path = "", .name = ""}};

static const report_part summary_parts[] = {
    {.path = "median", .name = "median"},
    {.derive = interval_pct, .face = {"+-", "%", 5, 2, false}},
    {.path = "ci95.0", .name = "ci95_low"},
    {.path = "ci95.1", .name = "ci95_high"},
    {.path = "min", .name = "min"},
    {.path = "max", .name = "max"},
};

static const report_part steps_parts[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99", .face = {"p99", "us", 7, 5, false}},
    {.path = "p99_9", .name = "p99_9", .face = {"p99.9", "us", 7, 20, false}},
    {.path = "max", .name = "max", .face = {"max", "us", 7, 21, false}},
    {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"},
};

static const report_part shares_parts[] = {
    {.derive = least_share, .name = "min"},
    {.derive = largest_share, .name = "max", .face = {"share", "max", 6, 6, false}},
};

static const report_part wait_parts[] = {
    {.path = "requested", .name = "requested"},
    {.path = "effective", .name = "effective", .face = {.head = "in effect"}},
};

static const report_part slowdown_parts[] = {
    {.path = "source", .name = "source", .optional = true},
    {.path = "destination",
     .name = "destination",
     .face = {"slowdown", "dest.", 8, 1, false},
     .optional = true},
    {.path = "node", .name = "node", .face = {"slowdown", "comp.", 8, 1, false}, .optional = true},
};

static const report_part left_parts[] = {
    {.path = "source", .name = "source", .optional = true},
    {.path = "destination",
     .name = "destination",
     .face = {"left, %", "dest.", 7, 4, false},
     .optional = true},
    {.path = "node", .name = "node", .face = {"left, %", "comp.", 7, 4, false}, .optional = true},
};

static const report_part flags_parts[] = {
    {.path = "source", .name = "source"},
    {.path = "destination", .name = "destination"},
    {.path = "node", .name = "node"},
};

static const report_part verify_parts[] = {
    {.path = "messages", .name = "messages"},
    {.derive = faults, .face = {"faulty", "messages", 8, 3, true}},
    {.path = "lost", .name = "lost"},
    {.path = "doubled", .name = "doubled"},
    {.path = "reordered", .name = "reordered"},
    {.path = "corrupted", .name = "corrupted"},
};

static const report_part datagrams_parts[] = {
    {.path = "lost", .name = "lost"},         {.path = "late", .name = "late"},
    {.path = "doubled", .name = "doubled"},   {.path = "reordered", .name = "reordered"},
    {.path = "overrun", .name = "overrun"},   {.path = "foreign", .name = "foreign"},
    {.path = "unsent", .name = "unsent"},     {.path = "sent", .name = "sent"},
    {.path = "received", .name = "received"},
};

static const report_part events_parts[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99", .face = {"latency", "p99 us", 7, 2, false}},
    {.path = "p99_9", .name = "p99_9"},
    {.path = "max", .name = "max", .face = {"latency", "max us", 7, 21, false}},
    {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"},
};

static const report_part found_parts[] = {
    {.path = "value", .name = "value"},
    {.path = "interval.0", .name = "low", .face = {"holds", "Hz", 7, 1, false}},
    {.path = "interval.1", .name = "high", .face = {"fails", "Hz", 7, 1, false}},
    {.path = "held", .name = "held"},
    {.path = "repeats", .name = "repeats"},
};

static const report_part destinations_parts[] = {
    {.derive = slowest, .name = "slowest_p50_us"},
    {.derive = most_in_flight, .name = "in_flight_most"},
};

#define PARTS(array) (array), sizeof(array) / sizeof((array)[0])

static const report_type types[] = {
    [COLUMN_NUMBER] = {number_value, PARTS(plain_parts)},
    [COLUMN_TEXT] = {text_value, PARTS(plain_parts)},
    [COLUMN_FLAG] = {flag_value, PARTS(plain_parts)},
    [COLUMN_COUNT] = {count_value, PARTS(plain_parts)},
    [COLUMN_SUMMARY] = {summary_value, PARTS(summary_parts)},
    [COLUMN_BLOCKS] = {blocks_value, NULL, 0},
    [COLUMN_STEPS] = {steps_value, PARTS(steps_parts)},
    [COLUMN_SHARES] = {shares_value, PARTS(shares_parts)},
    [COLUMN_WAIT] = {wait_value, PARTS(wait_parts)},
    [COLUMN_SLOWDOWNS] = {sides_value, PARTS(slowdown_parts)},
    [COLUMN_LEFT] = {sides_value, PARTS(left_parts)},
    [COLUMN_FLAGS] = {flags_value, PARTS(flags_parts)},
    [COLUMN_VERIFY] = {verify_value, PARTS(verify_parts)},
    [COLUMN_DATAGRAMS] = {datagrams_value, PARTS(datagrams_parts)},
    [COLUMN_ANSWER] = {answer_value, PARTS(plain_parts)},
    [COLUMN_EVENTS] = {events_value, PARTS(events_parts)},
    [COLUMN_FOUND] = {found_value, PARTS(found_parts)},
    [COLUMN_ROLES] = {roles_value, NULL, 0},
    [COLUMN_DESTINATIONS] = {destinations_value, PARTS(destinations_parts)},
};

const report_type *report_type_of(const report_column *column)
{
    return &types[column->type];
}
