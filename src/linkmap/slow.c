/* Effects and residuals of a median polish that are outliers, confirmed by parts of the samples. */
#include "linkmap/slow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linkmap/figures.h"
#include "linkmap/polish.h"

enum { CYCLES_TO_SPLIT = 4 };

/* A deviation is an outlier above this number of standard deviations. */
static const double host_deviations = 5, pair_deviations = 6;

/* Least standard deviation of effects: a difference of 1 % is not the network's. */
static const double least_deviation = 0.01;

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
        middle = map_median(room, count);
        for (size_t pair = 0; pair < pairs && isfinite(middle); pair++)
            if (samples->distances[pair] == distance)
                levelled[pair] /= middle;
        if (further == 0)
            break;
    }
    free(room);
    return CB_OK;
}

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
    cb_status status;

    *out = (split_polish){.half_count = samples->cycles >= CYCLES_TO_SPLIT ? 2 : 0};
    if (medians == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = level_distances(samples, search->figures->median[quantity],
                                             medians + pairs));
    CB_TRY_TO(done, status = map_decompose(medians + pairs, samples->hosts, &out->all));
    for (size_t half = 0; half < out->half_count; half++) {
        map_pair_medians(samples, quantity, half, 2, search->room, medians);
        CB_TRY_TO(done, status = level_distances(samples, medians, medians + pairs));
        CB_TRY_TO(done,
                  status = map_decompose(medians + pairs, samples->hosts, &out->halves[half]));
    }
done:
    free(medians);
    return status;
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
    const double residual = map_deviation(split->all.residuals, hosts * hosts, search->room);
    const struct {
        const double *effects;
        size_t offset;
    } sides[] = {{split->all.out, offsetof(map_polish, out)},
                 {split->all.in, offsetof(map_polish, in)}};
    double limits[2];

    for (size_t side = 0; side < 2; side++) {
        double deviation = map_deviation(sides[side].effects, hosts, search->room);

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
                search_name(search, (map_fault){.kind = MAP_SLOW,
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
    double limit = map_deviation(residuals, pairs, search->room), p;
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
        if (binomial_tail(count, slow, p) < SEARCH_FALSE_ALARM / (double)pairs)
            search_name(
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
cb_status slow_find(fault_search *search, map_quantity quantity, bool pairs)
{
    split_polish split;
    cb_status status = decompose_split(search, quantity, &split);

    if (status == CB_OK)
        (pairs ? find_slow_pairs : find_slow_hosts)(search, quantity, &split);
    map_polish_free(&split.all);
    map_polish_free(&split.halves[0]);
    map_polish_free(&split.halves[1]);
    return status;
}
