/* The passes of plain MPI and of the transport, in turn. */
#include "bare/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bare/loops.h"
#include "base/clock.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/pass.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/shares.h"
#include "engine/rank.h"
#include "engine/traffic.h"

/* Turns are taken in batches. The first has at least TURNS_LEAST, whatever time they take. */
enum { WARM_UP_TURNS = 10, TURNS_LEAST = 3, BATCH_TURNS = 21 };

/* State of the method. */
typedef struct {
    bare_pair pair;
    bare_block block;               /* this rank's side */
    uint64_t steps;                 /* of a block, a whole number of windows */
    double turn_ns;                 /* estimate, agreed on */
    double through_ns[BATCH_TURNS]; /* blocks of a batch through the transport */
    double *ratios;                 /* of all turns, at the source */
    size_t ratio_count, ratio_room;
    double over_bare; /* median of the ratios */
} bare_run;

static cb_status refuse_option(const engine_session *session, const char *option,
                               const char *instead)
{
    if (control_rank(session->plane) != 0)
        return CB_ERROR_USAGE;
    cb_error("%s has no meaning for cb_%s, which compares plain MPI with technology mpi over the "
             "same buffers; %s",
             option, session->job->definition->name, instead);
    return CB_ERROR_USAGE;
}

static cb_status open_state(engine_session *session, void **out)
{
    const bench_options *options = session->job->options;

    if (options->model != NULL)
        return refuse_option(session, "--model", "leave it out");
    if (strcmp(options->technology, "mpi") != 0)
        return refuse_option(session, "another --technology", "leave it out");
    if (strcmp(options->buffers, "hot") != 0)
        return refuse_option(session, "another --buffers than hot", "leave it out");
    if (strcmp(options->wait, "block") == 0)
        return refuse_option(session, "--wait block", "use spin or yield");
    if (options->window < 2 || options->window % 2 != 0)
        return refuse_option(session, "an odd --window", "give an even one");
    *out = cb_allocate(1, sizeof(bare_run), "the plain MPI loop");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static void close_state(void *state)
{
    bare_run *bare = state;

    if (bare != NULL)
        free(bare->ratios);
    free(bare);
}

static cb_status open_pair(bare_run *bare, measurement_passes *run)
{
    const measurement_setting *setting = run->setting;
    const bool is_stream = run->is_stream;
    size_t self = run->pass.me->place.self;

    if (self == BARE_SOURCE)
        bare->block = is_stream ? bare_stream_source : bare_ping;
    else
        bare->block = is_stream ? bare_stream_destination : bare_pong;
    return bare_open(&bare->pair,
                     &(bare_setting){.self = (int)self,
                                     .size_bytes = setting->planned->size_bytes,
                                     .window = (size_t)setting->session->job->options->window,
                                     .touch = run->traffic == &traffic_touching},
                     setting->session->technology);
}

static double run_bare(bare_run *bare)
{
    uint64_t start_ns = cb_now_ns();

    bare->block(&bare->pair, bare->steps);
    return (double)(cb_now_ns() - start_ns);
}

/* Both ranks need the same numbers: the clock of the source finds them. */
static cb_status choose_steps(bare_run *bare, measurement_passes *run)
{
    const uint64_t window = bare->pair.window;
    uint64_t enough;

    for (bare->steps = window;; bare->steps = enough) {
        double block_ns = run_bare(bare);

        bare->turn_ns = 2 * block_ns;
        enough = block_ns < run->wanted_ns ? 2 * bare->steps : bare->steps;
        CB_TRY(control_broadcast(run->pass.team, &enough, sizeof(enough)));
        if (enough == bare->steps)
            break;
    }
    return control_broadcast(run->pass.team, &bare->turn_ns, sizeof(bare->turn_ns));
}

/* What runs first alternates. */
static cb_status take_turn(bare_run *bare, measurement_passes *run, size_t turn, double *bare_ns,
                           double *through_ns)
{
    const pass_context *pass = &run->pass;

    if (turn % 2 == 0)
        *bare_ns = run_bare(bare);
    CB_TRY(block_run(pass->me, pass->actions, bare->steps, through_ns));
    if (turn % 2 != 0)
        *bare_ns = run_bare(bare);
    return CB_OK;
}

/* Number of turns that end at a share of --max-time, by the slowest clock: `least` to `most`. */
static cb_status turns_that_fit(const bare_run *bare, measurement_passes *run, double share,
                                size_t least, size_t most, size_t *turns)
{
    double elapsed_ns = budget_used_ns(run->setting->session->job->options, run->pass.started);

    CB_TRY(control_maximum(run->pass.team, &elapsed_ns, 1));
    run->pass.elapsed_ns = elapsed_ns;
    *turns =
        (size_t)fmin((double)most, fmax((double)least, (run->pass.limit_ns * share - elapsed_ns) /
                                                           fmax(bare->turn_ns, 1)));
    return CB_OK;
}

static cb_status warm_up(bare_run *bare, measurement_passes *run)
{
    double ignored_ns[2];
    size_t turns;

    CB_TRY(turns_that_fit(bare, run, share_warm_up_end, 1, WARM_UP_TURNS, &turns));
    for (size_t turn = 0; turn < turns; turn++)
        CB_TRY(take_turn(bare, run, turn, &ignored_ns[0], &ignored_ns[1]));
    return CB_OK;
}

/* Keep the blocks of the source and the ratios of a batch, and estimate a turn by it. */
static cb_status keep_batch(bare_run *bare, measurement_passes *run, size_t turns)
{
    pass_context *pass = &run->pass;

    if (!pass->actions->timed) {
        memset(pass->blocks_ns, 0, turns * sizeof(*pass->blocks_ns));
        memset(bare->through_ns, 0, turns * sizeof(*bare->through_ns));
    }
    CB_TRY(control_maximum(pass->team, pass->blocks_ns, turns));
    CB_TRY(control_maximum(pass->team, bare->through_ns, turns));
    pass->batch = (pass_batch){.steps = bare->steps, .blocks = turns};
    CB_TRY(measurement_keep_blocks(run));
    for (size_t turn = 0; turn < turns; turn++) {
        double *grown =
            cb_grow(bare->ratios, bare->ratio_count, &bare->ratio_room, sizeof(*bare->ratios));

        if (grown == NULL)
            return CB_ERROR_MEMORY;
        bare->ratios = grown;
        grown[bare->ratio_count++] = bare->through_ns[turn] / pass->blocks_ns[turn];
    }
    bare->turn_ns =
        measurement_mean(pass->blocks_ns, turns) + measurement_mean(bare->through_ns, turns);
    return CB_OK;
}

static cb_status take_turns(bare_run *bare, measurement_passes *run)
{
    const bench_options *options = run->setting->session->job->options;
    pass_context *pass = &run->pass;
    stats_summary blocks, ratios = {.median = 0};
    bool blocks_precise = false, ratios_precise = false;
    size_t turns;

    run->out.steps = bare->steps;
    measurement_begin_row(run);
    CB_TRY(turns_that_fit(bare, run, share_turns_end, TURNS_LEAST, BATCH_TURNS, &turns));
    while (turns > 0 && !(blocks_precise && ratios_precise)) {
        pass_begin_timing(pass);
        for (size_t turn = 0; turn < turns; turn++) {
            CB_TRY(take_turn(bare, run, turn, &pass->blocks_ns[turn], &bare->through_ns[turn]));
            session_leave_if_interrupted(pass->session);
        }
        CB_TRY(pass_end_timing(pass));
        meters_count(&pass->meters, 2 * turns * bare->steps);
        CB_TRY(transport_flush(pass->me->factory));
        CB_TRY(keep_batch(bare, run, turns));
        CB_TRY(figures_are_precise(options, run->out.blocks_ns, run->out.block_count, BATCH_TURNS,
                                   &blocks, &blocks_precise));
        CB_TRY(figures_are_precise(options, bare->ratios, bare->ratio_count, BATCH_TURNS, &ratios,
                                   &ratios_precise));
        CB_TRY(turns_that_fit(bare, run, share_turns_end, 0, BATCH_TURNS, &turns));
    }
    bare->over_bare = ratios.median;
    run->out.stopped_by = blocks_precise && ratios_precise ? "precision" : "max-time";
    return measurement_end_row(run);
}

/* After an error that the other rank does not know of, this rank ends the job. So it neither agrees
 * on it nor closes the pair, which is collective. */
static cb_status run_passes(void *state, measurement_passes *run)
{
    bare_run *bare = state;
    cb_status status = control_agree(run->pass.team, open_pair(bare, run));

    bare->ratio_count = 0;
    if (status == CB_OK) {
        bare_connect(&bare->pair, run->setting->ranks);
        CB_TRY(choose_steps(bare, run));
        CB_TRY(warm_up(bare, run));
        CB_TRY(take_turns(bare, run));
        status = bare_check_sum(&bare->pair);
        if (status == CB_OK)
            status = rank_check_sum(run->pass.me);
        status = control_agree(run->pass.team, status);
    }
    if (status == CB_OK)
        status = measurement_verify(run);
    bare_close(&bare->pair);
    return status;
}

static void fill_row(const void *state, const measurement_setting *setting, report_row *row)
{
    const bare_run *bare = state;

    (void)setting;
    report_set_number(row, REPORT_OVER_BARE, bare->over_bare);
}

const measurement_method bare_method = {
    .no_harness = true,
    .open = open_state,
    .close = close_state,
    .run_passes = run_passes,
    .fill_row = fill_row,
};
