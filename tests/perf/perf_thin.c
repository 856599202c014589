/* What the shim and the engine add to bare MPI: cb_oneway's own role actions over the technology
 * mpi against bare MPI calls, in one run and block by block in turn, so that whatever the machine
 * does meanwhile meets both alike. A ratio is formed of two blocks that follow each other, and its
 * median and quartiles are printed; the first reference runs twice in each turn, and its ratio to
 * itself says what this machine can tell apart.
 *
 * mpirun -np 2 --bind-to core perf_thin [--sizes LIST] [--touch all|none] [--mode NAME]
 * [--window W]
 *
 * All contenders touch the data alike (--touch), on both sides, with traffic_touch, and all work in
 * the same memory, that of the hot pool: where data lies changes a time by more than what is looked
 * for here. Bare MPI has one buffer that sends and receives, but where several receives are posted
 * at a time: these need one each. */
#include "bare/loops.h"
#include "benchmarks/registry.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/pass.h"
#include "engine/rank.h"
#include "engine/session.h"
#include "engine/traffic.h"
#include "tests/perf/session.h"

enum { TURNS = 101, WARM_UP_TURNS = 10, CONTENDERS_MAXIMUM = 6, SOURCE = BARE_SOURCE };

static const double turn_block_ns = 1e6;

/* The send is completed after the answer has come, and the two buffers change their parts. */
static void overlapped_ping(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_start_send(pair, 0, bare_place(pair, i % 2));
        bare_receive(pair, bare_place(pair, (i + 1) % 2), pair->size_bytes);
        bare_read(pair, bare_place(pair, (i + 1) % 2));
        bare_complete(pair, 0, 1);
    }
}

static void overlapped_pong(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_receive(pair, bare_place(pair, i % 2), pair->size_bytes);
        bare_read(pair, bare_place(pair, i % 2));
        if (i > 0)
            bare_complete(pair, 0, 1);
        bare_start_send(pair, 0, bare_place(pair, i % 2));
    }
    bare_complete(pair, 0, 1);
}

/* Streams. A block is a whole number of windows. */

/* Blocking calls and one buffer. */
static void blocking_source(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_await_acknowledgement_of(pair, i);
        bare_send(pair, pair->hot, pair->size_bytes);
    }
    bare_await_last_acknowledgements(pair);
}

static void blocking_destination(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_receive(pair, pair->hot, pair->size_bytes);
        bare_read(pair, pair->hot);
        if ((i + 1) % pair->half == 0)
            bare_send(pair, NULL, 0);
    }
}

/* As bare_stream_source, from a window of buffers. */
static void spread_source(bare_pair *pair, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++) {
        bare_await_acknowledgement_of(pair, i);
        if (i >= pair->window && i % pair->half == 0)
            bare_complete(pair, i, pair->half);
        bare_start_send(pair, i, bare_place(pair, i));
    }
    bare_complete(pair, 0, pair->window);
    bare_await_last_acknowledgements(pair);
}

/* One acknowledgement at the end of the block, and whole windows, as bandwidth tests have it. */
static void unacknowledged_source(bare_pair *pair, uint64_t steps)
{
    for (uint64_t first = 0; first < steps; first += pair->window) {
        for (uint64_t i = first; i < first + pair->window; i++)
            bare_start_send(pair, i, pair->hot);
        bare_complete(pair, 0, pair->window);
    }
    bare_receive(pair, NULL, 0);
}

static void unacknowledged_destination(bare_pair *pair, uint64_t steps)
{
    for (uint64_t first = 0; first < steps; first += pair->window) {
        for (uint64_t i = first; i < first + pair->window; i++)
            bare_post_receive(pair, i);
        bare_complete(pair, 0, pair->window);
        for (uint64_t i = first; i < first + pair->window; i++)
            bare_read(pair, bare_place(pair, i));
    }
    bare_send(pair, NULL, 0);
}

/* Contenders */

typedef struct {
    const char *name;
    bare_block source, destination; /* NULL: the project's own path */
    const char *target;             /* it is what combench is held against, named so; or NULL */
} contender;

/* The first is the reference of all, the second is the same once more, the last is combench. */
typedef struct {
    const char *mode;
    bool as_throughput; /* a ratio of throughputs, else of times */
    size_t target_from_bytes, target_to_bytes;
    double target; /* of the ratio: at least for throughputs, else at most */
    const contender contenders[CONTENDERS_MAXIMUM];
} comparison;

