/* The passes of plain MPI and of the transport, in turn. */
#include "bare/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bare/loops.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/block.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/rank.h"

enum { WARM_UP_TURNS = 10, TURNS_MINIMUM = 21, TURNS_MAXIMUM = 101 };

/* Share of --max-time for all turns. */
static const double turns_share = 0.8;

/* State of the method. */
typedef struct {
    bare_pair pair;
    bare_block block; /* this rank's side */
    uint64_t steps;   /* of a block, a whole number of windows */
    size_t turns;
    double through_ns[TURNS_MAXIMUM]; /* blocks through the transport */
    double over_bare;                 /* median of the turns */
} bare_run;

static cb_status refuse(const engine_session *session, const char *option, const char *instead)
{
    if (control_rank(session->plane) != 0)
        return CB_ERROR_USAGE;
    cb_error("%s has no meaning for cb_%s, which compares plain MPI with technology mpi over the "
             "same buffers; %s",
             option, session->definition->name, instead);
    return CB_ERROR_USAGE;
}

static cb_status open_state(engine_session *session, void **out)
{
    const bench_options *options = session->options;

    if (strcmp(options->technology, "mpi") != 0)
        return refuse(session, "another --technology", "leave it out");
    if (strcmp(options->buffers, "hot") != 0)
        return refuse(session, "--buffers rotate", "leave it out");
    if (strcmp(options->wait, "block") == 0)
        return refuse(session, "--wait block", "use spin or yield");
    if (options->window < 2 || options->window % 2 != 0)
        return refuse(session, "an odd --window", "give an even one");
    *out = cb_allocate(1, sizeof(bare_run), "the plain MPI loop");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static void close_state(void *state)
{
    free(state);
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
                     &(bare_setting){.ranks = setting->ranks,
                                     .self = (int)self,
                                     .size_bytes = setting->planned->size_bytes,
                                     .window = (size_t)setting->session->options->window,
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
    double block_ns = 0, turns;
    uint64_t enough;

    for (bare->steps = window;; bare->steps = enough) {
        block_ns = run_bare(bare);
        enough = block_ns < run->wanted_ns ? 2 * bare->steps : bare->steps;
        CB_TRY(control_broadcast(run->pass.team, &enough, sizeof(enough)));
        if (enough == bare->steps)
            break;
    }
    turns = turns_share * run->pass.limit_ns / (2 * block_ns);
    bare->turns = (size_t)fmax(TURNS_MINIMUM, fmin(turns, TURNS_MAXIMUM));
    return control_broadcast(run->pass.team, &bare->turns, sizeof(bare->turns));
}

static cb_status take_turns(bare_run *bare, measurement_passes *run)
{
    pass_context *pass = &run->pass;
    double *bare_ns = pass->blocks_ns, ignored_ns;

    for (size_t turn = 0; turn < WARM_UP_TURNS; turn++) {
        (void)run_bare(bare);
        CB_TRY(block_run(pass->me, pass->actions, bare->steps, &ignored_ns));
    }
    pass_begin_timing(pass);
    for (size_t turn = 0; turn < bare->turns; turn++) {
        bare_ns[turn] = run_bare(bare);
        CB_TRY(block_run(pass->me, pass->actions, bare->steps, &bare->through_ns[turn]));
        session_leave_if_interrupted(pass->session);
    }
    CB_TRY(pass_end_timing(pass));
    CB_TRY(transport_flush(pass->me->factory));
    CB_TRY(bare_check_sum(&bare->pair));
    return rank_check_sum(pass->me);
}

/* The blocks of the source count. */
static cb_status keep_blocks(bare_run *bare, measurement_passes *run)
{
    const double precision_pct = run->setting->session->options->precision_pct;
    pass_context *pass = &run->pass;
    double ratios[TURNS_MAXIMUM];
    stats_summary summary;

    for (size_t turn = 0; turn < bare->turns; turn++)
        ratios[turn] = bare->through_ns[turn] / pass->blocks_ns[turn];
    bare->over_bare = stats_summarize(ratios, bare->turns).median;
    if (!pass->actions->timed)
        memset(pass->blocks_ns, 0, bare->turns * sizeof(*pass->blocks_ns));
    CB_TRY(control_maximum(pass->team, pass->blocks_ns, bare->turns));
    pass->batch = (pass_batch){.steps = bare->steps, .blocks = bare->turns};
    run->out.steps = bare->steps;
    CB_TRY(measurement_keep_blocks(run));
    CB_TRY(figures_summarize(run->out.blocks_ns, run->out.block_count, &summary));
    run->out.stopped_by = stats_precision_pct(&summary) <= precision_pct ? "precision" : "max-time";
    run->out.timed = pass->meters;
    return CB_OK;
}

static cb_status run_passes(void *state, measurement_passes *run)
{
    bare_run *bare = state;
    cb_status status = control_agree(run->pass.team, open_pair(bare, run));

    if (status == CB_OK)
        status = choose_steps(bare, run);
    if (status == CB_OK)
        status = take_turns(bare, run);
    status = control_agree(run->pass.team, status);
    if (status == CB_OK)
        status = keep_blocks(bare, run);
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
    .open = open_state,
    .close = close_state,
    .run_passes = run_passes,
    .fill_row = fill_row,
};
