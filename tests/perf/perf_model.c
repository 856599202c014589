/* The speed of the communication model: traces of known traffic are written, read again and
 * evaluated, all in one thread, and timed by the time of the processor.
 *
 *     perf_model make KIND NODES MESSAGES FILE    KIND: random, roundrobin, steps, funnel, loops,
 *                                                 exchange
 *     perf_model run FILE [maxmin]                one line: figures by name
 *
 * Mps is from the file to the result; played_Mps without the reading of the file, as perf_simgrid
 * counts, which reads the same file with the same reader before its clock starts. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
#include <ccmod/ccmod.h>

enum { BYTES = 1024, RUNS = 5, POSTED_ROUNDS = 5, LONGEST_COMPUTING_US = 10 };

/* Lines for one rank, written after each other. */
typedef struct {
    char *text;
    size_t length, room;
} rank_lines;

static int fail(const char *what)
{
    fprintf(stderr, "perf_model: %s\n", what);
    return 1;
}

__attribute__((format(printf, 2, 3))) static void add_line(rank_lines *lines, const char *format,
                                                           ...)
{
    const size_t longest = 64;
    va_list arguments;

    if (lines->room - lines->length < longest) {
        lines->room = 2 * lines->room + longest;
        lines->text = realloc(lines->text, lines->room);
        if (lines->text == NULL)
            exit(fail("no memory left"));
    }
    va_start(arguments, format);
    lines->length += (size_t)vsnprintf(lines->text + lines->length, longest, format, arguments);
    va_end(arguments);
}

/* A record of a message: "s", "is", "r" or "ir". */
static void add_message(rank_lines *lines, const char *name, uint64_t peer, uint64_t size)
{
    add_line(lines, "%s %" PRIu64 " %" PRIu64 "\n", name, peer, size);
}

/* Blocking messages between partners drawn at random, in an order in which all can be done. */
static void make_random(rank_lines *ranks, uint64_t nodes, uint64_t messages)
{
    cb_random random = cb_random_seed(1);

    for (uint64_t i = 0; i < messages; i++) {
        uint64_t source = cb_random_below(&random, nodes);
        uint64_t target = (source + 1 + cb_random_below(&random, nodes - 1)) % nodes;

        add_message(&ranks[source], "s", target, BYTES);
        add_message(&ranks[target], "r", source, BYTES);
    }
}

/* All to all in rotated order, again and again. */
static void make_round_robin(rank_lines *ranks, uint64_t nodes, uint64_t messages)
{
    for (uint64_t i = 0; i < messages / nodes; i++) {
        uint64_t step = 1 + i % (nodes - 1);

        for (uint64_t rank = 0; rank < nodes; rank++) {
            add_message(&ranks[rank], "is", (rank + step) % nodes, BYTES);
            add_message(&ranks[rank], "r", (rank + nodes - step) % nodes, BYTES);
            add_line(&ranks[rank], "w\n");
        }
    }
}

/* As a program: in each step all compute for a time of their own, start a send, receive, and wait.
 * The partners of a step are the neighbours in a ring of random order. */
static void make_steps(rank_lines *ranks, uint64_t nodes, uint64_t messages)
{
    cb_random random = cb_random_seed(1);
    uint64_t *ring = malloc(nodes * sizeof(*ring));

    if (ring == NULL)
        exit(fail("no memory left"));
    for (uint64_t i = 0; i < nodes; i++)
        ring[i] = i;
    for (uint64_t step = 0; step < messages / nodes; step++) {
        for (uint64_t i = nodes - 1; i > 0; i--) {
            uint64_t other = cb_random_below(&random, i + 1), rank = ring[i];

            ring[i] = ring[other];
            ring[other] = rank;
        }
        for (uint64_t i = 0; i < nodes; i++) {
            rank_lines *lines = &ranks[ring[i]];

            add_line(lines, "c %.3f\n", LONGEST_COMPUTING_US * cb_random_unit(&random));
            add_message(lines, "is", ring[(i + 1) % nodes], BYTES);
            add_message(lines, "r", ring[(i + nodes - 1) % nodes], BYTES);
            add_line(lines, "w\n");
        }
    }
    free(ring);
}

/* All but one send to that one, messages of unequal sizes around BYTES. The receiver posts its
 * receives for some rounds at once, so that all senders are under way nearly all the time. */
static void make_funnel(rank_lines *ranks, uint64_t nodes, uint64_t messages)
{
    cb_random random = cb_random_seed(1);
    uint64_t rounds = messages / (nodes - 1);

    for (uint64_t i = 0; i < rounds; i++) {
        for (uint64_t rank = 1; rank < nodes; rank++) {
            uint64_t size = BYTES / 2 + cb_random_below(&random, BYTES + 1);

            add_message(&ranks[rank], "s", 0, size);
            add_message(&ranks[0], "ir", rank, size);
        }
        if (i % POSTED_ROUNDS == POSTED_ROUNDS - 1 || i == rounds - 1)
            add_line(&ranks[0], "w\n");
    }
}

