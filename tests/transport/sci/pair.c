/* Two processes and a socket between them, which carries the exchange of addresses. */
#include "tests/transport/sci/pair.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/random.h"
#include "transport/sci/parameters.h"

enum { TIMEOUT_S = 60, RANKS = 2 };

typedef struct {
    int line, rank;
} wire;

static bool move_all(ssize_t (*move)(int, void *, size_t), int line, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t count = move(line, (char *)data + done, bytes - done);

        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static ssize_t put(int line, void *data, size_t bytes)
{
    return write(line, data, bytes);
}

static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    const wire *here = context;
    char *slots = all;

    memcpy(slots + (size_t)here->rank * bytes, mine, bytes);
    if (!move_all(put, here->line, slots + (size_t)here->rank * bytes, bytes) ||
        !move_all(read, here->line, slots + (size_t)!here->rank * bytes, bytes))
        return CB_ERROR_CONTROL;
    return CB_OK;
}

static sci_settings settings_of(const pair_form *form)
{
    const uint64_t buffers = form->outstanding + form->spare;
    const uint64_t lines = form->lines ? form->outstanding * SCI_LINE_BYTES : 0;

    return (sci_settings){
        .max_outst_buffers = form->outstanding,
        .recv_seg_id = 8,
        .recv_seg_size = SCI_HEADER_BYTES + lines + buffers * form->bytes,
        .header_area_size = SCI_HEADER_BYTES,
        .inline_area_size = lines,
        .acknowledge_each = form->acknowledge_each,
        .transfer_multiple = form->multiple > 0 ? form->multiple : 1,
        .recv_buffer_no = buffers,
        .recv_buffer_size = form->bytes,
        .use_send_pool = !form->heap,
        .send_buffer_no = form->pool_buffers,
        .send_buffer_size = form->pool_bytes,
        .node_id = CB_PARAMETER_ABSENT,
    };
}

static void set_faults(const char *faults)
{
    if (faults != NULL)
        setenv("SISCI_SHM_FAULTS", faults, 1);
    else
        unsetenv("SISCI_SHM_FAULTS");
}

static void end_stuck(int ignored)
{
    (void)ignored;
    _exit(PAIR_STUCK);
}

static int outcome_of(cb_status status)
{
    return status == CB_OK ? 0 : status == CB_ERROR_TRANSPORT ? PAIR_LOST : PAIR_REFUSED;
}

static void open_end(pair_end *end, const pair_plan *plan, const transport_bootstrap *bootstrap)
{
    cb_status status = transport_open(transport_find("sci"), bootstrap, &end->factory);
    transport_wait ignored;

    if (status == CB_OK)
        status = transport_node_create(end->factory, !end->rank, &end->node);
    if (status == CB_OK)
        status = transport_set_wait(end->factory, plan->wait, &ignored);
    if (status == CB_OK)
        status = transport_prepare(
            end->factory,
            &(transport_preparation){.message_bytes = plan->message_bytes, .buffers = 4});
    if (status != CB_OK)
        _exit(outcome_of(status));
}

/* From open to close. An end that lost its peer exits at once: its close would wait for the
 * peer. */
static void live(pair_end *end, const pair_plan *plan, const transport_bootstrap *bootstrap)
{
    cb_status status;

    alarm(TIMEOUT_S);
    open_end(end, plan, bootstrap);
    plan->bodies[end->rank](end);
    PAIR_REQUIRE(transport_flush(end->factory) == CB_OK, PAIR_LOST);
    PAIR_REQUIRE(end->factory->held == 0, PAIR_WRONG);
    pair_tell(end);
    pair_hear(end);
    transport_node_destroy(end->node);
    status = transport_close(end->factory);
    PAIR_REQUIRE(status == CB_OK, outcome_of(status));
}

static void run_end(const pair_plan *plan, int rank, int line)
{
    wire here = {.line = line, .rank = rank};
    cb_node_settings nodes[RANKS];
    sci_settings values[RANKS];
    cb_settings settings = {.configured = plan->form.pool_buffers > 0,
                            .parameters = &sci_parameters,
                            .values = values,
                            .nodes = nodes,
                            .node_count = RANKS};
    transport_bootstrap bootstrap = {.rank = rank,
                                     .size = RANKS,
                                     .many_senders = plan->many_senders,
                                     .settings = &settings,
                                     .context = &here,
                                     .exchange = exchange};
    pair_end end = {.rank = rank, .line = line};

    for (uint32_t i = 0; i < RANKS; i++) {
        nodes[i] = (cb_node_settings){.id = i};
        values[i] = settings_of(&plan->form);
    }
    signal(SIGALRM, end_stuck);
    set_faults(plan->faults);
    do
        live(&end, plan, &bootstrap);
    while (plan->again != NULL && plan->again(&end));
    _exit(0);
}

