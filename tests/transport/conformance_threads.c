/* Several threads that create and send buffers, to a node and to a group, while one receives and
 * releases: for technologies that declare this possible. */
#include "tests/transport/conformance.h"

#include <pthread.h>
#include <string.h>

#include "base/log.h"

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

/* Every thread has an error of its own, while this one reads the last error of the factory. */

typedef struct {
    transport_node *node;
    transport_factory *other; /* not that of the node */
    int *running;
    bool refused;
} mistaken;

static void *send_buffers_of_another_factory(void *context)
{
    mistaken *me = context;
    const int rounds = 100;

    me->refused = true;
    for (int i = 0; i < rounds; i++)
        me->refused &=
            transport_send(me->node, transport_buffer_create(me->other, 64)) == CB_ERROR_USAGE;
    __atomic_fetch_sub(me->running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static transport_factory *open_another(void)
{
    transport_bootstrap bootstrap = conformance_bootstrap();
    transport_factory *other = NULL;

    REQUIRE_OK(transport_open(transport_find(here.factory->ops.name), &bootstrap, &other));
    REQUIRE_OK(
        transport_prepare(other, &(transport_preparation){.message_bytes = 64, .buffers = 4}));
    return other;
}

JOB_TEST(the_last_error_is_whole_while_several_threads_make_errors)
{
    const char *const begin = "cannot send a buffer of another factory", *const end =
                                                                             "copy the data";
    mistaken all[SENDERS];
    pthread_t threads[SENDERS];
    transport_factory *other;
    char text[CB_LAST_ERROR_BYTES];
    int running = SENDERS;

    if (!conformance_declares(TRANSPORT_CONCURRENT_SEND | TRANSPORT_RELIABLE))
        return;
    conformance_prepare(64);
    other = open_another();
    cb_log_silence(true);
    for (size_t i = 0; i < SENDERS; i++) {
        all[i] = (mistaken){
            .node = here.nodes[conformance_next(job.size)], .other = other, .running = &running};
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, send_buffers_of_another_factory, &all[i]), 0);
    }
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) > 0)
        if (transport_last_error(here.factory, text, sizeof(text)) && strstr(text, begin) == text)
            ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    for (size_t i = 0; i < SENDERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(all[i].refused);
    }
    cb_log_silence(false);
    ck_assert(transport_last_error(here.factory, text, sizeof(text)));
    ck_assert_ptr_eq(strstr(text, begin), text);
    job_barrier();
    REQUIRE_OK(transport_close(other));
}

TCase *conformance_threads(void)
{
    TCase *theme = tcase_create("threads");

    tcase_add_test(theme, several_threads_can_send_concurrently_where_that_is_declared);
    tcase_add_test(theme, the_last_error_is_whole_while_several_threads_make_errors);
    return theme;
}
