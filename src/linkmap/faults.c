/* Medians of pairs, median polish, outliers of hosts and pairs, and stalls. */
#include "linkmap/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "linkmap/rounds.h"
#include "stats/stats.h"

enum { POLISH_ROUNDS = 12, HOSTS_LEAST = 4, CYCLES_TO_SPLIT = 4, STALLS_LEAST = 3 };

/* A deviation is an outlier above this number of standard deviations, which are estimated by the
 * median absolute deviation (MAD). */
static const double host_deviations = 5, pair_deviations = 6, mad_to_deviation = 1.4826;

/* Least standard deviation of effects: a difference of 1 % is not the network's. */
static const double least_deviation = 0.01;

/* A long stall is more than one usual retransmission timeout (0.2 s), or the loss of most packets.
 * A link that is down makes mostly these. */
static const double long_stall_s = 0.4, long_loss = 0.5, long_share = 0.4;

/* Probability that any host of a faultless map is called unsteady. */
static const double false_alarm = 1e-3;

const char *map_kind_name(map_kind kind)
{
    static const char *const names[] = {"slow", "lossy", "flapping", "lost"};

    return names[kind];
}

const char *map_direction_name(map_direction direction)
{
    static const char *const names[] = {"out", "in", "both"};

    return names[direction];
}

/* Median of the values that are finite; NaN if there is none. Reorders them. */
static double median_of(double *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    qsort(values, kept, sizeof(*values), cb_ascending_reals);
    return stats_quantile(values, kept, 0.5);
}

/* Standard deviation from the MAD about the median, which *middle gets. `room` has `count`. */
static double deviation_of(const double *values, size_t count, double *room, double *middle)
{
    memcpy(room, values, count * sizeof(*room));
    *middle = median_of(room, count);
    for (size_t i = 0; i < count; i++)
        room[i] = fabs(values[i] - *middle);
    return mad_to_deviation * median_of(room, count);
}

/* Median polish */

/* Move the median of each row (or column) of the residuals into its effect. */
static void sweep(double *residuals, size_t hosts, size_t step, size_t next, double *effects,
                  double *room)
{
    for (size_t line = 0; line < hosts; line++) {
        double *first = residuals + line * next, middle;

        for (size_t i = 0; i < hosts; i++)
            room[i] = first[i * step];
        middle = median_of(room, hosts);
        if (!isfinite(middle))
            continue;
        effects[line] += middle;
        for (size_t i = 0; i < hosts; i++)
            first[i * step] -= middle;
    }
}

static void centre(double *effects, size_t hosts, double *overall, double *room)
{
    double middle;

    memcpy(room, effects, hosts * sizeof(*room));
    middle = median_of(room, hosts);
    if (!isfinite(middle))
        return;
    *overall += middle;
    for (size_t i = 0; i < hosts; i++)
        effects[i] -= middle;
}

cb_status map_decompose(const double *values, size_t hosts, map_polish *polish)
{
    double *room = cb_allocate(hosts, sizeof(*room), "the decomposition of a map");

    *polish = (map_polish){
        .out = cb_allocate(hosts, sizeof(double), "the decomposition of a map"),
        .in = cb_allocate(hosts, sizeof(double), "the decomposition of a map"),
        .residuals = cb_allocate(hosts * hosts, sizeof(double), "the decomposition of a map")};
    if (room == NULL || polish->out == NULL || polish->in == NULL || polish->residuals == NULL) {
        free(room);
        map_polish_free(polish);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < hosts * hosts; i++)
        polish->residuals[i] = values[i] > 0 ? log(values[i]) : (double)NAN;
    for (size_t round = 0; round < POLISH_ROUNDS; round++) {
        sweep(polish->residuals, hosts, 1, hosts, polish->out, room);
        sweep(polish->residuals, hosts, hosts, 1, polish->in, room);
        centre(polish->out, hosts, &polish->overall, room);
        centre(polish->in, hosts, &polish->overall, room);
    }
    free(room);
    return CB_OK;
}

