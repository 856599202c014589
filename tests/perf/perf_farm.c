/* What the engine adds to a farm: the push farm 1:1 of cb_pushfarm over the technology mpi against
 * a program of the same pattern with plain MPI calls, in one run and block by block in turn.
 *
 * mpirun -np 3 perf_farm [--sizes LIST] [--in-flight E] [--touch all|none]
 *
 * Both have a supervisor, a source and a destination, as many events in flight, packets of 16 bytes
 * to and from the supervisor, an event's number in each fragment and the same touching. The plain
 * program has no accounts: it believes what it gets. A block is a run of events, timed by the
 * supervisor from the first issue to the last decision. */
#include "benchmarks/registry.h"
#include "farm/options.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/pass.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "farm/messages.h"
#include "farm/loops.h"
#include "tests/perf/session.h"

enum { TURNS = 41, WARM_UP_TURNS = 3, TAG = 1, CONTENDERS = 3, USUAL_IN_FLIGHT = 16 };

static const double turn_block_ns = 2e7;

typedef struct {
    engine_session *session;
    bench_rank *me;
    const bench_actions *actions;
    MPI_Comm communicator;
    void *data;
    size_t size_bytes;
    uint64_t in_flight, events, next_event;
    bool touch;
    uint64_t sum;
    double times_ns[CONTENDERS][TURNS];
} match;

/* The plain program */

static void send_note(const match *run, int rank, uint64_t event)
{
    farm_message note = {.event = event};

    MPI_Send(&note, sizeof(note), MPI_BYTE, rank, TAG, run->communicator);
}

static uint64_t receive_note(const match *run, int rank)
{
    farm_message note;

    MPI_Recv(&note, sizeof(note), MPI_BYTE, rank, TAG, run->communicator, MPI_STATUS_IGNORE);
    return note.event;
}

static double supervise_plainly(const match *run)
{
    uint64_t issued = 0, start_ns = cb_now_ns();

    for (uint64_t decided = 0; decided < run->events; decided++) {
        while (issued < run->events && issued - decided < run->in_flight)
            send_note(run, FARM_SOURCE, issued++);
        (void)receive_note(run, FARM_DESTINATION);
    }
    return (double)(cb_now_ns() - start_ns);
}

static void push_plainly(const match *run)
{
    for (uint64_t i = 0; i < run->events; i++) {
        uint64_t event = receive_note(run, FARM_SUPERVISOR);

        if (run->size_bytes >= sizeof(event))
            memcpy(run->data, &event, sizeof(event));
        MPI_Send(run->data, (int)run->size_bytes, MPI_BYTE, FARM_DESTINATION, TAG,
                 run->communicator);
    }
}

static void collect_plainly(match *run)
{
    for (uint64_t i = 0; i < run->events; i++) {
        uint64_t event = i;

        MPI_Recv(run->data, (int)run->size_bytes, MPI_BYTE, FARM_SOURCE, TAG, run->communicator,
                 MPI_STATUS_IGNORE);
        if (run->size_bytes >= sizeof(event))
            memcpy(&event, run->data, sizeof(event));
        if (run->touch)
            run->sum += traffic_touch(run->data, run->size_bytes);
        send_note(run, FARM_SUPERVISOR, event);
    }
}

static cb_status run_plainly(match *run, double *elapsed_ns)
{
    size_t role = farm_of(run->me)->role;

    *elapsed_ns = 0;
    if (role == FARM_SUPERVISOR)
        *elapsed_ns = supervise_plainly(run);
    else if (role == FARM_SOURCE)
        push_plainly(run);
    else
        collect_plainly(run);
    return CB_OK;
}

static cb_status run_combench(match *run, double *elapsed_ns)
{
    farm_load load = {.events = run->events, .in_flight = run->in_flight};
    rate_tally tally = {0};

    farm_begin(run->me, run->next_event, run->events,
               run->touch ? &farm_fragments_touched : &farm_fragments_bare, 0);
    run->next_event += run->events;
    if (farm_of(run->me)->role == FARM_SUPERVISOR)
        CB_TRY(farm_supervise(run->me, run->actions, &load, &tally));
    else
        CB_TRY(farm_serve(run->me, run->actions));
    *elapsed_ns = tally.elapsed_ns;
    return farm_check_sum(run->me);
}

static const struct {
    const char *name;
    cb_status (*run)(match *run, double *elapsed_ns);
} contenders[CONTENDERS] = {
    {"plain MPI", run_plainly}, {"plain MPI again", run_plainly}, {"combench", run_combench}};

/* A barrier before each block: it starts with no message pending. */
static cb_status run_block(match *run, size_t contender, double *elapsed_ns)
{
    MPI_Barrier(run->communicator);
    return contenders[contender].run(run, elapsed_ns);
}

