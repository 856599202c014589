/* Two processes on different nodes: errors of connections for each state of the owner, and
 * errors of the owner while it is connected. */
#include "tests/sisci/fixture.h"

#include "sisci/internal.h"

enum { ID = 41, NUMBER = 6, NODE = 8, BYTES = 8192 };

/* The owner: executes orders given as letters and answers with the result. */

static const struct {
    sci_error_t error;
    char letter;
} answers[] = {{SCI_ERR_OK, 'k'},
               {SCI_ERR_BUSY, 'b'},
               {SCI_ERR_SEGMENT_NOT_PREPARED, 'n'},
               {SCI_ERR_ILLEGAL_OPERATION, 'i'},
               {SCI_ERR_SEGMENTID_USED, 'u'}};

static char answer_to(sci_error_t error)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        if (answers[i].error == error)
            return answers[i].letter;
    return '?';
}

typedef struct {
    sci_desc_t sd;
    sci_local_segment_t segment;
    sci_local_interrupt_t interrupt;
} owner;

static sci_error_t obey(owner *here, char order)
{
    unsigned number = NUMBER;
    sci_error_t error = SCI_ERR_OK;

    switch (order) {
    case 'c':
        SCICreateSegment(here->sd, &here->segment, ID, BYTES, NULL, NULL, 0, &error);
        break;
    case 'p':
        SCIPrepareSegment(here->segment, 0, 0, &error);
        break;
    case 'a':
        SCISetSegmentAvailable(here->segment, 0, 0, &error);
        break;
    case 'u':
        SCISetSegmentUnavailable(here->segment, 0, 0, &error);
        break;
    case 'f':
        SCISetSegmentUnavailable(here->segment, 0, SCI_FLAG_FORCE_DISCONNECT, &error);
        break;
    case 'r':
        SCIRemoveSegment(here->segment, 0, &error);
        break;
    case 'i':
        SCICreateInterrupt(here->sd, &here->interrupt, 0, &number, NULL, NULL, SCI_FLAG_FIXED_INTNO,
                           &error);
        break;
    case 'l':
        sisci_shared_lock(&sisci_control_of(&here->segment->object)->lock);
        break;
    default:
        ck_abort_msg("no order is called '%c'", order);
    }
    return error;
}

static int own(helper *test, const void *unused)
{
    owner here = {.sd = begin()};

    (void)unused;
    tell(test, 'r');
    for (char order = hear(test); order != 'q'; order = hear(test))
        tell(test, answer_to(obey(&here, order)));
    SCITerminate();
    tell(test, 'e');
    return hear(test) == 'q' ? 0 : 1;
}

static helper start_owner(void)
{
    return helper_start(own, NULL, NODE);
}

/* Send orders that must all succeed. */
static void order(const helper *other, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        tell(other, *letters);
        expect(other, 'k');
    }
}

static sci_desc_t begin_beside(const helper *other, const char *letters)
{
    sci_desc_t sd = begin();

    expect(other, 'r');
    order(other, letters);
    return sd;
}

static void finish(helper *other)
{
    tell(other, 'q');
    expect(other, 'e');
    tell(other, 'q');
    helper_finish(other);
}

static sci_error_t try_to_connect(sci_desc_t sd)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    SCIConnectSegment(sd, &segment, NODE, ID, 0, NULL, NULL, 0, 0, &error);
    return error;
}

static const struct {
    const char *orders;
    sci_error_t expected;
} connections[] = {
    {"", SCI_ERR_NO_SUCH_SEGMENT},        {"c", SCI_ERR_CONNECTION_REFUSED},
    {"cp", SCI_ERR_CONNECTION_REFUSED},   {"cpa", SCI_ERR_OK},
    {"cpau", SCI_ERR_CONNECTION_REFUSED}, {"cpaua", SCI_ERR_OK},
    {"cpar", SCI_ERR_NO_SUCH_SEGMENT},    {"cparcpa", SCI_ERR_OK},
};

START_TEST(a_connection_depends_on_the_state_of_the_owner)
{
    for (size_t i = 0; i < sizeof(connections) / sizeof(connections[0]); i++) {
        helper other = start_owner();
        sci_error_t error = try_to_connect(begin_beside(&other, connections[i].orders));

        ck_assert_msg(error == connections[i].expected, "after '%s': %s", connections[i].orders,
                      SCIGetErrorString(error));
        finish(&other);
        SCITerminate();
    }
}
END_TEST