void map_polish_free(map_polish *polish)
{
    free(polish->out);
    free(polish->in);
    free(polish->residuals);
    *polish = (map_polish){0};
}

/* Figures of pairs */

/* Medians of a quantity over every `stride`-th cycle from `first` on. */
static void pair_medians(const map_samples *samples, map_quantity quantity, size_t first,
                         size_t stride, double *room, double *medians)
{
    const size_t hosts = samples->hosts;

    for (size_t from = 0; from < hosts; from++)
        for (size_t to = 0; to < hosts; to++) {
            size_t count = 0;

            for (size_t cycle = first; cycle < samples->cycles; cycle += stride)
                room[count++] = (double)map_sample(samples, cycle, from, to)[quantity];
            medians[from * hosts + to] = median_of(room, count);
        }
}

static void pair_spreads(const map_samples *samples, map_figures *figures, double *room)
{
    const size_t hosts = samples->hosts;

    for (size_t from = 0; from < hosts; from++)
        for (size_t to = 0; to < hosts; to++) {
            const size_t pair = from * hosts + to;
            double longest = (double)NAN;
            size_t count = 0;

            for (size_t cycle = 0; cycle < samples->cycles; cycle++) {
                const double time = (double)map_sample(samples, cycle, from, to)[MAP_ONE_WAY];

                longest = isfinite(time) ? fmax(longest, time) : longest;
                room[cycle] = fabs(log(time / figures->median[MAP_ONE_WAY][pair]));
                count += isfinite(time);
            }
            figures->longest_s[pair] = longest;
            figures->spread[pair] = median_of(room, samples->cycles);
            figures->samples[pair] = (double)count;
        }
}

/* Divide each value by the median of those of equal distance. */
static cb_status level_distances(const map_samples *samples, const double *values, double *levelled)
{
    const size_t pairs = samples->hosts * samples->hosts;
    double *room;

    memcpy(levelled, values, pairs * sizeof(*levelled));
    if (samples->distances == NULL)
        return CB_OK;
    room = cb_allocate(pairs, sizeof(*room), "the distances of hosts");
    if (room == NULL)
        return CB_ERROR_MEMORY;
    for (int distance = 0;; distance++) {
        size_t count = 0, further = 0;
        double middle;

        for (size_t pair = 0; pair < pairs; pair++) {
            further += samples->distances[pair] > distance;
            if (samples->distances[pair] == distance)
                room[count++] = values[pair];
        }
        middle = median_of(room, count);
        for (size_t pair = 0; pair < pairs && isfinite(middle); pair++)
            if (samples->distances[pair] == distance)
                levelled[pair] /= middle;
        if (further == 0)
            break;
    }
    free(room);
    return CB_OK;
}

/* Slow hosts and pairs */

/* What the search shares. */
typedef struct {
    const map_samples *samples;
    map_figures *figures;
    map_fault *faults;
    size_t *count;
    double *room; /* hosts * hosts or cycles, whichever is more */
} fault_search;

/* Whether a fault of all links of the host explains delays in a direction. Stalls explain both. */
static bool is_named(const fault_search *search, int host, map_direction direction)
{
    for (size_t i = 0; i < *search->count; i++) {
        const map_fault *known = &search->faults[i];

        if (known->host == host && known->peer == MAP_NOWHERE &&
            (known->kind != MAP_SLOW || known->direction == direction ||
             known->direction == MAP_BOTH_DIRECTIONS || direction == MAP_BOTH_DIRECTIONS))
            return true;
    }
    return false;
}

static void name_fault(fault_search *search, map_fault found)
{
    if (*search->count < MAP_FAULTS_MOST)
        search->faults[(*search->count)++] = found;
}

/* The decompositions of all cycles and of the even and the odd ones. */
typedef struct {
    map_polish all, halves[2];
    size_t half_count; /* 0: too few cycles */
} split_polish;

