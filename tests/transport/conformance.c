/* Conformance of the technologies: conformance WAIT [TECHNOLOGY [BYTES [ANNOUNCED]]]. Without a
 * name, all built-in technologies that declare reliable delivery are tested, one after the other
 * in one job. BYTES is the message size in the settings of the job: longer messages are split,
 * by technologies that can. ANNOUNCED is the number of messages that may arrive before an
 * answer; without it all tests run for one and for many. COMBENCH_TEST_PARAMETERS gives parameters
 * of the technology, as --parameter does. */
#include "tests/transport/conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

enum { EXIT_SKIPPED = 77, MODERATE_BYTES = 65536, HELD_BUFFERS = 2 };

conformance_state here;

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

transport_bootstrap conformance_bootstrap(void)
{
    return (transport_bootstrap){.rank = job.rank,
                                 .size = job.size,
                                 .many_senders = true,
                                 .settings = &here.settings,
                                 .context = job.everyone,
                                 .exchange = exchange_all};
}

bool conformance_declares(unsigned capabilities)
{
    return (transport_capabilities(here.factory) & capabilities) == capabilities;
}

/* No message may be in transit before, and no rank may send before all are ready. */
static bool can_prepare(size_t bytes, bool try_multicast)
{
    transport_preparation preparation = {.message_bytes = bytes,
                                         .unanswered = here.unanswered,
                                         .buffers = 4,
                                         .try_multicast = try_multicast};
    cb_status status;

    REQUIRE_OK(transport_flush(here.factory));
    job_barrier();
    cb_log_silence(true);
    status = transport_prepare(here.factory, &preparation);
    cb_log_silence(false);
    REQUIRE_OK(status == CB_ERROR_UNSUPPORTED ? CB_OK : status);
    return control_agree(job.everyone, status) == CB_OK;
}

bool conformance_can_prepare(size_t bytes)
{
    return can_prepare(bytes, false);
}

void conformance_prepare(size_t bytes)
{
    ck_assert_msg(can_prepare(bytes, false), "messages of %zu bytes are refused", bytes);
}

void conformance_prepare_to_try(size_t bytes)
{
    ck_assert_msg(can_prepare(bytes, true), "messages of %zu bytes are refused", bytes);
}

/* Messages */

/* The first word is the number of the message, the others are pseudo-random. */
static uint64_t word_of(int source, uint64_t number, size_t word)
{
    if (word == 0)
        return number;
    return cb_mix64(number * 0x9e3779b97f4a7c15u + ((uint64_t)(unsigned)source << 40) + word);
}

void conformance_fill(transport_buffer *buffer, int source, uint64_t number)
{
    size_t bytes = buffer->size;

    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = word_of(source, number, at / sizeof(word));

        memcpy((char *)buffer->data + at, &word,
               bytes - at < sizeof(word) ? bytes - at : sizeof(word));
    }
}

transport_buffer *conformance_message(int source, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(here.factory, bytes);

    if (buffer == NULL || buffer->size != bytes)
        ck_abort_msg("no buffer of %zu bytes", bytes);
    conformance_fill(buffer, source, number);
    return buffer;
}

void conformance_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes)
{
    if (buffer->size != bytes)
        ck_abort_msg("message %llu of rank %d has %zu bytes, and not %zu",
                     (unsigned long long)number, source, buffer->size, bytes);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = word_of(source, number, at / sizeof(word));

        if (memcmp((char *)buffer->data + at, &word,
                   bytes - at < sizeof(word) ? bytes - at : sizeof(word)) != 0)
            ck_abort_msg("message %llu of rank %d (%zu bytes) is wrong at byte %zu",
                         (unsigned long long)number, source, bytes, at);
    }
}

uint64_t conformance_number(const transport_buffer *buffer)
{
    uint64_t number;

    if (buffer->size < sizeof(number))
        ck_abort_msg("a message of %zu bytes cannot have a number", buffer->size);
    memcpy(&number, buffer->data, sizeof(number));
    return number;
}

void conformance_send(int destination, uint64_t number, size_t bytes)
{
    REQUIRE_OK(
        transport_send(here.nodes[destination], conformance_message(job.rank, number, bytes)));
}

