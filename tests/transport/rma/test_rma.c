/* The technology rma and the library under it: what it refuses to open, which calls carry its
 * messages, and errors of the library. Two ranks; the calls are counted, or fail, in wrappers. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tests/common/job.h"
#include "transport/remote/remote.h"
#include "transport/transport.h"

enum { RANKS = 2, SMALL = 4096, PIECES = 4, LONG = PIECES * SMALL };

/* The wrappers */

static struct {
    bool separate;  /* windows have the separate memory model */
    bool no_window; /* no window can be allocated */
    bool put_fails; /* the next put */
    unsigned puts, flushes, accumulates;
    MPI_Win window; /* the last one */
} library;

int MPI_Win_get_attr(MPI_Win window, int key, void *value, int *found)
{
    static int separate = MPI_WIN_SEPARATE;
    int code = PMPI_Win_get_attr(window, key, value, found);

    if (library.separate && key == MPI_WIN_MODEL)
        *(int **)value = &separate;
    return code;
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm communicator, void *memory,
                     MPI_Win *window)
{
    int code = library.no_window
                   ? MPI_ERR_OTHER
                   : PMPI_Win_allocate(bytes, unit, info, communicator, memory, window);

    library.window = *window;
    return code;
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint place,
            int target_count, MPI_Datatype target_type, MPI_Win window)
{
    library.puts++;
    if (library.put_fails)
        return MPI_ERR_OTHER;
    return PMPI_Put(origin, count, type, target, place, target_count, target_type, window);
}

int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint place,
                   int target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window)
{
    library.accumulates++;
    return PMPI_Accumulate(origin, count, type, target, place, target_count, target_type, operation,
                           window);
}

int MPI_Win_flush(int target, MPI_Win window)
{
    library.flushes++;
    return PMPI_Win_flush(target, window);
}

/* The technology */

static cb_settings settings;
static transport_factory *factory;
static transport_node *node;

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static cb_status open_technology(void)
{
    const cb_job expected = {.ranks = RANKS, .largest_bytes = SMALL, .held_buffers = 2};
    const transport_technology *rma = transport_find("rma");
    transport_bootstrap bootstrap = {.rank = job.rank,
                                     .size = job.size,
                                     .settings = &settings,
                                     .context = job.everyone,
                                     .exchange = exchange_all};

    ck_assert_int_eq(job.size, RANKS);
    REQUIRE_OK(cb_settings_derive(rma->parameters, &expected, NULL, &settings));
    return transport_open(rma, &bootstrap, &factory);
}

static void prepare(void)
{
    transport_wait ignored;

    REQUIRE_OK(open_technology());
    REQUIRE_OK(transport_set_wait(factory, TRANSPORT_WAIT_YIELD, &ignored));
    REQUIRE_OK(transport_node_create(factory, !job.rank, &node));
    REQUIRE_OK(transport_prepare(
        factory, &(transport_preparation){.message_bytes = LONG, .unanswered = 4, .buffers = 4}));
    job_barrier();
}

static void close_technology(void)
{
    transport_node_destroy(node);
    REQUIRE_OK(transport_close(factory));
    cb_settings_free(&settings);
}

static cb_status send_filled(unsigned char byte, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(factory, bytes);

    ck_assert_ptr_nonnull(buffer);
    memset(buffer->data, byte, bytes);
    return transport_send(node, buffer);
}

static void receive_filled(unsigned char byte, size_t bytes)
{
    transport_buffer *buffer = NULL;

    REQUIRE_OK(transport_receive(node, &buffer));
    ck_assert_uint_eq(buffer->size, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)buffer->data)[i] != byte)
            ck_abort_msg("byte %zu of a message of %zu bytes is wrong", i, bytes);
    transport_buffer_release(buffer);
}

/* Opening */