static cb_status decompose_split(const fault_search *search, map_quantity quantity,
                                 split_polish *out)
{
    const map_samples *samples = search->samples;
    const size_t pairs = samples->hosts * samples->hosts;
    double *medians = cb_allocate(2 * pairs, sizeof(*medians), "the medians of pairs");
    cb_status status = medians != NULL ? CB_OK : CB_ERROR_MEMORY;

    *out = (split_polish){.half_count = samples->cycles >= CYCLES_TO_SPLIT ? 2 : 0};
    if (status == CB_OK)
        status = level_distances(samples, search->figures->median[quantity], medians + pairs);
    if (status == CB_OK)
        status = map_decompose(medians + pairs, samples->hosts, &out->all);
    for (size_t half = 0; half < out->half_count && status == CB_OK; half++) {
        pair_medians(samples, quantity, half, 2, search->room, medians);
        status = level_distances(samples, medians, medians + pairs);
        if (status == CB_OK)
            status = map_decompose(medians + pairs, samples->hosts, &out->halves[half]);
    }
    free(medians);
    return status;
}

static void split_free(split_polish *split)
{
    map_polish_free(&split->all);
    map_polish_free(&split->halves[0]);
    map_polish_free(&split->halves[1]);
}

static bool is_confirmed(const split_polish *split, size_t offset, size_t place, double least)
{
    for (size_t half = 0; half < split->half_count; half++) {
        double *const *values =
            (double *const *)(const void *)((const char *)&split->halves[half] + offset);

        if (!((*values)[place] > least))
            return false;
    }
    return true;
}

/* Hosts that are slow in one direction or both. Latencies have no direction. */
static void find_slow_hosts(fault_search *search, map_quantity quantity, const split_polish *split)
{
    const size_t hosts = search->samples->hosts;
    const double least = log(search->samples->factor);
    double middle,
        residual = deviation_of(split->all.residuals, hosts * hosts, search->room, &middle);
    const struct {
        const double *effects;
        size_t offset;
    } sides[] = {{split->all.out, offsetof(map_polish, out)},
                 {split->all.in, offsetof(map_polish, in)}};
    double limits[2];

    for (size_t side = 0; side < 2; side++) {
        double deviation = deviation_of(sides[side].effects, hosts, search->room, &middle);

        deviation = fmax(deviation, residual / sqrt((double)hosts));
        limits[side] = fmax(least, host_deviations * fmax(deviation, least_deviation));
    }
    for (size_t host = 0; host < hosts; host++) {
        bool slow[2];

        for (size_t side = 0; side < 2; side++)
            slow[side] = sides[side].effects[host] > limits[side] &&
                         is_confirmed(split, sides[side].offset, host, least);
        for (size_t side = 0; side < 2; side++) {
            const map_direction direction = slow[0] && slow[1] ? MAP_BOTH_DIRECTIONS
                                            : side == 0        ? MAP_OUT
                                                               : MAP_IN;
            const double effect = slow[0] && slow[1]
                                      ? fmax(sides[0].effects[host], sides[1].effects[host])
                                      : sides[side].effects[host];

            if (slow[side] && !is_named(search, (int)host, direction))
                name_fault(search, (map_fault){.kind = MAP_SLOW,
                                               .direction = direction,
                                               .host = (int)host,
                                               .peer = MAP_NOWHERE,
                                               .quantity = quantity,
                                               .factor = exp(effect)});
        }
    }
}

static bool has_pair(const fault_search *search, size_t from, size_t to)
{
    for (size_t i = 0; i < *search->count; i++)
        if (search->faults[i].host == (int)from && search->faults[i].peer == (int)to)
            return true;
    return false;
}

/* Number of samples of a pair that took more than `factor` times what the effects of its hosts
 * say; *count of all. */
static size_t slow_samples(const fault_search *search, map_quantity quantity, size_t pair,
                           double residual, size_t *count)
{
    const map_samples *samples = search->samples;
    const double expected_s = search->figures->median[quantity][pair] / exp(residual);
    size_t slow = 0;

    *count = 0;
    for (size_t cycle = 0; cycle < samples->cycles; cycle++) {
        const double time_s = (double)map_sample(samples, cycle, pair / samples->hosts,
                                                 pair % samples->hosts)[quantity];

        *count += isfinite(time_s);
        slow += time_s > samples->factor * expected_s;
    }
    return slow;
}

