/* Every message arrives once, complete and in order, or the peer is reported lost, under any
 * faults of the wire. Random with fixed seeds; SCI_TEST_SEED=N selects others. */
#include "tests/transport/sci/pair.h"
#include "tests/common/unit.h"

#include <stdlib.h>

#include "base/random.h"

enum {
    MESSAGES = 120,
    SCHEDULES = 15,
    MULTICAST_SCHEDULES = 4,
    THREAD_SCHEDULES = 6,
    PLAIN_SCHEDULES = 36,
    LOSSES = 3,
    LARGEST = 700,
    AHEAD = 30
};

static uint64_t seed;

/* Small ones go in lines, large ones in pieces. */
static size_t size_of(int source, uint64_t number)
{
    uint64_t draw = cb_mix64(seed * 977 + number * 2 + (uint64_t)source);

    return draw % 2 == 0 ? draw / 2 % 60 : draw / 2 % (LARGEST + 1);
}

/* In both directions at once, so that acknowledgements are mixed with data of the other
 * direction. */
static void talk(pair_end *end)
{
    uint64_t sent = 0, received = 0;

    while (received < MESSAGES || sent < MESSAGES) {
        transport_buffer *buffer = NULL;
        cb_status status;

        for (; sent < MESSAGES && sent < received + AHEAD; sent++)
            pair_send(end, sent, size_of(end->rank, sent));
        status = transport_try_receive(end->node, &buffer);
        PAIR_REQUIRE(status == CB_OK || status == CB_EMPTY, PAIR_LOST);
        if (status == CB_EMPTY)
            continue;
        PAIR_REQUIRE(received < MESSAGES, PAIR_WRONG);
        pair_check(buffer, !end->rank, received, size_of(!end->rank, received));
        transport_buffer_release(buffer);
        received++;
    }
}

/* No more messages may arrive until both ends have received everything. */
static void listen_to_the_end(pair_end *end)
{
    transport_buffer *buffer = NULL;

    PAIR_REQUIRE(transport_flush(end->factory) == CB_OK, PAIR_LOST);
    pair_tell(end);
    pair_hear(end);
    for (int i = 0; i < 100; i++)
        PAIR_REQUIRE(transport_try_receive(end->node, &buffer) == CB_EMPTY, PAIR_WRONG);
}

static void talk_and_listen(pair_end *end)
{
    talk(end);
    listen_to_the_end(end);
}

/* The threads that send and the one that acknowledges store through one map, so that each push
 * takes along what the others have stored so far, and each fault is reported to all. */
static void talk_by_threads_and_listen(pair_end *end)
{
    pair_talk_by_threads(end, 4, 40);
    listen_to_the_end(end);
}

/* Each end is the root of a group whose only member is the other. */
typedef struct {
    pair_end *end;
    transport_node *self;
    transport_group *mine, *theirs;
} conference;

static conference confer(pair_end *end)
{
    conference both = {.end = end};

    PAIR_REQUIRE(transport_node_create(end->factory, end->rank, &both.self) == CB_OK, PAIR_LOST);
    for (int root = 0; root < 2; root++) {
        bool own = root == end->rank;

        PAIR_REQUIRE(transport_group_create(end->factory, own ? &end->node : &both.self, 1,
                                            own ? NULL : end->node, true,
                                            own ? &both.mine : &both.theirs) == CB_OK,
                     PAIR_LOST);
    }
    return both;
}

static void end_conference(conference *both)
{
    for (int root = 0; root < 2; root++)
        transport_group_destroy(root == both->end->rank ? both->mine : both->theirs);
    transport_node_destroy(both->self);
}

/* Messages to the group and to its only member alternate. */
static void send_next(const conference *both, uint64_t number)
{
    transport_buffer *message = pair_message(both->end, number, size_of(both->end->rank, number));

    PAIR_REQUIRE((number % 3 == 0 ? transport_send(both->end->node, message)
                                  : transport_group_send(both->mine, message)) == CB_OK,
                 PAIR_LOST);
}

static bool try_next(const conference *both, uint64_t number)
{
    transport_buffer *buffer = NULL;
    cb_status status = number % 3 == 0 ? transport_try_receive(both->end->node, &buffer)
                                       : transport_group_try_receive_root(both->theirs, &buffer);

    PAIR_REQUIRE(status == CB_OK || status == CB_EMPTY, PAIR_LOST);
    if (status == CB_EMPTY)
        return false;
    pair_check(buffer, !both->end->rank, number, size_of(!both->end->rank, number));
    transport_buffer_release(buffer);
    return true;
}

static void talk_in_groups(pair_end *end)
{
    conference both = confer(end);
    uint64_t sent = 0, received = 0;

    while (received < MESSAGES || sent < MESSAGES) {
        for (; sent < MESSAGES && sent < received + AHEAD; sent++)
            send_next(&both, sent);
        if (received < MESSAGES)
            received += try_next(&both, received);
    }
    end_conference(&both);
}

/* Any twelve consecutive seeds cover lines and notices with each number outstanding. */
static pair_plan plan_of(cb_random *random, const char *faults)
{
    static const uint64_t outstanding[] = {1, 2, 8, 15};
    bool lines = seed % 3 > 0;

    return (pair_plan){.form = {.outstanding = outstanding[seed / 3 % 4],
                                .bytes = 64 * (2 + cb_random_below(random, 7)),
                                .spare = 1 + cb_random_below(random, 3),
                                .lines = lines},
                       .message_bytes = LARGEST,
                       .wait = TRANSPORT_WAIT_YIELD,
                       .faults = faults,
                       .bodies = {talk_and_listen, talk_and_listen}};
}

