/* What an event costs the supervisor of a farm by the engine's own doing, and the rate that it
 * would allow: the closed and the open loop over a technology of this program, in which every
 * assignment is decided at once and nothing is moved. Beside it stands what the messages of the
 * event cost over mpi: a send to each source and the receive of a decision, from bare MPI calls to
 * oneself.
 *
 * perf_supervisor [--in-flight E], one process. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "benchmarks/registry.h"
#include "base/log.h"
#include "base/memory.h"
#include "farm/messages.h"
#include "farm/loops.h"
#include "tests/perf/session.h"
#include "transport/common/group.h"
#include "transport/buffer.h"

enum { EVENTS = 200000, REPEATS = 9, MOST_SOURCES = 16, DESTINATIONS = 4, TAG = 1 };

/* The technology: what is sent to the sources becomes the decision of the destination. */

typedef struct {
    transport_factory base;
    transport_pool pool;
    transport_node nodes[1 + MOST_SOURCES + DESTINATIONS];
    farm_message *decisions; /* a ring */
    uint64_t asked, answered, mask;
} echo_factory;

static echo_factory *echo_of(transport_factory *factory)
{
    return (echo_factory *)factory;
}

static cb_status echo_group_send(transport_group *group, transport_buffer *buffer)
{
    echo_factory *echo = echo_of(group->factory);

    memcpy(&echo->decisions[echo->asked++ & echo->mask], buffer->data, sizeof(farm_message));
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status echo_group_receive(transport_group *group, transport_buffer **out,
                                    transport_node **from)
{
    echo_factory *echo = echo_of(group->factory);
    const farm_message *note = &echo->decisions[echo->answered & echo->mask];

    if (echo->answered == echo->asked)
        return CB_EMPTY;
    echo->answered++;
    *out = transport_buffer_create(group->factory, sizeof(*note));
    if (*out == NULL)
        return CB_ERROR_MEMORY;
    memcpy((*out)->data, &(farm_message){.event = note->event}, sizeof(*note));
    *from = group->nodes[note->first];
    return CB_OK;
}

static const transport_technology echo_technology = {
    .name = "echo",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE,
    .group_send = echo_group_send,
    .group_receive = echo_group_receive,
    .group_try_receive = echo_group_receive,
};

typedef struct {
    echo_factory echo;
    bench_rank me;
    bench_peer peers[MOST_SOURCES + DESTINATIONS];
    transport_node *sources[MOST_SOURCES], *destinations[DESTINATIONS];
    transport_group to_sources, from_destinations;
    stats_histogram latencies[DESTINATIONS];
} supervisor;

static transport_group group_of(supervisor *one, transport_node **nodes, size_t count)
{
    return (transport_group){
        .ops = &one->echo.base.ops, .factory = &one->echo.base, .nodes = nodes, .count = count};
}

static cb_status make_supervisor(supervisor *one, size_t sources, uint64_t in_flight)
{
    transport_preparation preparation = {.message_bytes = sizeof(farm_message), .buffers = 64};
    size_t peers = sources + DESTINATIONS;
    farm_rank *farm = cb_allocate(1, sizeof(*farm), "a farm");

    if (farm == NULL)
        return CB_ERROR_MEMORY;
    one->echo.base.ops = echo_technology;
    one->echo.base.pool = &one->echo.pool;
    one->echo.mask = 65535;
    one->echo.decisions = cb_allocate(65536, sizeof(farm_message), "decisions");
    if (one->echo.decisions == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_pool_prepare(&one->echo.pool, &one->echo.base, &preparation));
    for (size_t i = 0; i < peers; i++) {
        one->echo.nodes[i] = (transport_node){
            .ops = &one->echo.base.ops, .factory = &one->echo.base, .rank = (int)i, .label = i};
        one->peers[i].node = &one->echo.nodes[i];
        *(i < sources ? &one->sources[i] : &one->destinations[i - sources]) = &one->echo.nodes[i];
    }
    one->to_sources = group_of(one, one->sources, sources);
    one->from_destinations = group_of(one, one->destinations, DESTINATIONS);
    *farm = (farm_rank){.role = FARM_SUPERVISOR,
                        .sources = sources,
                        .destinations = DESTINATIONS,
                        .all_sources = &one->to_sources};
    one->me = (bench_rank){.factory = &one->echo.base,
                           .peers = one->peers,
                           .peer_count = peers,
                           .group = &one->from_destinations,
                           .place.first_peer = {0, 0, sources},
                           .part = farm};
    return farm_ledger_create(DESTINATIONS, in_flight, &farm->supervisor.ledger);
}

static void unmake_supervisor(supervisor *one)
{
    farm_ledger_free(&farm_of(&one->me)->supervisor.ledger);
    free(one->me.part);
    free(one->echo.decisions);
    transport_pool_clear(&one->echo.pool);
}

/* Nanoseconds of an event: the median of some runs. */
static cb_status time_loop(supervisor *one, farm_load load, double *event_ns)
{
    const bench_actions *actions = &cb_pushfarm.modes[0].roles[FARM_SUPERVISOR];
    double runs_ns[REPEATS];
    uint64_t next_event = 0;

    load.events = EVENTS;
    for (size_t i = 0; i < REPEATS; i++) {
        rate_tally tally = {0};

        CB_TRY(farm_begin(&one->me, next_event, EVENTS, &farm_fragments_touched, 0));
        CB_TRY(farm_supervise(&one->me, actions, &load, &tally));
        next_event += EVENTS;
        runs_ns[i] = tally.elapsed_ns / EVENTS;
        if (tally.decided != EVENTS || tally.errors != 0)
            return CB_ERROR_DATA;
    }
    *event_ns = stats_summarize(runs_ns, REPEATS).median;
    return CB_OK;
}

/* The event's messages by plain calls, to this process itself: S sends and one receive. */
static double time_messages(size_t sources)
{
    double runs_ns[REPEATS];
    farm_message note = {.event = 0};

    for (size_t run = 0; run < REPEATS; run++) {
        uint64_t start_ns = cb_now_ns();

        for (size_t i = 0; i < EVENTS / 20; i++) {
            MPI_Request sent[MOST_SOURCES];

            for (size_t s = 0; s < sources; s++)
                MPI_Isend(&note, sizeof(note), MPI_BYTE, 0, TAG, MPI_COMM_SELF, &sent[s]);
            for (size_t s = 0; s < sources;
                 s++) /* those of the others' parts belong to the sends */
                MPI_Recv(&note, sizeof(note), MPI_BYTE, 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Waitall((int)sources, sent, MPI_STATUSES_IGNORE);
        }
        runs_ns[run] = (double)(cb_now_ns() - start_ns) / (EVENTS / 20);
    }
    return stats_summarize(runs_ns, REPEATS).median;
}

static cb_status measure(engine_session *session, size_t sources)
{
    uint64_t in_flight =
        session->job->options->in_flight > 0 ? session->job->options->in_flight : 16;
    supervisor *one = cb_allocate(1, sizeof(*one), "a supervisor");
    double closed_ns, timed_ns, open_ns;

    if (one == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(make_supervisor(one, sources, in_flight));
    CB_TRY(time_loop(one, (farm_load){.in_flight = in_flight}, &closed_ns));
    CB_TRY(time_loop(one, (farm_load){.in_flight = in_flight, .latencies = one->latencies},
                     &timed_ns));
    CB_TRY(time_loop(
        one,
        (farm_load){
            .in_flight = in_flight, .latencies = one->latencies, .open = true, .rate_hz = 1e9},
        &open_ns));
    printf("%7zu  %11.1f  %14.1f  %9.1f  %12.2f  %20.1f\n", sources, closed_ns, timed_ns, open_ns,
           1e3 / open_ns, time_messages(sources));
    fflush(stdout);
    unmake_supervisor(one);
    free(one);
    return CB_OK;
}

static cb_status measure_all(engine_session *session)
{
    static const size_t sources[] = {1, 4, 8, 16};

    printf("an event at the supervisor, ns; nothing is moved but in the last column\n"
           "sources  closed loop  with latencies  open loop  allows, MHz  bare MPI, to itself\n");
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        CB_TRY(measure(session, sources[i]));
    return CB_OK;
}

int main(int argc, char **argv)
{
    return perf_main(&cb_pushfarm, "perf_supervisor", 1, measure_all, argc, argv);
}