/* Probability of at least `least` successes of `count`. */
static double binomial_tail(size_t count, size_t least, double p)
{
    double tail = 0;

    for (size_t k = least; k <= count; k++)
        tail += exp(lgamma((double)count + 1) - lgamma((double)k + 1) -
                    lgamma((double)(count - k) + 1) + (double)k * log(p) +
                    (double)(count - k) * log1p(-p));
    return tail;
}

/* Single pairs that are slower than their hosts are with others: in the median, and in more samples
 * than chance explains, given how often samples of all pairs are slow. */
static void find_slow_pairs(fault_search *search, map_quantity quantity, const split_polish *split)
{
    const size_t hosts = search->samples->hosts, pairs = hosts * hosts;
    const double *residuals = split->all.residuals;
    double middle, limit = deviation_of(residuals, pairs, search->room, &middle), p;
    size_t slow_of_all = 0, all = 0, count;

    limit = fmax(log(search->samples->factor), pair_deviations * fmax(limit, least_deviation));
    for (size_t pair = 0; pair < pairs; pair++)
        if (isfinite(residuals[pair])) {
            slow_of_all += slow_samples(search, quantity, pair, residuals[pair], &count);
            all += count;
        }
    p = fmin(0.5, ((double)slow_of_all + 1) / ((double)all + 1));
    for (size_t pair = 0; pair < pairs; pair++) {
        const size_t from = pair / hosts, to = pair % hosts, back = to * hosts + from;
        size_t slow;

        if (!(residuals[pair] > limit) || is_named(search, (int)from, MAP_OUT) ||
            is_named(search, (int)to, MAP_IN) || has_pair(search, from, to) ||
            has_pair(search, to, from))
            continue;
        slow = slow_samples(search, quantity, pair, residuals[pair], &count);
        if (binomial_tail(count, slow, p) < false_alarm / (double)pairs)
            name_fault(
                search,
                (map_fault){.kind = MAP_SLOW,
                            .direction = residuals[back] > limit ? MAP_BOTH_DIRECTIONS : MAP_OUT,
                            .host = (int)from,
                            .peer = (int)to,
                            .quantity = quantity,
                            .factor = exp(residuals[pair])});
    }
}

/* The decomposition of a quantity, of hosts (or of pairs that no named host explains). */
static cb_status find_slow(fault_search *search, map_quantity quantity, bool pairs)
{
    split_polish split;
    cb_status status = decompose_split(search, quantity, &split);

    if (status == CB_OK && pairs)
        find_slow_pairs(search, quantity, &split);
    else if (status == CB_OK)
        find_slow_hosts(search, quantity, &split);
    split_free(&split);
    return status;
}

/* Stalls */

/* Stalls of a pair, `from` < `to`. */
typedef struct {
    unsigned events, long_events;
    unsigned out, in; /* that delayed messages to `to`, and from it */
} pair_stalls;

/* Time that passed while a value was sampled / value. */
static const double sampled_times[] = {
    [MAP_WAKE] = 2, [MAP_LATENCY] = 2 * MAP_ROUND_TRIPS, [MAP_ONE_WAY] = 1, [MAP_BOTH_WAYS] = 1};

/* The samples of a pair in a cycle, both directions. */
typedef struct {
    double taken_s, usual_s; /* in all */
    double longest_s;        /* delay of one sample that took at least twice its usual time */
    double out_s, in_s;      /* delays of packets in a direction */
    double loss;
} event_times;