static void write_ranks(FILE *file, const rank_lines *ranks, uint64_t nodes)
{
    for (uint64_t rank = 0; rank < nodes; rank++) {
        if (ranks[rank].length == 0)
            continue;
        fprintf(file, "%" PRIu64 ":\n", rank);
        fwrite(ranks[rank].text, 1, ranks[rank].length, file);
    }
}

/* Partners far away, another one in each turn, in a few lines for all ranks. */
static void write_loops(FILE *file, uint64_t nodes, uint64_t messages)
{
    fprintf(file,
            "*:\n@ %" PRIu64
            "\nis (%%r+1+%%i*7919)%%%%n 1KiB\nir (%%r-1-%%i*7919)%%%%n 1KiB\nw\n;\n",
            messages / nodes);
}

/* Pairs exchange a message each way, blocking; the sum of a pair's ranks is odd. */
static void write_exchange(FILE *file, uint64_t nodes, uint64_t messages)
{
    fprintf(file,
            "*:\n@ %" PRIu64 "\n"
            "@ 1-%%r%%2\ns (%%i*7919*2+1-%%r)%%%%n 1KiB\n;\n"
            "r (1-%%r)%%%%n 1KiB\n"
            "@ %%r%%2\ns (1-%%r)%%%%n 1KiB\n;\n;\n",
            messages / nodes);
}

static const struct {
    const char *name;
    void (*make)(rank_lines *ranks, uint64_t nodes, uint64_t messages);
    void (*write)(FILE *file, uint64_t nodes, uint64_t messages);
} kinds[] = {
    {"random", make_random, NULL}, {"roundrobin", make_round_robin, NULL},
    {"steps", make_steps, NULL},   {"funnel", make_funnel, NULL},
    {"loops", NULL, write_loops},  {"exchange", NULL, write_exchange},
};

static int make(const char *name, uint64_t nodes, uint64_t messages, const char *path)
{
    rank_lines *ranks = calloc(nodes, sizeof(*ranks));
    FILE *file = fopen(path, "w");

    if (ranks == NULL || file == NULL || nodes < 2)
        return fail("cannot make the trace");
    fprintf(file, "%%cct 1 ranks %" PRIu64 " unit us\n", nodes);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, name) != 0)
            continue;
        if (kinds[i].write != NULL)
            kinds[i].write(file, nodes, messages);
        else
            kinds[i].make(ranks, nodes, messages);
    }
    write_ranks(file, ranks, nodes);
    for (uint64_t rank = 0; rank < nodes; rank++)
        free(ranks[rank].text);
    free(ranks);
    return fclose(file) == 0 ? 0 : fail("cannot write the trace");
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* From the file to the result; *read_s is when the file was read. */
static ccmod_status evaluate(const char *path, ccmod_share share, double *read_s,
                             ccmod_result **result, ccmod_error *error)
{
    /* overhead 0: the peer that this is compared with has none */
    ccmod_calibration calibration = ccmod_calibration_line(0, 1, 1000);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_trace *trace = NULL;
    ccmod_status status = ccmod_trace_open(path, &trace, error);

    parameters.share = share;
    *read_s = now_s();
    if (status == CCMOD_OK)
        status = ccmod_network_open("crossbar", ccmod_trace_ranks(trace), &network, error);
    if (status == CCMOD_OK)
        status = ccmod_trace_workload(trace, 1, &workload, error);
    if (status == CCMOD_OK)
        status =
            ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, result, error);
    ccmod_workload_free(workload);
    ccmod_network_free(network);
    ccmod_trace_close(trace);
    return status;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static int run(const char *path, ccmod_share share)
{
    double taken_s[RUNS], played_s[RUNS], end_us = 0, messages = 0, nodes = 1;
    struct rusage usage;

    for (size_t i = 0; i < RUNS; i++) {
        double before_s = now_s(), read_s;
        ccmod_result *result = NULL;
        ccmod_error error;

        if (evaluate(path, share, &read_s, &result, &error) != CCMOD_OK)
            return fail(error.text);
        taken_s[i] = now_s() - before_s;
        played_s[i] = now_s() - read_s;
        end_us = result->end_us;
        messages = (double)result->messages;
        nodes = (double)result->processors;
        ccmod_result_free(result);
    }
    getrusage(RUSAGE_SELF, &usage);
    qsort(taken_s, RUNS, sizeof(*taken_s), by_size);
    qsort(played_s, RUNS, sizeof(*played_s), by_size);
    printf(
        "messages %.0f end_us %.6f Mps %.4f ns_a_message %.1f bytes_a_node %.0f played_Mps %.4f\n",
        messages, end_us, messages / taken_s[RUNS / 2] / 1e6, 1e9 * taken_s[RUNS / 2] / messages,
        1024.0 * (double)usage.ru_maxrss / nodes, messages / played_s[RUNS / 2] / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "make") == 0)
        return make(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), argv[5]);
    if (argc >= 3 && strcmp(argv[1], "run") == 0)
        return run(argv[2], argc > 3 ? CCMOD_MAXMIN : CCMOD_BOTTLENECK);
    return fail("usage: perf_model make KIND NODES MESSAGES FILE | run FILE [maxmin]");
}
