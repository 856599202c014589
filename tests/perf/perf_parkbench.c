/* Parkbench's programs beside those of note 48 that are named after them, where the definitions
 * agree: the programs' own role actions over the technology mpi, in one run and block by block in
 * turn, so that whatever the machine does meanwhile meets both alike. What is compared is the time
 * of one leg: a message from node to node, or one each way at the same time. The program of the
 * note runs twice in each turn: its ratio to itself says what this machine can tell apart.
 *
 * mpirun -np 2 --bind-to core perf_parkbench [--sizes LIST] [--touch all|none] */
#include <stdlib.h>

#include "base/memory.h"
#include "benchmarks/registry.h"

#include <stdio.h>

#include "engine/pass.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "tests/perf/session.h"

enum { TURNS = 101, WARM_UP_TURNS = 10, CONTENDERS = 3, NODES = 2 };

static const double turn_block_ns = 1e6;

/* Of the note, and of Parkbench; and how many legs, one after the other, a step of each has. */
typedef struct {
    const benchmark *note, *parkbench;
    double note_legs, parkbench_legs;
    double target; /* of the ratio, at most; 0: the figure is only printed */
} pairing;

static const pairing pairings[] = {
    {&cb_oneway, &cb_comms1, 2, 2, 1.05},
    {&cb_twoway, &cb_comms2, 1, 2, 0},
    {&cb_alltoall, &cb_comms3, 1, 1, 0},
};

typedef struct {
    const bench_actions *actions;
    double legs; /* of a step */
    double leg_us[TURNS];
} contender;

/* All act through one bench_rank, so that they work in the same memory: the programs of a pairing
 * have the same roles and peers. */
typedef struct {
    const pairing *compared;
    engine_job job;
    engine_session session; /* with the definition of the note */
    bench_rank *me;
    contender contenders[CONTENDERS]; /* the note's, the same again, Parkbench's */
    size_t size_bytes;
    uint64_t steps; /* of a block */
} match;

static cb_status run_one(const match *run, const contender *one, double *elapsed_ns)
{
    return block_run(run->me, one->actions, run->steps, elapsed_ns);
}

/* All ranks need the same number: the one that takes longest decides. */
static cb_status choose_steps(match *run)
{
    control_team *everyone = control_everyone(run->session.plane);
    double elapsed_ns = 0;

    for (run->steps = 1;; run->steps *= 2) {
        CB_TRY(run_one(run, &run->contenders[0], &elapsed_ns));
        CB_TRY(control_maximum(everyone, &elapsed_ns, 1));
        if (elapsed_ns >= turn_block_ns)
            return CB_OK;
    }
}

static cb_status take_turns(match *run)
{
    double elapsed_ns;

    for (size_t turn = 0; turn < WARM_UP_TURNS + TURNS; turn++)
        for (size_t i = 0; i < CONTENDERS; i++) {
            contender *one = &run->contenders[i];

            CB_TRY(run_one(run, one, &elapsed_ns));
            if (turn >= WARM_UP_TURNS)
                one->leg_us[turn - WARM_UP_TURNS] =
                    elapsed_ns / 1e3 / (double)run->steps / one->legs;
        }
    return CB_OK;
}

static cb_status open_rank(match *run, const engine_session *session)
{
    static const int ranks[NODES] = {0, 1};
    const pairing *compared = run->compared;
    const bench_mode *mode = &compared->note->modes[0];
    bench_measurement measurement = {.mode = mode, .count = NODES, .size_bytes = run->size_bytes};
    const bench_actions *actions;
    size_t role;

    run->job = *session->job;
    run->job.definition = compared->note;
    run->session = *session;
    run->session.job = &run->job;
    CB_TRY(rank_create(&(rank_setting){.definition = compared->note,
                                       .options = session->job->options,
                                       .measurement = &measurement,
                                       .ranks = ranks,
                                       .participants = NODES},
                       session->technology, &run->me, &actions));
    rank_reset(run->me,
               traffic_named(session->job->options->touch, session->job->options->buffers));
    role = (size_t)(actions - mode->roles);
    for (size_t i = 0; i < CONTENDERS - 1; i++)
        run->contenders[i] = (contender){.actions = actions, .legs = compared->note_legs};
    run->contenders[CONTENDERS - 1] = (contender){
        .actions = &compared->parkbench->modes[0].roles[role], .legs = compared->parkbench_legs};
    return CB_OK;
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

static spread ratios_of(const match *run, size_t index)
{
    double ratios[TURNS];

    for (size_t turn = 0; turn < TURNS; turn++)
        ratios[turn] = run->contenders[index].leg_us[turn] / run->contenders[0].leg_us[turn];
    return spread_of(ratios);
}

static void print_match(match *run)
{
    const pairing *compared = run->compared;
    spread again = ratios_of(run, 1), ratio = ratios_of(run, 2);
    double parkbench_us = spread_of(run->contenders[2].leg_us).median;

    printf("cb_%-7s %8zu %9.3f %7.3f [%.3f, %.3f]   cb_%s again %.3f [%.3f, %.3f]\n",
           compared->parkbench->name, run->size_bytes, parkbench_us, ratio.median,
           ratio.quartile_low, ratio.quartile_high, compared->note->name, again.median,
           again.quartile_low, again.quartile_high);
    if (compared->target > 0)
        printf("target: message of %zu bytes, cb_%s over cb_%s: %.3f at most %.2f\n",
               run->size_bytes, compared->parkbench->name, compared->note->name, ratio.median,
               compared->target);
    fflush(stdout);
}

static cb_status compare(const engine_session *session, const pairing *compared, size_t size_bytes)
{
    match *run = cb_allocate(1, sizeof(*run), "a comparison");

    if (run == NULL)
        return CB_ERROR_MEMORY;
    run->compared = compared;
    run->size_bytes = size_bytes;
    CB_TRY(open_rank(run, session));
    CB_TRY(choose_steps(run));
    CB_TRY(take_turns(run));
    CB_TRY(transport_flush(session->technology));
    CB_TRY(rank_check_sum(run->me));
    if (control_rank(session->plane) == 0)
        print_match(run);
    CB_TRY(control_barrier(control_everyone(session->plane)));
    rank_destroy(compared->note, run->me);
    free(run);
    return CB_OK;
}

static cb_status compare_all(engine_session *session)
{
    static const uint64_t usual[] = {0, 64, 256, 1024, 65536};
    const cb_list *sizes = &session->job->options->sizes;
    const uint64_t *values = sizes->count > 0 ? sizes->values : usual;
    size_t count = sizes->count > 0 ? sizes->count : sizeof(usual) / sizeof(usual[0]);

    if (control_rank(session->plane) == 0)
        printf("%s, %d turns, touch %s\n%-10s %8s %9s %7s [quartiles]\n",
               control_library(session->plane), TURNS, session->job->options->touch, "program",
               "bytes", "us", "ratio");
    for (size_t p = 0; p < sizeof(pairings) / sizeof(pairings[0]); p++)
        for (size_t i = 0; i < count; i++)
            CB_TRY(compare(session, &pairings[p], (size_t)values[i]));
    return CB_OK;
}

int main(int argc, char **argv)
{
    return perf_main(&cb_comms1, "perf_parkbench", NODES, compare_all, argc, argv);
}