static void expect_refusal(cb_status expected, const char *words)
{
    cb_log_silence(1);
    ck_assert_int_eq(open_technology(), expected);
    cb_log_silence(0);
    ck_assert_msg(strstr(cb_last_error(), words) != NULL, "the error is '%s'", cb_last_error());
    cb_settings_free(&settings);
}

JOB_TEST(windows_of_the_separate_memory_model_are_refused)
{
    library.separate = true;
    expect_refusal(CB_ERROR_UNSUPPORTED, "MPI_WIN_SEPARATE");
    library.separate = false;
    prepare();
    close_technology();
}

JOB_TEST(a_library_without_windows_is_refused_with_a_remedy)
{
    library.no_window = true;
    expect_refusal(CB_ERROR_TRANSPORT, "choose another --technology");
    library.no_window = false;
}

JOB_TEST(the_memory_of_the_window_is_recorded)
{
    prepare();
    ck_assert_msg(strstr(factory->network, "memory") != NULL ||
                      strstr(factory->network, "osc") != NULL,
                  "network is '%s'", factory->network);
    close_technology();
}

/* Paths */

JOB_TEST(each_message_is_counted_as_put)
{
    enum { MESSAGES = 20 };

    prepare();
    for (unsigned char i = 0; i < MESSAGES; i++)
        if (job.rank == 0)
            REQUIRE_OK(send_filled(i, SMALL));
        else
            receive_filled(i, SMALL);
    for (size_t i = 0; job.rank == 1 && i < REMOTE_COUNTERS; i++)
        ck_assert_uint_eq(factory->counters[i], i == REMOTE_PATH_PUT ? MESSAGES : 0);
    close_technology();
}

JOB_TEST(pieces_of_a_message_share_a_flush_and_an_announcement)
{
    prepare();
    library.puts = library.flushes = library.accumulates = 0;
    if (job.rank == 0) {
        REQUIRE_OK(send_filled(7, LONG));
        REQUIRE_OK(transport_flush(factory));
        ck_assert_uint_eq(library.puts, PIECES);
        ck_assert_uint_eq(library.flushes, 1);
        ck_assert_uint_eq(library.accumulates, 1);
    } else {
        receive_filled(7, LONG);
    }
    close_technology();
}

/* The last test. A rank that has lost another does not free its window, which is collective: the
 * other would wait without end. */
JOB_TEST(a_put_that_fails_loses_the_node)
{
    char text[CB_LAST_ERROR_BYTES];

    prepare();
    if (job.rank == 0) {
        library.put_fails = true;
        cb_log_silence(1);
        ck_assert_int_eq(send_filled(1, SMALL), CB_ERROR_TRANSPORT);
        library.put_fails = false;
        ck_assert_int_eq(send_filled(1, SMALL), CB_ERROR_TRANSPORT);
        cb_log_silence(0);
        ck_assert(transport_last_error(factory, text, sizeof(text)));
        ck_assert_msg(strstr(text, "rank 1") != NULL, "the last error is '%s'", text);
        ck_assert_uint_eq(factory->held, 0);
    }
    PMPI_Win_unlock_all(library.window);
    PMPI_Win_free(&library.window);
}

static TCase *library_of_rma(void)
{
    TCase *theme = tcase_create("rma");

    tcase_set_timeout(theme, 0);
    tcase_add_test(theme, windows_of_the_separate_memory_model_are_refused);
    tcase_add_test(theme, a_library_without_windows_is_refused_with_a_remedy);
    tcase_add_test(theme, the_memory_of_the_window_is_recorded);
    tcase_add_test(theme, each_message_is_counted_as_put);
    tcase_add_test(theme, pieces_of_a_message_share_a_flush_and_an_announcement);
    tcase_add_test(theme, a_put_that_fails_loses_the_node);
    return theme;
}

int main(void)
{
    static TCase *(*const themes[])(void) = {library_of_rma};

    job_open("test_rma");
    return job_close(job_run("rma", themes, 1));
}