pair_job pair_start(const pair_plan *plan)
{
    pair_job job;
    int lines[RANKS];

    unsetenv("SISCI_SHM_JOB");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, lines) != 0)
        abort();
    fflush(NULL);
    for (int rank = 0; rank < RANKS; rank++) {
        job.children[rank] = fork();
        if (job.children[rank] == 0) {
            close(lines[!rank]);
            run_end(plan, rank, lines[rank]);
        }
    }
    close(lines[0]);
    close(lines[1]);
    return job;
}

void pair_wait(pair_job job, int outcomes[2])
{
    for (int rank = 0; rank < RANKS; rank++) {
        int status = 0;

        if (waitpid(job.children[rank], &status, 0) < 0)
            abort();
        outcomes[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : PAIR_KILLED;
    }
}

void pair_run(const pair_plan *plan, int outcomes[2])
{
    pair_wait(pair_start(plan), outcomes);
}

/* Messages */

static unsigned char byte_of(int source, uint64_t number, size_t at)
{
    uint64_t word = cb_mix64(number * RANKS + (uint64_t)source + ((uint64_t)(at / 8) << 32));

    return (unsigned char)(word >> at % 8 * 8);
}

transport_buffer *pair_message(const pair_end *end, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(end->factory, bytes);

    PAIR_REQUIRE(buffer != NULL, PAIR_WRONG);
    for (size_t at = 0; at < bytes; at++)
        ((unsigned char *)buffer->data)[at] = byte_of(end->rank, number, at);
    return buffer;
}

void pair_send(pair_end *end, uint64_t number, size_t bytes)
{
    cb_status status = transport_send(end->node, pair_message(end, number, bytes));

    PAIR_REQUIRE(status == CB_OK, outcome_of(status));
}

void pair_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes)
{
    PAIR_REQUIRE(buffer->size == bytes, PAIR_WRONG);
    for (size_t at = 0; at < bytes; at++)
        PAIR_REQUIRE(((unsigned char *)buffer->data)[at] == byte_of(source, number, at),
                     PAIR_WRONG);
}

void pair_receive(pair_end *end, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;
    cb_status status = transport_receive(end->node, &buffer);

    PAIR_REQUIRE(status == CB_OK, outcome_of(status));
    pair_check(buffer, !end->rank, number, bytes);
    transport_buffer_release(buffer);
}

/* Threads */

enum { THREADS_MOST = 16, WORDS_MOST = 60 };

typedef struct {
    pair_end *end;
    uint64_t first, each;
} thread_part;

/* A message repeats its number, in a line, a buffer or pieces. */
static size_t words_of(uint64_t number)
{
    return 1 + (size_t)(number * 7 % WORDS_MOST);
}

static void *send_part(void *context)
{
    const thread_part *part = context;

    for (uint64_t number = part->first; number < part->first + part->each; number++) {
        transport_buffer *buffer =
            transport_buffer_create(part->end->factory, words_of(number) * sizeof(number));

        PAIR_REQUIRE(buffer != NULL, PAIR_WRONG);
        for (size_t i = 0; i < words_of(number); i++)
            ((uint64_t *)buffer->data)[i] = number;
        PAIR_REQUIRE(transport_send(part->end->node, buffer) == CB_OK, PAIR_LOST);
    }
    return NULL;
}

static void check_of_a_thread(const transport_buffer *buffer, size_t threads, uint64_t each,
                              uint64_t *counts)
{
    const uint64_t *words = buffer->data, number = words[0];

    PAIR_REQUIRE(number < threads * each && number % each == counts[number / each]++, PAIR_WRONG);
    PAIR_REQUIRE(buffer->size == words_of(number) * sizeof(*words), PAIR_WRONG);
    for (size_t i = 0; i < words_of(number); i++)
        PAIR_REQUIRE(words[i] == number, PAIR_WRONG);
}

void pair_talk_by_threads(pair_end *end, size_t threads, uint64_t each)
{
    uint64_t counts[THREADS_MOST] = {0};
    thread_part parts[THREADS_MOST];
    pthread_t running[THREADS_MOST];

    PAIR_REQUIRE(threads <= THREADS_MOST, PAIR_WRONG);
    for (size_t i = 0; i < threads; i++) {
        parts[i] = (thread_part){.end = end, .first = i * each, .each = each};
        PAIR_REQUIRE(pthread_create(&running[i], NULL, send_part, &parts[i]) == 0, PAIR_WRONG);
    }
    for (uint64_t i = 0; i < threads * each; i++) {
        transport_buffer *buffer = NULL;

        PAIR_REQUIRE(transport_receive(end->node, &buffer) == CB_OK, PAIR_LOST);
        check_of_a_thread(buffer, threads, each, counts);
        transport_buffer_release(buffer);
    }
    for (size_t i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
}

void pair_tell(const pair_end *end)
{
    PAIR_REQUIRE(write(end->line, "", 1) == 1, PAIR_LOST);
}

void pair_hear(const pair_end *end)
{
    char ignored;

    PAIR_REQUIRE(read(end->line, &ignored, 1) == 1, PAIR_LOST);
}