static const comparison comparisons[] = {
    {"pingpong",
     false,
     0,
     1024,
     1.05,
     {{"bare", bare_ping, bare_pong, "time over bare MPI_Send and MPI_Recv"},
      {"bare again", bare_ping, bare_pong, NULL},
      {"send completed late", overlapped_ping, overlapped_pong,
       "time over bare MPI whose sends do not block"},
      {"combench", NULL, NULL, NULL}}},
    {"stream",
     true,
     1024,
     SIZE_MAX,
     0.95,
     {{"posted", bare_stream_source, bare_stream_destination,
       "throughput over bare MPI from one buffer"},
      {"posted again", bare_stream_source, bare_stream_destination, NULL},
      {"posted, spread", spread_source, bare_stream_destination,
       "throughput over bare MPI from a window of buffers"},
      {"no acknowledging", unacknowledged_source, unacknowledged_destination, NULL},
      {"blocking", blocking_source, blocking_destination, NULL},
      {"combench", NULL, NULL, NULL}}},
};

typedef struct {
    engine_session session;
    const comparison *compared;
    bench_rank *me;
    const bench_actions *actions;
    bare_pair pair;
    size_t count;                               /* contenders */
    uint64_t steps;                             /* of a block, a whole number of windows */
    double times_ns[CONTENDERS_MAXIMUM][TURNS]; /* of the source */
} match;

static size_t contender_count(const comparison *compared)
{
    size_t count = 0;

    while (count < CONTENDERS_MAXIMUM && compared->contenders[count].name != NULL)
        count++;
    return count;
}

static cb_status run_bare(bare_pair *pair, const contender *one, uint64_t steps, double *elapsed_ns)
{
    bare_block block = pair->self == SOURCE ? one->source : one->destination;
    uint64_t start_ns = cb_now_ns();

    block(pair, steps);
    *elapsed_ns = (double)(cb_now_ns() - start_ns);
    return CB_OK;
}

static cb_status run_one(match *run, size_t index, double *elapsed_ns)
{
    const contender *one = &run->compared->contenders[index];

    return one->source != NULL ? run_bare(&run->pair, one, run->steps, elapsed_ns)
                               : block_run(run->me, run->actions, run->steps, elapsed_ns);
}

/* Both sides need the same number: the source's clock finds it. */
static cb_status choose_steps(match *run)
{
    double elapsed_ns = 0;
    uint64_t window = run->pair.window, enough;

    for (run->steps = window;; run->steps = enough) {
        CB_TRY(run_one(run, 0, &elapsed_ns));
        enough = elapsed_ns < turn_block_ns ? 2 * run->steps : run->steps;
        MPI_Bcast(&enough, 1, MPI_UINT64_T, SOURCE, run->pair.communicator);
        if (enough == run->steps)
            break;
    }
    enough =
        (uint64_t)((double)run->steps * turn_block_ns / elapsed_ns / (double)window + 1) * window;
    MPI_Bcast(&enough, 1, MPI_UINT64_T, SOURCE, run->pair.communicator);
    run->steps = enough;
    return CB_OK;
}

static cb_status take_turns(match *run)
{
    double ignored_ns;

    for (size_t turn = 0; turn < WARM_UP_TURNS * run->count; turn++)
        CB_TRY(run_one(run, turn % run->count, &ignored_ns));
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < run->count; i++)
            CB_TRY(run_one(run, i, &run->times_ns[i][turn]));
    return CB_OK;
}

static cb_status check_sums(const match *run)
{
    CB_TRY(rank_check_sum(run->me));
    return bare_check_sum(&run->pair);
}

/* Figures */

typedef struct {
    double median, quartile_low, quartile_high;
} spread;

static spread spread_of(double *values)
{
    stats_summary summary = stats_summarize(values, TURNS);

    return (spread){summary.median, stats_quantile(values, TURNS, 0.25),
                    stats_quantile(values, TURNS, 0.75)};
}

/* Of one contender to another, in each turn. */
static spread ratios_of(const match *run, size_t index, size_t reference)
{
    double ratios[TURNS];

    for (size_t turn = 0; turn < TURNS; turn++) {
        ratios[turn] = run->times_ns[index][turn] / run->times_ns[reference][turn];
        if (run->compared->as_throughput)
            ratios[turn] = 1 / ratios[turn];
    }
    return spread_of(ratios);
}

