/* What a route costs on networks of about a hundred thousand nodes, against the crossbar, whose
 * route is two stores: a route is found for every message, and nothing is kept between two of them.
 * For networks from files also how long reading takes.
 *
 *     perf_routes         a line for each network; times are those of the processor */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include <ccmod/ccmod.h>

enum {
    PAIRS = 1 << 16,
    ROUNDS = 5,
    RUNS = 5,
    NODES = 100000,
    LEAVES = 2048,
    SPINES = 32,
    DOWN = 49
};

typedef struct {
    uint32_t source, destination;
} node_pair;

static double now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static node_pair *draw_pairs(size_t nodes)
{
    node_pair *pairs = calloc(PAIRS, sizeof(*pairs));
    cb_random random = cb_random_seed(1);

    for (size_t i = 0; pairs != NULL && i < PAIRS; i++) {
        pairs[i].source = (uint32_t)cb_random_below(&random, nodes);
        pairs[i].destination =
            (uint32_t)((pairs[i].source + 1 + cb_random_below(&random, nodes - 1)) % nodes);
    }
    return pairs;
}

/* Of the fastest run; *cells is the mean length. The sum of all cells keeps the compiler from
 * leaving anything out. */
static double time_routes(const ccmod_network *network, double *cells, uint64_t *sum)
{
    node_pair *pairs = draw_pairs(network->nodes);
    uint32_t *route = calloc(network->longest_route, sizeof(*route));
    double best_s = 1e9;
    uint64_t count = 0;

    for (size_t run = 0; pairs != NULL && route != NULL && run < RUNS; run++) {
        double begin_s = now_s(), taken_s;

        count = 0;
        for (size_t i = 0; i < (size_t)ROUNDS * PAIRS; i++) {
            const node_pair *pair = &pairs[i % PAIRS];
            size_t length =
                network->operations->route(network, pair->source, pair->destination, route);

            count += length;
            *sum += route[length - 1];
        }
        taken_s = now_s() - begin_s;
        best_s = taken_s < best_s ? taken_s : best_s;
    }
    free(route);
    free(pairs);
    *cells = (double)count / ((double)ROUNDS * PAIRS);
    return 1e9 * best_s / ((double)ROUNDS * PAIRS);
}

/* The time of a route, or a negative number. `bare_ns` is the crossbar's, 0 for itself. */
static double measure(const char *text, double bare_ns)
{
    ccmod_network *network = NULL;
    ccmod_error error;
    double begin_s = now_s(), opened_s, cells, route_ns;
    uint64_t sum = 0;

    if (ccmod_network_open(text, NODES, &network, &error) != CCMOD_OK) {
        fprintf(stderr, "perf_routes: %s\n", error.text);
        return -1;
    }
    opened_s = now_s() - begin_s;
    route_ns = time_routes(network, &cells, &sum);
    printf("%-44.44s nodes %zu, opened in %.3f s, route of %.2f links %.1f ns", network->name,
           network->nodes, opened_s, cells, route_ns);
    if (bare_ns > 0)
        printf(", %.1f times the crossbar's", route_ns / bare_ns);
    printf(sum > 0 ? "\n" : " (no links)\n");
    ccmod_network_free(network);
    return route_ns;
}

static void write_topology(FILE *stream)
{
    fprintf(stream, "%%network 1\nnodes %d\n", LEAVES * DOWN + DOWN);
    for (int i = 0; i <= LEAVES; i++)
        fprintf(stream, "switch leaf%d\nlink %d-%d leaf%d\n", i, i * DOWN, i * DOWN + DOWN - 1, i);
    for (int k = 0; k < SPINES; k++) {
        fprintf(stream, "switch spine%d\n", k);
        for (int i = 0; i <= LEAVES; i++)
            fprintf(stream, "link leaf%d spine%d\n", i, k);
    }
}

static int measure_file(double bare_ns)
{
    char path[] = "/tmp/perf_routes.XXXXXX", text[64];
    int descriptor = mkstemp(path);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    double route_ns;

    if (stream == NULL) {
        fprintf(stderr, "perf_routes: cannot write to %s\n", path);
        return 1;
    }
    write_topology(stream);
    fclose(stream);
    snprintf(text, sizeof(text), "file:%s", path);
    route_ns = measure(text, bare_ns);
    unlink(path);
    return route_ns < 0;
}

int main(void)
{
    static const char *const texts[] = {"fattree:levels=2", "fattree:levels=3", "dragonfly",
                                        "torus:dimensions=47x47x47"};
    double bare_ns = measure("crossbar", 0);
    int failures = bare_ns < 0;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        failures += measure(texts[i], bare_ns) < 0;
    return failures + measure_file(bare_ns) > 0;
}