/* What has slowed down all pairs by this factor delays none. */
static event_times event_of(const fault_search *search, size_t cycle, size_t from, size_t to,
                            double slowdown)
{
    const size_t hosts = search->samples->hosts;
    event_times event = {.loss = 0};

    for (size_t way = 0; way < 2; way++) {
        const size_t a = way == 0 ? from : to, b = way == 0 ? to : from;
        const float *sample = map_sample(search->samples, cycle, a, b);
        double over_s = 0;

        for (map_quantity quantity = MAP_WAKE; quantity <= MAP_BOTH_WAYS; quantity++) {
            const double usual_s =
                sampled_times[quantity] * search->figures->median[quantity][a * hosts + b];
            const double taken_s = sampled_times[quantity] * (double)sample[quantity];

            if (!isfinite(taken_s) || !isfinite(usual_s))
                continue;
            event.taken_s += taken_s;
            event.usual_s += usual_s;
            if (taken_s > 2 * slowdown * usual_s)
                event.longest_s = fmax(event.longest_s, taken_s - slowdown * usual_s);
            if (quantity >= MAP_ONE_WAY)
                over_s += taken_s - usual_s;
        }
        if (isfinite((double)sample[MAP_LOSS]))
            event.loss = fmax(event.loss, (double)sample[MAP_LOSS]);
        *(way == 0 ? &event.out_s : &event.in_s) = over_s;
    }
    return event;
}

/* What delays most pairs of a round delays the machine: not below 1. */
static double round_slowdown(const fault_search *search, size_t cycle, size_t round)
{
    const size_t hosts = search->samples->hosts;
    size_t count = 0;
    double middle;

    for (size_t from = 0; from < hosts; from++) {
        const size_t to = rounds_partner(hosts, round, from);
        event_times event;

        if (to <= from)
            continue;
        event = event_of(search, cycle, from, to, 1);
        search->room[count++] = event.usual_s > 0 ? event.taken_s / event.usual_s : (double)NAN;
    }
    middle = median_of(search->room, count);
    return isfinite(middle) ? fmax(1, middle) : 1;
}

/* Stalls of all pairs; `stalls` is by hosts * from + to with from < to. */
static void count_stalls(const fault_search *search, pair_stalls *stalls)
{
    const size_t hosts = search->samples->hosts;
    const double least_s = search->samples->stall_s;

    for (size_t cycle = 0; cycle < search->samples->cycles; cycle++)
        for (size_t round = 0; round < rounds_count(hosts); round++) {
            const double slowdown = round_slowdown(search, cycle, round);

            for (size_t from = 0; from < hosts; from++) {
                const size_t to = rounds_partner(hosts, round, from);
                pair_stalls *pair = &stalls[from * hosts + to];
                event_times event;

                if (to <= from)
                    continue;
                event = event_of(search, cycle, from, to, slowdown);
                if (event.longest_s < least_s && event.loss == 0)
                    continue;
                pair->events++;
                pair->long_events += event.longest_s >= long_stall_s || event.loss >= long_loss;
                pair->out += event.out_s >= least_s / 2;
                pair->in += event.in_s >= least_s / 2;
            }
        }
}

/* Probability that a Poisson variable with this mean is at least `count`. */
static double poisson_tail(double mean, double count)
{
    double term = exp(-mean), below = 0;

    for (double k = 0; k < count - 0.5; k++) {
        below += term;
        term *= mean / (k + 1);
    }
    return fmax(0, 1 - below);
}

/* Whether `count` events are too many where the others have these counts (n of them): a Poisson
 * test whose variance is that of the others, if it is larger. */
static bool is_excessive(double *others, size_t n, double count, double tests)
{
    double sum = 0, squares = 0, mean, dispersion;
    const size_t kept = n - (n + 5) / 10; /* without the largest tenth, which may be faulty too */

    qsort(others, n, sizeof(*others), cb_ascending_reals);
    for (size_t i = 0; i < kept; i++) {
        sum += others[i];
        squares += others[i] * others[i];
    }
    mean = sum / (double)kept;
    dispersion = mean > 0 ? (squares / (double)kept - mean * mean) / mean : 1;
    mean = fmax(mean, 1 / (double)n);
    dispersion = fmax(1, dispersion);
    return count >= STALLS_LEAST && count > 3 * mean &&
           poisson_tail(mean / dispersion, count / dispersion) < false_alarm / tests;
}

static const pair_stalls *stalls_between(const pair_stalls *stalls, size_t hosts, size_t one,
                                         size_t other)
{
    return one < other ? &stalls[one * hosts + other] : &stalls[other * hosts + one];
}

