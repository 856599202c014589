/* Stalls of pairs, and Poisson tests of how many a host has. */
#include "linkmap/stalls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "linkmap/polish.h"
#include "linkmap/rounds.h"

enum { STALLS_LEAST = 3 };

/* A long stall is more than one usual retransmission timeout (0.2 s), or the loss of most packets.
 * A link that is down makes mostly these. */
static const double long_stall_s = 0.4, long_loss = 0.5, long_share = 0.4;

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
    middle = map_median(search->room, count);
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

/* Probability that a Poisson variable is at least `count`, which is above its mean: terms decrease
 * from the first on. By logarithms, since exp(-mean) is 0 for the means of long maps. */
static double poisson_tail(double mean, double count)
{
    const double first = ceil(count - 0.5), negligible = 1e-17;
    double term = exp(first * log(mean) - mean - lgamma(first + 1)), tail = 0;

    for (double k = first; term > negligible * tail; k++) {
        tail += term;
        term *= mean / (k + 1);
    }
    return tail;
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
           poisson_tail(mean / dispersion, count / dispersion) < SEARCH_FALSE_ALARM / tests;
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
    search_name(search,
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
        usual = map_median(counts, hosts);
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

cb_status stalls_find(fault_search *search)
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
        if (hosts >= MAP_HOSTS_LEAST) {
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
