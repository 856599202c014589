/* The technology mpi when MPI gives errors: each is returned, no other message is lost or spoilt by
 * it, and what was posted can be received, prepared again and destroyed. Errors are real, of
 * messages that are too long, or made by wrappers around the library. Three ranks: rank 0 receives.
 */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "tests/common/job.h"
#include "transport/transport.h"

/* The wrappers: a chosen call of a kind returns an error and does nothing. */

typedef enum {
    NO_CALL,
    CALL_TEST,
    CALL_TESTALL,
    CALL_TESTSOME,
    CALL_IRECV,
    CALL_ISEND
} library_call;

static struct {
    library_call call;
    unsigned passed; /* number of calls that succeed before it */
} failing;

static void break_call(library_call call, unsigned passed)
{
    failing.call = call;
    failing.passed = passed;
}

static bool fails(library_call call)
{
    if (failing.call != call || failing.passed-- > 0)
        return false;
    failing.call = NO_CALL;
    return true;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    return fails(CALL_TEST) ? MPI_ERR_OTHER : PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    return fails(CALL_TESTALL) ? MPI_ERR_OTHER : PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testsome(int count, MPI_Request requests[], int *completed, int indices[],
                 MPI_Status statuses[])
{
    return fails(CALL_TESTSOME) ? MPI_ERR_OTHER
                                : PMPI_Testsome(count, requests, completed, indices, statuses);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm communicator, MPI_Request *request)
{
    return fails(CALL_IRECV) ? MPI_ERR_OTHER
                             : PMPI_Irecv(buffer, count, type, source, tag, communicator, request);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int destination, int tag,
              MPI_Comm communicator, MPI_Request *request)
{
    return fails(CALL_ISEND)
               ? MPI_ERR_OTHER
               : PMPI_Isend(buffer, count, type, destination, tag, communicator, request);
}

/* The technology */

/* LONG is sent eagerly: Open MPI 4.1 writes a rendezvous message beyond the end of a buffer that
 * is too short. */
enum { RANKS = 3, SHORT = 256, LONG = 1024, LARGE = 300000 };

static transport_factory *factory;
static transport_node *nodes[RANKS];

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static void prepare(size_t bytes, size_t unanswered)
{
    job_barrier();
    REQUIRE_OK(transport_prepare(
        factory,
        &(transport_preparation){.message_bytes = bytes, .unanswered = unanswered, .buffers = 1}));
    job_barrier();
}

/* The receiver announces `bytes`, the senders any size. If no receive is posted, a receive calls
 * MPI_Recv, whether the library yields in it or not. */
static void open_technology(size_t bytes, size_t unanswered)
{
    transport_bootstrap bootstrap = {
        .rank = job.rank, .size = job.size, .context = job.everyone, .exchange = exchange_all};
    transport_wait ignored;

    ck_assert_int_eq(job.size, RANKS);
    REQUIRE_OK(transport_open(transport_find("mpi"), &bootstrap, &factory));
    REQUIRE_OK(transport_set_wait(factory, TRANSPORT_WAIT_SPIN, &ignored));
    for (int rank = 0; rank < RANKS; rank++)
        REQUIRE_OK(transport_node_create(factory, rank, &nodes[rank]));
    prepare(job.rank == 0 ? bytes : LARGE, unanswered);
}

static void close_technology(void)
{
    ck_assert_uint_eq(factory->held, 0);
    for (int rank = 0; rank < RANKS; rank++)
        transport_node_destroy(nodes[rank]);
    REQUIRE_OK(transport_close(factory));
}

/* Sent messages have arrived at the other side, but were not received. */
static void let_come(void)
{
    const int rounds = 20;

    for (int i = 0; i < rounds; i++)
        job_barrier();
}

static transport_buffer *message(unsigned char number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(factory, bytes);

    ck_assert_ptr_nonnull(buffer);
    memset(buffer->data, number, bytes);
    return buffer;
}

static void send_to_receiver(unsigned char number, size_t bytes)
{
    REQUIRE_OK(transport_send(nodes[0], message(number, bytes)));
}

static void check(transport_buffer *buffer, unsigned char number, size_t bytes)
{
    const unsigned char *data = buffer->data;

    ck_assert_uint_eq(buffer->size, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != number)
            ck_abort_msg("byte %zu is of message %d, and not of %d", i, data[i], number);
    transport_buffer_release(buffer);
}

/* Ways of receiving from rank 1 */

typedef cb_status (*receiving)(transport_group *group, transport_buffer **out);

static cb_status receive(transport_group *group, transport_buffer **out)
{
    (void)group;
    return transport_receive(nodes[1], out);
}

static cb_status try_to_receive(transport_group *group, transport_buffer **out)
{
    cb_status status;

    (void)group;
    while ((status = transport_try_receive(nodes[1], out)) == CB_EMPTY)
        sched_yield();
    return status;
}

static cb_status receive_from_group(transport_group *group, transport_buffer **out)
{
    transport_node *from;

    return transport_group_receive(group, out, &from);
}

static const receiving ways[] = {receive, try_to_receive, receive_from_group};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Groups need two senders: mpi receives from a group of one node as from the node. */
static transport_group *group_of(size_t first, size_t count)
{
    transport_group *group = NULL;

    REQUIRE_OK(transport_group_create(factory, &nodes[first], count, NULL, false, &group));
    return group;
}

static cb_status silently(receiving way, transport_group *group)
{
    transport_buffer *buffer;
    cb_status status;

    cb_log_silence(1);
    status = way(group, &buffer);
    cb_log_silence(0);
    return status;
}

static void expect_messages(receiving way, transport_group *group, unsigned char first,
                            unsigned char last)
{
    for (unsigned char number = first; number <= last; number++) {
        transport_buffer *buffer = NULL;

        REQUIRE_OK(way(group, &buffer));
        check(buffer, number, SHORT);
    }
}

static void expect_last_error(const char *attempt)
{
    char text[CB_LAST_ERROR_BYTES];

    ck_assert(transport_last_error(factory, text, sizeof(text)));
    ck_assert_msg(strstr(text, attempt) != NULL, "the last error is '%s'", text);
}

/* One receive fails, between messages as announced, and the others succeed. */
static void expect_one_failure(receiving way)
{
    transport_group *group = group_of(1, 2);

    expect_messages(way, group, 1, 2);
    ck_assert_int_eq(silently(way, group), CB_ERROR_TRANSPORT);
    expect_last_error("MPI cannot receive from");
    expect_messages(way, group, 4, 9);
    transport_group_destroy(group);
}

static void send_one_too_long(void)
{
    for (unsigned char number = 1; number < 10; number++)
        send_to_receiver(number, number == 3 ? LONG : SHORT);
}

JOB_TEST(a_message_that_is_too_long_is_an_error_and_the_next_ones_arrive)
{
    static const size_t announced[] = {1, 50};

    for (size_t i = 0; i < 2 * WAYS; i++) {
        open_technology(SHORT, announced[i / WAYS]);
        if (job.rank == 1)
            send_one_too_long();
        if (job.rank == 0)
            expect_one_failure(ways[i % WAYS]);
        prepare(SHORT, 1);
        if (job.rank == 1)
            send_to_receiver(10, SHORT);
        if (job.rank == 0)
            expect_messages(receive, NULL, 10, 10);
        close_technology();
    }
}

JOB_TEST(a_factory_closes_after_a_message_that_was_too_long)
{
    for (size_t i = 0; i < WAYS; i++) {
        transport_group *group;

        open_technology(SHORT, 50);
        group = group_of(1, 2);
        if (job.rank == 1)
            send_to_receiver(1, LONG);
        if (job.rank == 0)
            ck_assert_int_eq(silently(ways[i], group), CB_ERROR_TRANSPORT);
        transport_group_destroy(group);
        close_technology();
    }
}

/* Both have arrived when the group is polled: one batch of a failure and a message. */
JOB_TEST(a_failure_in_a_batch_does_not_block_other_messages)
{
    unsigned failures = 0, messages = 0;
    transport_group *group;

    open_technology(SHORT, 1);
    group = group_of(1, 2);
    if (job.rank > 0)
        send_to_receiver((unsigned char)job.rank, job.rank == 1 ? LONG : SHORT);
    let_come();
    cb_log_silence(1);
    while (job.rank == 0 && failures + messages < 2) {
        transport_node *from = NULL;
        transport_buffer *buffer = NULL;
        cb_status status = transport_group_try_receive(group, &buffer, &from);

        failures += status == CB_ERROR_TRANSPORT;
        if (status != CB_OK)
            continue;
        messages++;
        ck_assert_ptr_eq(from, nodes[2]);
        check(buffer, 2, SHORT);
    }
    cb_log_silence(0);
    ck_assert_uint_eq(failures, job.rank == 0);
    job_barrier();
    if (job.rank == 1)
        send_to_receiver(3, SHORT);
    if (job.rank == 0)
        expect_messages(receive_from_group, group, 3, 3);
    transport_group_destroy(group);
    close_technology();
}

/* Calls that fail although the messages are valid */

static void fail_once_and_receive(receiving way, library_call call, unsigned passed)
{
    transport_group *group = group_of(1, 2);

    break_call(call, passed);
    ck_assert_int_eq(silently(way, group), CB_ERROR_TRANSPORT);
    expect_messages(way, group, 1, 3);
    transport_group_destroy(group);
}

JOB_TEST(a_failed_receive_loses_no_other_message)
{
    static const struct {
        receiving way;
        library_call call;
        unsigned passed;
        size_t unanswered;
    } cases[] = {
        {try_to_receive, CALL_TEST, 0, 1},          {try_to_receive, CALL_IRECV, 0, 1},
        {try_to_receive, CALL_IRECV, 0, 50},        {try_to_receive, CALL_IRECV, 3, 50},
        {receive_from_group, CALL_TESTSOME, 0, 1},  {receive_from_group, CALL_IRECV, 0, 1},
        {receive_from_group, CALL_TESTSOME, 0, 50}, {receive_from_group, CALL_IRECV, 3, 50},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_technology(SHORT, cases[i].unanswered);
        if (job.rank == 1)
            for (unsigned char number = 1; number < 4; number++)
                send_to_receiver(number, SHORT);
        let_come();
        if (job.rank == 0)
            fail_once_and_receive(cases[i].way, cases[i].call, cases[i].passed);
        close_technology();
    }
}

JOB_TEST(a_failed_send_releases_its_buffer_and_the_next_one_arrives)
{
    open_technology(SHORT, 1);
    if (job.rank == 1) {
        break_call(CALL_ISEND, 0);
        cb_log_silence(1);
        ck_assert_int_eq(transport_send(nodes[0], message(1, SHORT)), CB_ERROR_TRANSPORT);
        expect_last_error("MPI cannot send to");
        cb_log_silence(0);
        ck_assert_int_eq(failing.call, NO_CALL);
        send_to_receiver(2, SHORT);
    }
    if (job.rank == 0)
        expect_messages(receive, NULL, 2, 2);
    close_technology();
}

/* Too large to complete before it is received, so that its completion is tested without success. */
static void expect_large(transport_node *from, unsigned char number)
{
    transport_buffer *buffer = NULL;

    REQUIRE_OK(transport_receive(from, &buffer));
    check(buffer, number, LARGE);
}

static void fail_to_complete(library_call call)
{
    break_call(call, 0);
    cb_log_silence(1);
    ck_assert_int_eq(transport_flush(factory), CB_ERROR_TRANSPORT);
    cb_log_silence(0);
    ck_assert_int_eq(failing.call, NO_CALL);
    REQUIRE_OK(transport_flush(factory));
}

/* One send is tested individually, many together. */
JOB_TEST(pending_sends_keep_their_buffers_when_a_completion_fails)
{
    static const struct {
        library_call call;
        unsigned char messages;
    } cases[] = {{CALL_TEST, 1}, {CALL_TESTALL, 12}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_technology(LARGE, 1);
        if (job.rank == 1) {
            for (unsigned char number = 1; number <= cases[i].messages; number++)
                send_to_receiver(number, LARGE);
            fail_to_complete(cases[i].call);
            send_to_receiver((unsigned char)(cases[i].messages + 1), LARGE);
        }
        if (job.rank == 0)
            for (unsigned char number = 1; number <= cases[i].messages + 1; number++)
                expect_large(nodes[1], number);
        close_technology();
    }
}

/* Enough sends that they are tested after the receive, whose message is lost with the error. */
JOB_TEST(a_receive_that_detects_a_failed_send_releases_its_buffer)
{
    enum { SENDS = 12 };

    open_technology(LARGE, 1);
    if (job.rank == 1)
        send_to_receiver(1, SHORT);
    if (job.rank == 0) {
        for (unsigned char number = 1; number <= SENDS; number++)
            REQUIRE_OK(transport_send(nodes[1], message(number, LARGE)));
        break_call(CALL_TESTALL, 0);
        ck_assert_int_eq(silently(receive, NULL), CB_ERROR_TRANSPORT);
        ck_assert_uint_eq(factory->held, 0);
    }
    if (job.rank == 1) {
        for (unsigned char number = 1; number <= SENDS; number++)
            expect_large(nodes[0], number);
        send_to_receiver(2, SHORT);
    }
    if (job.rank == 0)
        expect_messages(receive, NULL, 2, 2);
    close_technology();
}

JOB_TEST(a_loop_of_sends_stops_at_the_first_failure)
{
    transport_group *group;

    open_technology(SHORT, 1);
    group = group_of(0, RANKS);
    if (job.rank == 1) {
        break_call(CALL_ISEND, 1);
        cb_log_silence(1);
        ck_assert_int_eq(transport_group_send(group, message(5, SHORT)), CB_ERROR_TRANSPORT);
        cb_log_silence(0);
        send_to_receiver(6, SHORT);
    }
    if (job.rank == 0)
        expect_messages(receive, NULL, 5, 6);
    transport_group_destroy(group);
    close_technology();
}

/* A pending multicast holds a buffer of the pool that preparing would allocate again. */
JOB_TEST(preparing_is_refused_while_a_multicast_is_pending)
{
    transport_preparation preparation = {.message_bytes = SHORT, .try_multicast = true};
    transport_group *group = NULL;
    transport_buffer *buffer;

    open_technology(SHORT, 1);
    job_barrier();
    REQUIRE_OK(transport_prepare(factory, &preparation));
    REQUIRE_OK(transport_group_create(factory, &nodes[1], 2, job.rank == 0 ? NULL : nodes[0], true,
                                      &group));
    if (job.rank > 0) {
        ck_assert_int_eq(transport_group_try_receive_root(group, &buffer), CB_EMPTY);
        cb_log_silence(1);
        ck_assert_int_eq(transport_prepare(factory, &preparation), CB_ERROR_TRANSPORT);
        cb_log_silence(0);
    }
    transport_group_destroy(group);
    REQUIRE_OK(transport_prepare(factory, &preparation));
    close_technology();
}

JOB_TEST(polling_for_an_unannounced_multicast_is_refused)
{
    transport_group *group = NULL;
    transport_buffer *buffer;

    open_technology(SHORT, 1);
    REQUIRE_OK(transport_group_create(factory, &nodes[1], 2, job.rank == 0 ? NULL : nodes[0], true,
                                      &group));
    cb_log_silence(1);
    if (job.rank > 0)
        ck_assert_int_eq(transport_group_try_receive_root(group, &buffer), CB_ERROR_TRANSPORT);
    cb_log_silence(0);
    transport_group_destroy(group);
    close_technology();
}

static TCase *failures_of_mpi(void)
{
    TCase *theme = tcase_create("mpi");

    tcase_add_test(theme, a_message_that_is_too_long_is_an_error_and_the_next_ones_arrive);
    tcase_add_test(theme, a_factory_closes_after_a_message_that_was_too_long);
    tcase_add_test(theme, a_failure_in_a_batch_does_not_block_other_messages);
    tcase_add_test(theme, a_failed_receive_loses_no_other_message);
    tcase_add_test(theme, a_failed_send_releases_its_buffer_and_the_next_one_arrives);
    tcase_add_test(theme, pending_sends_keep_their_buffers_when_a_completion_fails);
    tcase_add_test(theme, a_receive_that_detects_a_failed_send_releases_its_buffer);
    tcase_add_test(theme, a_loop_of_sends_stops_at_the_first_failure);
    tcase_add_test(theme, preparing_is_refused_while_a_multicast_is_pending);
    tcase_add_test(theme, polling_for_an_unannounced_multicast_is_refused);
    return theme;
}

int main(void)
{
    static TCase *(*const themes[])(void) = {failures_of_mpi};

    job_open("test_failures");
    return job_close(job_run("failures", themes, 1));
}