/* Name a host, with the stalls of all its pairs, or a pair. `usual` is the number of stalls of the
 * others. */
static void name_unsteady(fault_search *search, const pair_stalls *stalls, size_t host, int peer,
                          double usual)
{
    const size_t hosts = search->samples->hosts;
    size_t events = 0, long_events = 0, out = 0, in = 0, samples = 0;

    for (size_t other = 0; other < hosts; other++) {
        const pair_stalls *pair = stalls_between(stalls, hosts, host, other);

        if (other == host || (peer != MAP_NOWHERE && other != (size_t)peer))
            continue;
        events += pair->events;
        long_events += pair->long_events;
        out += host < other ? pair->out : pair->in;
        in += host < other ? pair->in : pair->out;
        samples += (size_t)search->figures->samples[host * hosts + other];
    }
    name_fault(search,
               (map_fault){.kind = long_events >= 2 && (double)long_events >=
                                                           long_share * ((double)events - usual)
                                       ? MAP_FLAPPING
                                       : MAP_LOSSY,
                           .direction = out > 4 * in + 1   ? MAP_OUT
                                        : in > 4 * out + 1 ? MAP_IN
                                                           : MAP_BOTH_DIRECTIONS,
                           .host = (int)host,
                           .peer = peer,
                           .stalls = events,
                           .samples = samples});
}

static void forget_host(pair_stalls *stalls, size_t hosts, size_t host)
{
    for (size_t other = 0; other < hosts; other++) {
        stalls[host * hosts + other] = (pair_stalls){0};
        stalls[other * hosts + host] = (pair_stalls){0};
    }
}

static unsigned stalls_of(const pair_stalls *pair, bool of_long)
{
    return of_long ? pair->long_events : pair->events;
}

/* Count the stalls of each host; returns the host with most. */
static size_t count_by_host(const pair_stalls *stalls, size_t hosts, bool of_long, double *counts)
{
    size_t worst = 0;

    for (size_t host = 0; host < hosts; host++) {
        counts[host] = 0;
        for (size_t other = 0; other < hosts; other++)
            if (other != host)
                counts[host] += stalls_of(stalls_between(stalls, hosts, host, other), of_long);
        if (counts[host] > counts[worst])
            worst = host;
    }
    return worst;
}

/* The worst host, again and again: its stalls are then taken away from its peers. `left` is what
 * is not explained yet. Long stalls alone show a host that is down from time to time on a machine
 * with many short ones. */
static void find_unsteady_hosts(fault_search *search, const pair_stalls *stalls, bool of_long,
                                pair_stalls *left, double *counts)
{
    const size_t hosts = search->samples->hosts;

    for (size_t turn = 0; turn < hosts; turn++) {
        const size_t worst = count_by_host(left, hosts, of_long, counts);
        const double most = counts[worst];
        double usual;
        size_t peers = 0;

        /* What the worst host has with the others is not theirs. */
        for (size_t other = 0; other < hosts; other++) {
            const unsigned shared = stalls_of(stalls_between(left, hosts, worst, other), of_long);

            peers += other != worst && shared > 0;
            counts[other] -= other != worst ? shared : 0;
        }
        counts[worst] = counts[hosts - 1];
        if (peers < STALLS_LEAST || !is_excessive(counts, hosts - 1, most, 2 * (double)hosts))
            return;
        (void)count_by_host(left, hosts, false, counts);
        counts[worst] = (double)NAN;
        usual = median_of(counts, hosts);
        name_unsteady(search, stalls, worst, MAP_NOWHERE, usual);
        forget_host(left, hosts, worst);
    }
}

static void find_unsteady_pairs(fault_search *search, const pair_stalls *left)
{
    const size_t hosts = search->samples->hosts, pairs = hosts * (hosts - 1) / 2;

    for (size_t from = 0; from < hosts; from++)
        for (size_t to = from + 1; to < hosts; to++) {
            const pair_stalls *pair = &left[from * hosts + to];
            size_t count = 0;

            if (pair->events < STALLS_LEAST)
                continue;
            for (size_t a = 0; a < hosts; a++)
                for (size_t b = a + 1; b < hosts; b++)
                    if (a != from || b != to)
                        search->room[count++] = left[a * hosts + b].events;
            if (is_excessive(search->room, count, pair->events, (double)pairs))
                name_unsteady(search, left, from, (int)to, 0);
        }
}