static void begin(void)
{
    const char *text = getenv("SCI_TEST_SEED");

    seed = text != NULL ? strtoull(text, NULL, 10) : 1;
}

/* SCI_TEST_SCHEDULES=N uses fewer seeds, for slow builds. */
static int schedules_of(int most)
{
    const char *text = getenv("SCI_TEST_SCHEDULES");
    int wanted = text != NULL ? atoi(text) : most;

    return wanted > 0 && wanted < most ? wanted : most;
}

START_TEST(every_message_arrives_once_complete_and_in_order_under_any_faults)
{
    begin();
    for (int i = 0; i < schedules_of(SCHEDULES); i++, seed++) {
        cb_random random = cb_random_seed(seed);
        char faults[128];
        int outcomes[2];
        pair_plan plan;

        snprintf(faults, sizeof(faults),
                 "seed=%u,drop=0.%02u,tear=0.%02u,pending=0.2,cut=0.1,"
                 "reorder=%u",
                 (unsigned)seed, (unsigned)cb_random_below(&random, 20),
                 (unsigned)cb_random_below(&random, 20), (unsigned)cb_random_below(&random, 2));
        plan = plan_of(&random, faults);
        pair_run(&plan, outcomes);
        if (outcomes[0] != 0 || outcomes[1] != 0)
            ck_abort_msg("SCI_TEST_SEED=%llu (%s): the ends ended with %d and %d",
                         (unsigned long long)seed, faults, outcomes[0], outcomes[1]);
    }
}
END_TEST

/* All kinds of faults at once. */
static void talk_over_a_bad_wire(pair_body body, bool many_senders)
{
    cb_random random = cb_random_seed(seed);
    char faults[128];
    int outcomes[2];
    pair_plan plan;

    snprintf(faults, sizeof(faults), "seed=%u,drop=0.1,tear=0.1,pending=0.2,cut=0.1,reorder=1",
             (unsigned)seed);
    plan = plan_of(&random, faults);
    plan.many_senders = many_senders;
    plan.bodies[0] = plan.bodies[1] = body;
    pair_run(&plan, outcomes);
    if (outcomes[0] != 0 || outcomes[1] != 0)
        ck_abort_msg("SCI_TEST_SEED=%llu (%s): the ends ended with %d and %d",
                     (unsigned long long)seed, faults, outcomes[0], outcomes[1]);
}

START_TEST(every_multicast_arrives_once_complete_and_in_order_under_any_faults)
{
    begin();
    for (int i = 0; i < schedules_of(MULTICAST_SCHEDULES); i++, seed++)
        talk_over_a_bad_wire(talk_in_groups, false);
}
END_TEST

START_TEST(messages_of_many_threads_arrive_once_complete_and_in_order)
{
    begin();
    for (int i = 0; i < schedules_of(THREAD_SCHEDULES); i++, seed++)
        talk_over_a_bad_wire(talk_by_threads_and_listen, true);
}
END_TEST

/* Each kind of traffic without faults, in the configurations of twelve seeds. */
START_TEST(every_message_arrives_once_and_in_order_without_faults)
{
    static const pair_body bodies[] = {talk_and_listen, talk_in_groups, talk_by_threads_and_listen};

    begin();
    for (int i = 0; i < PLAIN_SCHEDULES; i++, seed++) {
        cb_random random = cb_random_seed(seed);
        pair_plan plan = plan_of(&random, NULL);
        int outcomes[2];

        plan.bodies[0] = plan.bodies[1] = bodies[i / 12];
        plan.many_senders = i / 12 == 2;
        pair_run(&plan, outcomes);
        if (outcomes[0] != 0 || outcomes[1] != 0)
            ck_abort_msg("SCI_TEST_SEED=%llu: the ends ended with %d and %d",
                         (unsigned long long)seed, outcomes[0], outcomes[1]);
    }
}
END_TEST

static bool is_right_or_lost(int outcome)
{
    return outcome == 0 || outcome == PAIR_LOST;
}

START_TEST(a_peer_is_reported_lost_when_its_connection_ends)
{
    begin();
    for (int i = 0; i < LOSSES; i++, seed++) {
        cb_random random = cb_random_seed(seed);
        char faults[128];
        int outcomes[2];
        pair_plan plan;

        snprintf(faults, sizeof(faults), "seed=%u,drop=0.1,lose=0.3,reorder=1", (unsigned)seed);
        plan = plan_of(&random, faults);
        pair_run(&plan, outcomes);
        if (!is_right_or_lost(outcomes[0]) || !is_right_or_lost(outcomes[1]) ||
            (outcomes[0] == 0 && outcomes[1] == 0))
            ck_abort_msg("SCI_TEST_SEED=%llu (%s): the ends ended with %d and %d",
                         (unsigned long long)seed, faults, outcomes[0], outcomes[1]);
    }
}
END_TEST

/* After each fault the next transfer starts at once and meets the next fault. */
START_TEST(an_unreachable_peer_is_reported_lost)
{
    cb_random random = cb_random_seed(1);
    pair_plan plan = plan_of(&random, "seed=1,drop=1,pending=0.3,cut=0.3");
    int outcomes[2];

    pair_run(&plan, outcomes);
    ck_assert_int_eq(outcomes[0], PAIR_LOST);
    ck_assert_int_eq(outcomes[1], PAIR_LOST);
}
END_TEST

UNIT_MAIN("sci over a lossy wire",
          every_message_arrives_once_complete_and_in_order_under_any_faults,
          every_multicast_arrives_once_complete_and_in_order_under_any_faults,
          messages_of_many_threads_arrive_once_complete_and_in_order,
          every_message_arrives_once_and_in_order_without_faults,
          a_peer_is_reported_lost_when_its_connection_ends, an_unreachable_peer_is_reported_lost)