void conformance_receive(int source, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;

    REQUIRE_OK(transport_receive(here.nodes[source], &buffer));
    conformance_check(buffer, source, number, bytes);
    transport_buffer_release(buffer);
}

void conformance_expect_silence(transport_node *node)
{
    transport_buffer *buffer;

    ck_assert_int_eq(transport_try_receive(node, &buffer), CB_EMPTY);
}

/* Nodes and groups */

transport_group *conformance_group(const int *ranks, size_t count)
{
    transport_node **nodes = cb_allocate(count, sizeof(*nodes), "the nodes of a group");
    transport_group *group = NULL;

    ck_assert_ptr_nonnull(nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i] = here.nodes[ranks[i]];
    REQUIRE_OK(transport_group_create(here.factory, nodes, count, NULL, false, &group));
    free(nodes);
    return group;
}

transport_group *conformance_group_of_others(void)
{
    int *ranks = cb_allocate((size_t)job.size, sizeof(*ranks), "the other ranks");
    transport_group *group;
    size_t count = 0;

    ck_assert_ptr_nonnull(ranks);
    for (int rank = 0; rank < job.size; rank++)
        if (rank != job.rank)
            ranks[count++] = rank;
    group = conformance_group(ranks, count);
    free(ranks);
    return group;
}

int conformance_next(int length)
{
    return (job.rank + 1) % length;
}

int conformance_previous(int length)
{
    return (job.rank + length - 1) % length;
}

/* Gathering */

bool conformance_can_gather(int least_ranks)
{
    return job.size >= least_ranks && conformance_declares(TRANSPORT_ORDERED | TRANSPORT_RELIABLE);
}

void conformance_let_come(void)
{
    const int rounds = 20;

    for (int i = 0; i < rounds; i++)
        job_barrier();
}

uint64_t *conformance_counts(void)
{
    uint64_t *counts = cb_allocate((size_t)job.size, sizeof(*counts), "counts of messages");

    ck_assert_ptr_nonnull(counts);
    return counts;
}

void conformance_accept(transport_buffer *buffer, const transport_node *from, size_t bytes,
                        uint64_t *counts)
{
    conformance_check(buffer, from->rank, counts[from->rank]++, bytes);
    transport_buffer_release(buffer);
}

void conformance_expect_silent_group(transport_group *group)
{
    transport_buffer *buffer;
    transport_node *from;

    ck_assert_int_eq(transport_group_try_receive(group, &buffer, &from), CB_EMPTY);
}

/* The program */

static void expect_no_buffer_held(void)
{
    REQUIRE_OK(transport_flush(here.factory));
    ck_assert_uint_eq(here.factory->held, 0);
}

/* A group from the configuration that has all ranks, in reverse order. */
static cb_status name_everyone(void)
{
    cb_group_settings *everyone = cb_allocate(1, sizeof(*everyone), "a group");

    if (everyone == NULL)
        return CB_ERROR_MEMORY;
    here.settings.groups = everyone;
    here.settings.group_count = 1;
    everyone->name = strdup("everyone");
    everyone->members = cb_allocate((size_t)job.size, sizeof(*everyone->members), "a group");
    if (everyone->name == NULL || everyone->members == NULL)
        return CB_ERROR_MEMORY;
    everyone->count = (size_t)job.size;
    for (size_t i = 0; i < everyone->count; i++)
        everyone->members[i] = everyone->count - 1 - i;
    return CB_OK;
}

/* Settings of the job for a technology. On a busy machine a message of an unreliable technology
 * may be late; the timeouts are long enough to distinguish that from a loss. */
static void derive_settings(const transport_technology *technology)
{
    const cb_parameter_set *set = technology->parameters;
    const cb_job expected = {.ranks = (size_t)job.size,
                             .largest_bytes = here.settings_bytes,
                             .held_buffers = HELD_BUFFERS};
    cb_override *given = NULL;

    REQUIRE_OK(
        cb_overrides_parse(technology->name, set, getenv("COMBENCH_TEST_PARAMETERS"), &given));
    REQUIRE_OK(cb_settings_derive(set, &expected, given, &here.settings));
    free(given);
    REQUIRE_OK(name_everyone());
    for (size_t i = 0; set != NULL && i < set->count; i++)
        for (size_t rank = 0; rank < here.settings.node_count; rank++)
            if (strcmp(set->rows[i].name, "timeout_ms") == 0)
                cb_parameter_set_value(&set->rows[i], set->rows[i].maximum,
                                       cb_settings_values(&here.settings, rank));
}