static double step_us(const match *run, size_t index)
{
    double steps_us[TURNS];

    for (size_t turn = 0; turn < TURNS; turn++)
        steps_us[turn] = run->times_ns[index][turn] / 1e3 / (double)run->steps;
    return spread_of(steps_us).median / (run->compared->as_throughput ? 1 : 2);
}

/* Lines for summary.py, which gathers them. */
static void print_targets(const match *run)
{
    const comparison *compared = run->compared;
    size_t bytes = (size_t)run->pair.size_bytes;

    if (bytes < compared->target_from_bytes || bytes > compared->target_to_bytes)
        return;
    for (size_t i = 0; i < run->count; i++)
        if (compared->contenders[i].target != NULL)
            printf("target: %s of %zu bytes, %s: %.3f at %s %.2f\n", compared->mode, bytes,
                   compared->contenders[i].target, ratios_of(run, run->count - 1, i).median,
                   compared->as_throughput ? "least" : "most", compared->target);
}

static void print_match(const match *run)
{
    for (size_t i = 0; i < run->count; i++) {
        spread ratio = ratios_of(run, i, 0);

        printf("%-9s %8d  %-19s %9.3f  %7.3f [%.3f, %.3f]\n", run->compared->mode,
               run->pair.size_bytes, run->compared->contenders[i].name, step_us(run, i),
               ratio.median, ratio.quartile_low, ratio.quartile_high);
    }
    print_targets(run);
    fflush(stdout);
}

/* One mode at one size */

static cb_status compare(const engine_session *session, const comparison *compared,
                         size_t size_bytes)
{
    static const int ranks[] = {0, 1};
    match *run = cb_allocate(1, sizeof(*run), "a comparison");
    bench_measurement measurement = {.mode =
                                         bench_find_mode(session->job->definition, compared->mode),
                                     .count = 2,
                                     .size_bytes = size_bytes};

    if (run == NULL)
        return CB_ERROR_MEMORY;
    run->session = *session;
    run->compared = compared;
    run->count = contender_count(compared);
    CB_TRY(rank_create(&(rank_setting){.definition = session->job->definition,
                                       .options = session->job->options,
                                       .measurement = &measurement,
                                       .ranks = ranks,
                                       .participants = 2},
                       session->technology, &run->me, &run->actions));
    CB_TRY(bare_open(&run->pair,
                     &(bare_setting){.self = control_rank(session->plane),
                                     .size_bytes = size_bytes,
                                     .window = session->job->options->window,
                                     .touch = strcmp(session->job->options->touch, "all") == 0},
                     session->technology));
    bare_connect(&run->pair, ranks);
    rank_reset(run->me,
               traffic_named(session->job->options->touch, session->job->options->buffers));
    CB_TRY(choose_steps(run));
    CB_TRY(take_turns(run));
    CB_TRY(transport_flush(session->technology));
    CB_TRY(check_sums(run));
    if (run->pair.self == SOURCE)
        print_match(run);
    MPI_Barrier(run->pair.communicator);
    rank_destroy(session->job->definition, run->me);
    bare_close(&run->pair);
    free(run);
    return CB_OK;
}

static cb_status compare_all(const engine_session *session)
{
    static const uint64_t usual[] = {0, 64, 256, 1024, 4096, 65536};
    const cb_list *sizes = &session->job->options->sizes;
    const uint64_t *values = sizes->count > 0 ? sizes->values : usual;
    size_t count = sizes->count > 0 ? sizes->count : sizeof(usual) / sizeof(usual[0]);

    if (control_rank(session->plane) == SOURCE)
        printf("%s, %d turns, touch %s, window %llu\n%-9s %8s  %-19s %9s  %7s [quartiles]\n",
               control_library(session->plane), TURNS, session->job->options->touch,
               (unsigned long long)session->job->options->window, "mode", "bytes", "", "us",
               "ratio");
    for (size_t c = 0; c < sizeof(comparisons) / sizeof(comparisons[0]); c++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(session->job->options->mode, "default") == 0 ||
                strcmp(session->job->options->mode, comparisons[c].mode) == 0)
                CB_TRY(compare(session, &comparisons[c], (size_t)values[i]));
    return CB_OK;
}

static cb_status run_session(engine_session *session)
{
    if (session->job->options->window % 2 != 0) {
        cb_error("needs an even --window");
        return CB_ERROR_USAGE;
    }
    return compare_all(session);
}

int main(int argc, char **argv)
{
    return perf_main(&cb_oneway, "perf_thin", 2, run_session, argc, argv);
}
