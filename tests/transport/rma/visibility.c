/* A message that is announced is there: visibility TECHNOLOGY ROUNDS. Each rank sends to the next
 * and checks every byte of what it receives from the previous one, in place, as soon as it is
 * handed out. No byte has the value that it had in the last message in the same memory. For hosts
 * whose network delivers a notice on another way than the data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/random.h"
#include "tests/common/job.h"
#include "transport/transport.h"

enum { WINDOW = 8, LARGEST = 300000 };

static const transport_technology *technology;
static uint64_t rounds;
static transport_factory *factory;
static transport_node *next, *previous;

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

/* Messages of one number differ from those of any other in each word, and so in most bytes. */
static uint64_t word_of(int source, uint64_t number, size_t at)
{
    return cb_mix64((number * 1024 + (uint64_t)source) ^ ((uint64_t)at << 32));
}

static size_t bytes_at(size_t at, size_t bytes)
{
    return bytes - at < sizeof(uint64_t) ? bytes - at : sizeof(uint64_t);
}

static void send_one(uint64_t number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(factory, bytes);

    ck_assert_ptr_nonnull(buffer);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = word_of(job.rank, number, at);

        memcpy((char *)buffer->data + at, &word, bytes_at(at, bytes));
    }
    REQUIRE_OK(transport_send(next, buffer));
}

static void receive_one(uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;

    REQUIRE_OK(transport_receive(previous, &buffer));
    if (buffer->size != bytes)
        ck_abort_msg("message %llu has %zu bytes, and not %zu", (unsigned long long)number,
                     buffer->size, bytes);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = word_of(previous->rank, number, at);

        if (memcmp((const char *)buffer->data + at, &word, bytes_at(at, bytes)) != 0)
            ck_abort_msg("message %llu of %zu bytes is announced, but not all of it is there: "
                         "byte %zu is wrong",
                         (unsigned long long)number, bytes, at);
    }
    transport_buffer_release(buffer);
}

static void open_technology(void)
{
    const cb_job expected = {
        .ranks = (size_t)job.size, .largest_bytes = LARGEST / 4, .held_buffers = 1};
    static cb_settings settings;
    transport_bootstrap bootstrap = {.rank = job.rank,
                                     .size = job.size,
                                     .settings = &settings,
                                     .context = job.everyone,
                                     .exchange = exchange_all};
    transport_wait ignored;

    REQUIRE_OK(cb_settings_derive(technology->parameters, &expected, NULL, &settings));
    REQUIRE_OK(transport_open(technology, &bootstrap, &factory));
    REQUIRE_OK(transport_set_wait(factory, TRANSPORT_WAIT_YIELD, &ignored));
    REQUIRE_OK(transport_node_create(factory, (job.rank + 1) % job.size, &next));
    previous = next;
    if (job.size > 2)
        REQUIRE_OK(transport_node_create(factory, (job.rank + job.size - 1) % job.size, &previous));
    job_barrier();
    REQUIRE_OK(transport_prepare(factory, &(transport_preparation){.message_bytes = LARGEST,
                                                                   .unanswered = WINDOW,
                                                                   .buffers = WINDOW}));
    job_barrier();
}

static void close_technology(void)
{
    if (previous != next)
        transport_node_destroy(previous);
    transport_node_destroy(next);
    REQUIRE_OK(transport_close(factory));
}

/* The sizes alternate, so that a message is followed by a longer one in the same memory. */
JOB_TEST(an_announced_message_is_there_to_its_last_byte)
{
    static const size_t sizes[] = {1, 8, 100, 1024, 5000, 65536, LARGEST};
    const size_t count = sizeof(sizes) / sizeof(sizes[0]);
    uint64_t number = 0;

    open_technology();
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint64_t i = 0; i < WINDOW; i++)
            send_one(number + i, sizes[(number + i) % count]);
        for (uint64_t i = 0; i < WINDOW; i++)
            receive_one(number + i, sizes[(number + i) % count]);
        number += WINDOW;
    }
    printf("visibility: %llu messages at rank %d over %s (%s)\n", (unsigned long long)number,
           job.rank, technology->name, factory->network);
    fflush(stdout);
    close_technology();
}

static TCase *visibility(void)
{
    TCase *theme = tcase_create("visibility");

    tcase_set_timeout(theme, 0);
    tcase_add_test(theme, an_announced_message_is_there_to_its_last_byte);
    return theme;
}

int main(int argc, char **argv)
{
    static TCase *(*const themes[])(void) = {visibility};

    technology = argc == 3 ? transport_find(argv[1]) : NULL;
    rounds = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (technology == NULL || rounds == 0) {
        fprintf(stderr, "usage: visibility TECHNOLOGY ROUNDS\n");
        return 2;
    }
    job_open("visibility");
    return job_close(job_run("visibility", themes, 1));
}
