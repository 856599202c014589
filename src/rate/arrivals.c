/* Parse processes; compute due times. Where no interval is random, a due time is computed from the
 * event number, not summed, so that rounding errors do not accumulate. */
#include "rate/arrivals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

enum { TEXT_BYTES = 64, LENGTH_MOST = 1000000, COUNTED_SINGLY = 1000000 };

static const double smallest_shape = 0.01, largest_shape = 1e6, longest_gap_s = 3600;

const rate_arrivals rate_arrivals_periodic = {.process = FARM_PERIODIC};

/* Parsing */

static cb_status reject_process(const char *text, const char *why)
{
    cb_error("--arrivals '%s': %s; give periodic, poisson, gamma:SHAPE as gamma:0.5, "
             "bursts:LENGTH,GAP as bursts:100,1us, or train:FILE",
             text, why);
    return CB_ERROR_USAGE;
}

static cb_status parse_nothing(const char *text, const char *value, rate_arrivals *out)
{
    (void)out;
    return value[0] == '\0' ? CB_OK : reject_process(text, "this process has no value");
}

static cb_status parse_gamma(const char *text, const char *value, rate_arrivals *out)
{
    char why[CB_WHY_BYTES];

    return cb_parse_real(value, smallest_shape, largest_shape, NULL, &out->shape, why)
               ? CB_OK
               : reject_process(text, why);
}

static cb_status parse_bursts(const char *text, const char *value, rate_arrivals *out)
{
    size_t length = strcspn(value, ",");
    char number[TEXT_BYTES], why[CB_WHY_BYTES];
    double gap_s;

    if (value[length] == '\0')
        return reject_process(text, "the gap between the events of a burst is missing");
    if (length >= sizeof(number))
        return reject_process(text, "the number of events of a burst is too long");
    memcpy(number, value, length);
    number[length] = '\0';
    if (!cb_parse_count(number, 1, LENGTH_MOST, &out->length, why) ||
        !cb_parse_real(value + length + 1, 0, longest_gap_s, "s", &gap_s, why))
        return reject_process(text, why);
    out->gap_ns = gap_s * 1e9;
    return CB_OK;
}

static cb_status parse_train(const char *text, const char *value, rate_arrivals *out)
{
    if (value[0] == '\0')
        return reject_process(text, "the file is missing");
    return rate_train_read(value, &out->train);
}

static const struct {
    const char *name;
    bool valued;
    cb_status (*parse)(const char *text, const char *value, rate_arrivals *out);
} processes[FARM_PROCESSES] = {
    [FARM_PERIODIC] = {"periodic", false, parse_nothing},
    [FARM_POISSON] = {"poisson", false, parse_nothing},
    [FARM_GAMMA] = {"gamma", true, parse_gamma},
    [FARM_BURSTS] = {"bursts", true, parse_bursts},
    [RATE_TRAIN] = {"train", true, parse_train},
};

cb_status rate_arrivals_parse(const char *text, rate_arrivals *out)
{
    size_t length;
    bool valued;

    *out = rate_arrivals_periodic;
    if (text == NULL)
        return CB_OK;
    length = strcspn(text, ":");
    valued = text[length] == ':';
    for (size_t i = 0; i < FARM_PROCESSES; i++) {
        if (strlen(processes[i].name) != length || memcmp(processes[i].name, text, length) != 0)
            continue;
        if (processes[i].valued != valued)
            return reject_process(text,
                                  valued ? "this process has no value" : "its value is missing");
        out->process = (rate_process)i;
        return processes[i].parse(text, text + length + valued, out);
    }
    return reject_process(text, "there is no such process");
}

void rate_arrivals_free(rate_arrivals *arrivals)
{
    rate_train_free(&arrivals->train);
    *arrivals = rate_arrivals_periodic;
}

/* Rates */

/* The length of a slot at which each filled one has an event. */
static double shortest_slot_ns(const rate_train *train, double rate_hz)
{
    return 1e9 / rate_hz * (double)train->count / train->slots;
}

static bool is_drawn_train(const rate_arrivals *arrivals)
{
    return arrivals->process == RATE_TRAIN && arrivals->train.slot_ns > 0;
}

