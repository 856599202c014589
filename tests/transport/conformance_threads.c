/* Several threads that create and send buffers, to a node and to a group, while one receives and
 * releases: for technologies that declare this possible. */
#include "tests/transport/conformance.h"

#include <pthread.h>

enum { SENDERS = 4, EACH = 500, MESSAGES = SENDERS * EACH };

/* Threads do not assert: a failure in Check would leave the wrong thread. */
typedef struct {
    transport_node *node;
    transport_group *group; /* NULL: to the node */
    uint64_t first;         /* number of its first message */
    size_t bytes;
    cb_status status;
} sender;

static cb_status send_one(const sender *me, uint64_t number)
{
    transport_buffer *buffer = transport_buffer_create(here.factory, me->bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    conformance_fill(buffer, job.rank, number);
    return me->group != NULL ? transport_group_send(me->group, buffer)
                             : transport_send(me->node, buffer);
}

static void *send_all(void *context)
{
    sender *me = context;

    for (uint64_t i = 0; i < EACH && me->status == CB_OK; i++)
        me->status = send_one(me, me->first + i);
    return NULL;
}

/* Every second thread sends to a group of the same node. */
static void start_senders(sender *senders, pthread_t *threads, transport_group *group, size_t bytes)
{
    for (size_t i = 0; i < SENDERS; i++) {
        senders[i] = (sender){.node = here.nodes[conformance_next(job.size)],
                              .group = i % 2 == 1 ? group : NULL,
                              .first = i * EACH,
                              .bytes = bytes};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0);
    }
}

static void await_senders(const sender *senders, const pthread_t *threads)
{
    for (size_t i = 0; i < SENDERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        REQUIRE_OK(senders[i].status);
    }
}

/* All messages of all threads arrive once, and those of a thread in order where that is
 * declared. */
static void receive_all(size_t bytes)
{
    int previous = conformance_previous(job.size);
    bool ordered = conformance_declares(TRANSPORT_ORDERED), seen[MESSAGES] = {false};
    uint64_t next[SENDERS] = {0};

    for (size_t i = 0; i < MESSAGES; i++) {
        transport_buffer *buffer = NULL;
        uint64_t number;

        REQUIRE_OK(transport_receive(here.nodes[previous], &buffer));
        number = conformance_number(buffer);
        ck_assert_msg(number < MESSAGES && !seen[number], "number %d came twice, or was not sent",
                      (int)number);
        if (ordered)
            ck_assert_uint_eq(number % EACH, next[number / EACH]++);
        seen[number] = true;
        conformance_check(buffer, previous, number, bytes);
        transport_buffer_release(buffer);
    }
}

JOB_TEST(several_threads_can_send_concurrently_where_that_is_declared)
{
    static const size_t sizes[] = {8, 64, 5000};
    transport_group *group;

    if (!conformance_declares(TRANSPORT_CONCURRENT_SEND | TRANSPORT_RELIABLE))
        return;
    group = conformance_group((int[]){conformance_next(job.size)}, 1);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        sender senders[SENDERS];
        pthread_t threads[SENDERS];

        conformance_prepare(sizes[i]);
        start_senders(senders, threads, group, sizes[i]);
        receive_all(sizes[i]);
        await_senders(senders, threads);
    }
    transport_group_destroy(group);
}

TCase *conformance_threads(void)
{
    TCase *theme = tcase_create("threads");

    tcase_add_test(theme, several_threads_can_send_concurrently_where_that_is_declared);
    return theme;
}