static cb_status find_unsteady(fault_search *search)
{
    const size_t hosts = search->samples->hosts;
    pair_stalls *stalls = cb_allocate(2 * hosts * hosts, sizeof(*stalls), "the stalls of pairs");
    double *counts = cb_allocate(hosts, sizeof(*counts), "the stalls of hosts");
    cb_status status = stalls != NULL && counts != NULL ? CB_OK : CB_ERROR_MEMORY;

    if (status == CB_OK) {
        pair_stalls *left = stalls + hosts * hosts;

        count_stalls(search, stalls);
        for (size_t from = 0; from < hosts; from++)
            for (size_t to = 0; to < hosts; to++)
                search->figures->stalls[from * hosts + to] =
                    from == to ? (double)NAN : stalls_between(stalls, hosts, from, to)->events;
        memcpy(left, stalls, hosts * hosts * sizeof(*left));
        if (hosts >= HOSTS_LEAST) {
            /* A lossy host that is found by all of its stalls may have hidden a flapping one. */
            find_unsteady_hosts(search, stalls, true, left, counts);
            find_unsteady_hosts(search, stalls, false, left, counts);
            find_unsteady_hosts(search, stalls, true, left, counts);
            find_unsteady_pairs(search, left);
        }
    }
    free(stalls);
    free(counts);
    return status;
}

/* The whole */

static cb_status allocate_figures(size_t pairs, map_figures *figures)
{
    double **const all[] = {&figures->median[MAP_WAKE],
                            &figures->median[MAP_LATENCY],
                            &figures->median[MAP_ONE_WAY],
                            &figures->median[MAP_BOTH_WAYS],
                            &figures->median[MAP_LOSS],
                            &figures->longest_s,
                            &figures->spread,
                            &figures->stalls,
                            &figures->samples};
    cb_status status = CB_OK;

    *figures = (map_figures){0};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        *all[i] = cb_allocate(pairs, sizeof(double), "the figures of a map");
        if (*all[i] == NULL)
            status = CB_ERROR_MEMORY;
    }
    return status;
}

void map_figures_free(map_figures *figures)
{
    for (size_t quantity = 0; quantity < MAP_QUANTITIES; quantity++)
        free(figures->median[quantity]);
    free(figures->longest_s);
    free(figures->spread);
    free(figures->stalls);
    free(figures->samples);
    *figures = (map_figures){0};
}

cb_status map_analyse(const map_samples *samples, map_figures *figures, map_fault *faults,
                      size_t *count)
{
    enum { SLOW_QUANTITIES = 3 };
    static const map_quantity slow[SLOW_QUANTITIES] = {MAP_ONE_WAY, MAP_BOTH_WAYS, MAP_LATENCY};
    const size_t pairs = samples->hosts * samples->hosts;
    fault_search search = {
        .samples = samples, .figures = figures, .faults = faults, .count = count};
    cb_status status = allocate_figures(pairs, figures);

    *count = 0;
    search.room = cb_allocate(pairs > samples->cycles ? pairs : samples->cycles, sizeof(double),
                              "the figures of a map");
    if (search.room == NULL)
        status = CB_ERROR_MEMORY;
    if (status == CB_OK) {
        for (map_quantity quantity = MAP_WAKE; quantity < MAP_QUANTITIES; quantity++)
            pair_medians(samples, quantity, 0, 1, search.room, figures->median[quantity]);
        pair_spreads(samples, figures, search.room);
    }
    if (status == CB_OK)
        status = find_unsteady(&search);
    for (size_t i = 0; i < 2 * SLOW_QUANTITIES && status == CB_OK; i++)
        if (samples->hosts >= HOSTS_LEAST)
            status = find_slow(&search, slow[i / 2], i % 2 != 0);
    free(search.room);
    return status;
}