/* The supervisor times events to find how many make a block. */
static cb_status choose_events(match *run)
{
    double elapsed_ns = 0;
    uint64_t next;

    for (run->events = 64;; run->events = next) {
        CB_TRY(run_block(run, 0, &elapsed_ns));
        next = elapsed_ns < turn_block_ns ? 2 * run->events : run->events;
        MPI_Bcast(&next, 1, MPI_UINT64_T, FARM_SUPERVISOR, run->communicator);
        if (next == run->events)
            return CB_OK;
    }
}

static cb_status take_turns(match *run)
{
    double ignored_ns;

    for (size_t turn = 0; turn < WARM_UP_TURNS * CONTENDERS; turn++)
        CB_TRY(run_block(run, turn % CONTENDERS, &ignored_ns));
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < CONTENDERS; i++)
            CB_TRY(run_block(run, i, &run->times_ns[i][turn]));
    return CB_OK;
}

static void print_match(const match *run)
{
    double ratios[TURNS], times_ns[TURNS];
    stats_summary summary = {0};

    for (size_t i = 0; i < CONTENDERS; i++) {
        memcpy(times_ns, run->times_ns[i], sizeof(times_ns));
        for (size_t turn = 0; turn < TURNS; turn++)
            ratios[turn] = run->times_ns[0][turn] / run->times_ns[i][turn];
        summary = stats_summarize(ratios, TURNS);
        printf("%8zu  %-16s %10.0f  %7.3f [%.3f, %.3f]\n", run->size_bytes, contenders[i].name,
               (double)run->events / stats_summarize(times_ns, TURNS).median * 1e9, summary.median,
               stats_quantile(ratios, TURNS, 0.25), stats_quantile(ratios, TURNS, 0.75));
    }
    if (run->size_bytes == 64 || run->size_bytes == 1024)
        printf("target: push farm 1:1 of %zu bytes, frequency over plain MPI: %.3f at least 0.90\n",
               run->size_bytes, summary.median);
    fflush(stdout);
}

static cb_status compare(engine_session *session, size_t size_bytes)
{
    static const int ranks[] = {0, 1, 2};
    bench_measurement measurement = {.mode = &session->job->definition->modes[0],
                                     .shape = farm_shape(1, 1),
                                     .size_bytes = size_bytes};
    match *run = cb_allocate(1, sizeof(*run), "a comparison");
    const bench_options *options = session->job->options;

    if (run == NULL)
        return CB_ERROR_MEMORY;
    run->session = session;
    run->size_bytes = size_bytes;
    run->in_flight = options->in_flight > 0 ? options->in_flight : USUAL_IN_FLIGHT;
    run->touch = strcmp(options->touch, "all") == 0;
    run->data = cb_allocate_aligned(CB_CACHE_LINE, size_bytes, "a packet");
    if (run->data == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(rank_create(&(rank_setting){.definition = session->job->definition,
                                       .options = session->job->options,
                                       .measurement = &measurement,
                                       .ranks = ranks,
                                       .participants = 3},
                       session->technology, &run->me, &run->actions));
    CB_TRY(farm_join(run->me, &measurement.shape, run->in_flight));
    MPI_Comm_dup(MPI_COMM_WORLD, &run->communicator);
    CB_TRY(choose_events(run));
    CB_TRY(take_turns(run));
    if (farm_of(run->me)->role == FARM_SUPERVISOR)
        print_match(run);
    CB_TRY(transport_flush(session->technology));
    MPI_Barrier(run->communicator);
    MPI_Comm_free(&run->communicator);
    farm_leave(run->me);
    rank_destroy(session->job->definition, run->me);
    free(run->data);
    free(run);
    return CB_OK;
}

static cb_status compare_all(engine_session *session)
{
    static const uint64_t usual[] = {0, 64, 256, 1024};
    const cb_list *sizes = &session->job->options->sizes;
    const uint64_t *values = sizes->count > 0 ? sizes->values : usual;
    size_t count = sizes->count > 0 ? sizes->count : sizeof(usual) / sizeof(usual[0]);

    if (control_rank(session->plane) == 0)
        printf("push farm 1:1, %d turns\n%8s  %-16s %10s  %7s [quartiles]\n", TURNS, "bytes", "",
               "events/s", "ratio");
    for (size_t i = 0; i < count; i++)
        CB_TRY(compare(session, (size_t)values[i]));
    return CB_OK;
}

int main(int argc, char **argv)
{
    return perf_main(&cb_pushfarm, "perf_farm", 3, compare_all, argc, argv);
}