cb_status rate_arrivals_check_rate(const rate_arrivals *arrivals, double rate_hz)
{
    const rate_train *train = &arrivals->train;

    if (arrivals->process == FARM_BURSTS && arrivals->length > 1 &&
        arrivals->gap_ns * rate_hz > 1e9) {
        cb_error("--arrivals: the events of a burst are %g us apart, and those of %g Hz %g us on "
                 "average; use a smaller gap, or a lower rate",
                 arrivals->gap_ns / 1e3, rate_hz, 1e6 / rate_hz);
        return CB_ERROR_USAGE;
    }
    if (is_drawn_train(arrivals) && shortest_slot_ns(train, rate_hz) < train->slot_ns) {
        cb_error("--arrivals: the filled slots of the orbit come at %g Hz, fewer than %g Hz; use a "
                 "lower rate, shorter slots, or a file without the length of a slot, which then "
                 "follows from the rate",
                 rate_hz * shortest_slot_ns(train, rate_hz) / train->slot_ns, rate_hz);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

uint64_t rate_arrivals_period(const rate_arrivals *arrivals)
{
    if (arrivals->process == FARM_BURSTS)
        return arrivals->length;
    return arrivals->process == RATE_TRAIN && !is_drawn_train(arrivals) ? arrivals->train.count : 1;
}

uint64_t rate_arrivals_events(const rate_arrivals *arrivals, uint64_t wanted, uint64_t least)
{
    const uint64_t pair = 2 * rate_arrivals_period(arrivals);
    uint64_t pairs;

    if (wanted < least)
        wanted = least;
    if (pair == 2)
        return wanted;
    pairs = wanted > pair ? (wanted - 1) / pair : 1;
    return (pairs * pair + 1 < least ? pairs + 1 : pairs) * pair + 1;
}

double rate_arrivals_longest_ns(const rate_arrivals *arrivals, double rate_hz)
{
    const double longest_draw = 30, interval_ns = 1e9 / rate_hz;
    const rate_train *train = &arrivals->train;

    switch (arrivals->process) {
    case FARM_POISSON:
        return longest_draw * interval_ns;
    case FARM_GAMMA:
        return longest_draw * interval_ns * fmax(1, 1 / arrivals->shape);
    case FARM_BURSTS:
        return interval_ns * (double)arrivals->length;
    case RATE_TRAIN:
        return longest_draw * interval_ns +
               train->slots * fmax(train->slot_ns, shortest_slot_ns(train, rate_hz));
    case FARM_PERIODIC:
    case FARM_PROCESSES:
        break;
    }
    return interval_ns;
}

/* Due times */

rate_schedule rate_schedule_make(const rate_arrivals *arrivals, double rate_hz, uint64_t seed,
                                 uint64_t start_ns)
{
    rate_schedule made = {.arrivals = arrivals,
                          .interval_ns = 1e9 / rate_hz,
                          .random = cb_random_seed(seed),
                          .start_ns = start_ns};

    if (arrivals->process == FARM_BURSTS)
        made.step_ns = fmin(arrivals->gap_ns, made.interval_ns);
    if (arrivals->process == RATE_TRAIN) {
        double shortest_ns = shortest_slot_ns(&arrivals->train, rate_hz);

        made.step_ns =
            is_drawn_train(arrivals) ? fmin(arrivals->train.slot_ns, shortest_ns) : shortest_ns;
        made.chance = made.step_ns / shortest_ns;
    }
    return made;
}

static uint64_t instant_after(const rate_schedule *schedule, double elapsed_ns)
{
    return schedule->start_ns + (uint64_t)elapsed_ns;
}

static uint64_t periodic_instant(const rate_schedule *schedule, uint64_t number)
{
    return instant_after(schedule, (double)number * schedule->interval_ns);
}

static uint64_t instant_in_burst(const rate_schedule *schedule)
{
    const uint64_t length = schedule->arrivals->length, before = schedule->number - 1;
    const uint64_t place = before % length;

    return instant_after(schedule, (double)(before - place + 1) * schedule->interval_ns +
                                       (double)place * schedule->step_ns);
}

/* Filled slots without an event are skipped; their number has a geometric distribution. */
static uint64_t instant_in_orbit(rate_schedule *schedule)
{
    const rate_train *train = &schedule->arrivals->train;
    uint64_t orbit, slot;

    if (schedule->chance < 1)
        schedule->bunch +=
            (uint64_t)(log1p(-cb_random_unit(&schedule->random)) / log1p(-schedule->chance));
    orbit = schedule->bunch / train->count;
    slot = orbit * train->slots + train->filled[schedule->bunch % train->count];
    schedule->bunch++;
    return instant_after(schedule, schedule->interval_ns + (double)slot * schedule->step_ns);
}

uint64_t rate_schedule_next(rate_schedule *schedule)
{
    schedule->number++;
    switch (schedule->arrivals->process) {
    case FARM_POISSON:
        schedule->elapsed_ns -= log1p(-cb_random_unit(&schedule->random)) * schedule->interval_ns;
        return instant_after(schedule, schedule->elapsed_ns);
    case FARM_GAMMA:
        schedule->elapsed_ns += cb_random_gamma(&schedule->random, schedule->arrivals->shape) /
                                schedule->arrivals->shape * schedule->interval_ns;
        return instant_after(schedule, schedule->elapsed_ns);
    case FARM_BURSTS:
        return instant_in_burst(schedule);
    case RATE_TRAIN:
        return instant_in_orbit(schedule);
    case FARM_PERIODIC:
    case FARM_PROCESSES:
        break;
    }
    return periodic_instant(schedule, schedule->number);
}

/* Times are whole ns, so the last ns counts in full. Rounding can only raise the quotient to the
 * next event, and is corrected below. Valid up to 2^53 ns (104 days). */
static uint64_t due_periodically(const rate_schedule *schedule, uint64_t until_ns)
{
    double elapsed_ns = (double)(until_ns - schedule->start_ns) + 1;
    uint64_t due = (uint64_t)(elapsed_ns / schedule->interval_ns);

    while (due > 0 && periodic_instant(schedule, due) > until_ns)
        due--;
    return due > schedule->number ? due - schedule->number : 0;
}

uint64_t rate_schedule_due(const rate_schedule *schedule, uint64_t until_ns)
{
    rate_schedule ahead = *schedule;
    uint64_t due = 0, instant_ns = 0;

    if (until_ns < schedule->start_ns)
        return 0;
    if (schedule->arrivals->process == FARM_PERIODIC)
        return due_periodically(schedule, until_ns);
    while (due < COUNTED_SINGLY && (instant_ns = rate_schedule_next(&ahead)) <= until_ns)
        due++;
    if (instant_ns <= until_ns && due > 0)
        due += (uint64_t)((double)(until_ns - instant_ns) / schedule->interval_ns);
    return due;
}

uint64_t rate_schedule_overdue(const rate_schedule *schedule, uint64_t made_ns, uint64_t until_ns)
{
    uint64_t due = rate_schedule_due(schedule, until_ns);
    uint64_t together = rate_schedule_due(schedule, made_ns);

    return due > together ? due - together : 0;
}