static cb_status open_technology(const transport_technology *technology)
{
    transport_bootstrap bootstrap = conformance_bootstrap();
    transport_wait ignored;

    here.nodes = cb_allocate((size_t)job.size, sizeof(*here.nodes), "the nodes");
    if (here.nodes == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_open(technology, &bootstrap, &here.factory));
    for (int rank = 0; rank < job.size; rank++)
        if (rank != job.rank)
            CB_TRY(transport_node_create(here.factory, rank, &here.nodes[rank]));
    return transport_set_wait(here.factory, here.wait, &ignored);
}

static cb_status close_technology(void)
{
    for (int rank = 0; rank < job.size; rank++)
        transport_node_destroy(here.nodes[rank]);
    free(here.nodes);
    return transport_close(here.factory);
}

/* The number of failed tests, or -1 if a library that the technology needs is missing. */
static int test_technology(const transport_technology *technology)
{
    static TCase *(*const themes[])(void) = {
        conformance_sizes,   conformance_nodes,     conformance_groups,
        conformance_changes, conformance_multicast, conformance_pool,
        conformance_factory, conformance_threads,   conformance_waiting};
    cb_status status;
    int failures;

    derive_settings(technology);
    status = control_agree(job.everyone, open_technology(technology));
    if (status == CB_ERROR_UNSUPPORTED)
        return -1;
    if (status != CB_OK)
        return 1;
    failures = job_run(technology->name, themes, sizeof(themes) / sizeof(themes[0]));
    failures = failures > 0 ? failures : close_technology() != CB_OK || job_errors() > 0;
    cb_settings_free(&here.settings);
    return failures;
}

/* As a partner in an exchange, and as the receiver of a stream. Large jobs test nothing more. */
static int test_announcements(const transport_technology *technology, size_t announced)
{
    static const size_t announcements[] = {1, 50};
    const int large_job = 8;
    int outcome = 0;

    if (announced > 0) {
        here.unanswered = announced;
        return test_technology(technology);
    }
    for (size_t i = 0; outcome == 0 && i < sizeof(announcements) / sizeof(*announcements); i++) {
        here.unanswered = announcements[i];
        if (i == 0 || job.size < large_job)
            outcome = test_technology(technology);
    }
    return outcome;
}

/* Test all reliable technologies, or the given one. */
static bool is_wanted(const transport_technology *technology, const transport_technology *only)
{
    return only != NULL ? technology == only
                        : transport_is_built_in(technology) &&
                              (technology->capabilities & TRANSPORT_DELIVERS) != 0;
}

/* Returns the exit status. */
static int test_technologies(const transport_technology *only, size_t announced)
{
    int tested = 0, failures = 0;

    for (size_t i = 0; failures == 0 && transport_technologies[i] != NULL; i++) {
        int outcome;

        if (!is_wanted(transport_technologies[i], only))
            continue;
        outcome = test_announcements(transport_technologies[i], announced);
        tested += outcome >= 0;
        failures = outcome > 0 ? outcome : 0;
    }
    failures = job_close(failures);
    return tested == 0 ? EXIT_SKIPPED : failures;
}

static transport_wait wait_named(const char *name)
{
    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++)
        if (strcmp(name, transport_wait_name(wait)) == 0)
            return wait;
    fprintf(stderr, "there is no way of waiting %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    const transport_technology *only = argc >= 3 ? transport_find(argv[2]) : NULL;
    size_t bytes = argc >= 4 ? strtoul(argv[3], NULL, 10) : MODERATE_BYTES;
    size_t announced = argc >= 5 ? strtoul(argv[4], NULL, 10) : 0;

    if (argc < 2 || argc > 5 || (argc >= 3 && only == NULL) || bytes == 0) {
        fprintf(stderr, "usage: conformance spin|yield|block [TECHNOLOGY [BYTES [ANNOUNCED]]]\n");
        return 2;
    }
    here.wait = wait_named(argv[1]);
    job_open("conformance");
    job.at_end = expect_no_buffer_held;
    here.settings_bytes = bytes;
    return test_technologies(only, announced);
}