START_TEST(the_node_of_a_terminated_owner_does_not_exist)
{
    helper other = start_owner();
    sci_desc_t sd = begin_beside(&other, "cpa");

    tell(&other, 'q');
    expect(&other, 'e');
    ck_error(try_to_connect(sd), SCI_ERR_NO_SUCH_NODEID);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(the_node_of_a_killed_owner_does_not_exist)
{
    helper other = start_owner();
    sci_desc_t sd = begin_beside(&other, "cpa");

    helper_kill(&other);
    ck_error(try_to_connect(sd), SCI_ERR_NO_SUCH_NODEID);
}
END_TEST

static const struct {
    const char *orders;
    char last;
    char answer;
} refusals[] = {{"c", 'a', 'n'},    {"c", 'u', 'i'},   {"c", 'c', 'u'},
                {"cpau", 'u', 'i'}, {"cpa", 'r', 'k'}, {"cpaf", 'r', 'k'}};

START_TEST(an_owner_is_refused_operations_that_its_state_forbids)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        helper other = start_owner();

        begin_beside(&other, refusals[i].orders);
        tell(&other, refusals[i].last);
        expect(&other, refusals[i].answer);
        finish(&other);
        SCITerminate();
    }
}
END_TEST

START_TEST(a_connection_from_another_node_keeps_a_segment_busy)
{
    helper other = start_owner();
    sci_remote_segment_t segment = reach(begin_beside(&other, "cpa"), NODE, ID);
    sci_error_t error;

    tell(&other, 'r');
    expect(&other, 'b');
    SCIDisconnectSegment(segment, 0, &error);
    ck_ok(error);
    tell(&other, 'r');
    expect(&other, 'k');
    finish(&other);
}
END_TEST

START_TEST(a_map_beyond_the_segment_of_another_node_is_out_of_range)
{
    helper other = start_owner();
    sci_remote_segment_t segment = reach(begin_beside(&other, "cpa"), NODE, ID);
    sci_error_t error;
    sci_map_t map;

    SCIMapRemoteSegment(segment, &map, 0, BYTES + 1, NULL, 0, &error);
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
    finish(&other);
}
END_TEST

/* The library's thread may have noticed already, which an event shows. */
static void await_loss(sci_remote_segment_t segment)
{
    sci_error_t error, status;

    ck_assert_int_eq(SCIWaitForRemoteSegmentEvent(segment, &status, SOON_MS, 0, &error),
                     SCI_CB_LOST);
    ck_ok(error);
}

START_TEST(a_checked_copy_to_a_killed_owner_fails)
{
    helper other = start_owner();
    sci_remote_segment_t segment = reach(begin_beside(&other, "cpa"), NODE, ID);
    sci_sequence_t sequence;
    unsigned word = 1;
    sci_error_t error;
    sci_map_t map;

    map_remote(segment, &map);
    sequence = watch(map);
    helper_kill(&other);
    await_loss(segment);
    SCIMemCpy(sequence, &word, map, 0, sizeof(word), SCI_FLAG_ERROR_CHECK, &error);
    ck_error(error, SCI_ERR_TRANSFER_FAILED);
}
END_TEST

START_TEST(connecting_to_the_interrupt_of_a_killed_owner_fails)
{
    helper other = start_owner();
    sci_desc_t sd = begin_beside(&other, "cpai");
    sci_remote_segment_t segment = reach(sd, NODE, ID);
    sci_remote_interrupt_t interrupt;
    sci_error_t error;

    SCIConnectInterrupt(sd, &interrupt, NODE, 0, NUMBER, 0, 0, &error);
    ck_ok(error);
    helper_kill(&other);
    await_loss(segment);
    SCITriggerInterrupt(interrupt, 0, &error);
    ck_error(error, SCI_ERR_NOT_CONNECTED);
}
END_TEST

START_TEST(an_owner_killed_while_holding_its_table_lock_blocks_no_process)
{
    helper other = start_owner();
    sci_remote_segment_t segment = reach(begin_beside(&other, "cpa"), NODE, ID);
    sci_error_t error;

    order(&other, "l");
    helper_kill(&other);
    SCIDisconnectSegment(segment, 0, &error);
    ck_ok(error);
}
END_TEST

UNIT_MAIN("sisci peers", a_connection_depends_on_the_state_of_the_owner,
          the_node_of_a_terminated_owner_does_not_exist, the_node_of_a_killed_owner_does_not_exist,
          an_owner_is_refused_operations_that_its_state_forbids,
          a_connection_from_another_node_keeps_a_segment_busy,
          a_map_beyond_the_segment_of_another_node_is_out_of_range,
          a_checked_copy_to_a_killed_owner_fails,
          connecting_to_the_interrupt_of_a_killed_owner_fails,
          an_owner_killed_while_holding_its_table_lock_blocks_no_process)
