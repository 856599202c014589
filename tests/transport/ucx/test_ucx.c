/* The technology ucx: what a process without the key of the job sends is dropped and counted, and
 * memory that UCX cannot register is reported. */
#include "tests/transport/socket/ends.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/common/unit.h"
#include "transport/ucx/internal.h"

enum { SIZE = 64, LONG = 1 << 20, ADDRESS_BYTES = 4096 };

static ends_plan plan_of(const char *parameters, void (*first)(ends_end *end),
                         void (*second)(ends_end *end))
{
    return (ends_plan){.technology = "ucx",
                       .parameters = parameters,
                       .message_bytes = LONG,
                       .wait = TRANSPORT_WAIT_YIELD,
                       .bodies = {first, second}};
}

static ucx_factory *factory_of(const ends_end *end)
{
    return ucx_factory_of(remote_factory_of(end->factory));
}

/* A sender without the key: another worker in the process of end 1. What it sends is what end 1
 * would send as its first message, or too short. */

typedef struct {
    unsigned id;
    size_t start_bytes, bytes;
} unknown_message;

static const unknown_message unknown[] = {
    {UCX_MESSAGE, sizeof(ucx_header), SIZE},
    {UCX_MESSAGE, sizeof(ucx_header), LONG}, /* a rendezvous */
    {UCX_MESSAGE, sizeof(ucx_header) - 1, SIZE},
    {UCX_TOGETHER, 0, sizeof(ucx_header) + SIZE},
    {UCX_TOGETHER, 0, sizeof(ucx_header) - 1},
    {UCX_ANNOUNCEMENT, sizeof(remote_header), 0},
    {UCX_ANNOUNCEMENT, sizeof(remote_header) - 1, 0},
    {UCX_WORD, sizeof(ucx_word), 0},
    {UCX_WORD, sizeof(ucx_word) - 1, 0},
};

enum { UNKNOWN = sizeof(unknown) / sizeof(unknown[0]) };

/* How the headers of messages, announcements and words begin. */
typedef union {
    struct {
        uint32_t key;
        uint16_t source;
    } start;
    ucx_header header;
    remote_header announcement;
    ucx_word word;
} any_header;

typedef struct {
    size_t bytes;
    unsigned char worker[ADDRESS_BYTES];
} worker_address;

static void tell_address(const ends_end *end)
{
    worker_address mine = {.bytes = 0};
    ucp_address_t *address;

    ENDS_REQUIRE(ucp_worker_get_address(factory_of(end)->worker, &address, &mine.bytes) == UCS_OK);
    ENDS_REQUIRE(mine.bytes <= sizeof(mine.worker));
    memcpy(mine.worker, address, mine.bytes);
    ucp_worker_release_address(factory_of(end)->worker, address);
    ENDS_REQUIRE(write(end->line, &mine, sizeof(mine)) == sizeof(mine));
}

static void await_unknown(ends_end *end)
{
    const uint64_t *counts = end->factory->counters;
    transport_buffer *buffer = NULL;

    tell_address(end);
    while (counts[REMOTE_DROPPED] < UNKNOWN)
        ENDS_REQUIRE(transport_try_receive(end->node, &buffer) == CB_EMPTY);
    ends_tell(end);
    ends_receive(end, 0, SIZE);
    ENDS_REQUIRE(counts[REMOTE_PATH_AM] + counts[REMOTE_PATH_PUT] == 1);
    ENDS_REQUIRE(counts[REMOTE_PATH_RENDEZVOUS] == 0 && counts[REMOTE_DROPPED] == UNKNOWN);
}

static void complete(ucp_worker_h worker, ucs_status_ptr_t operation)
{
    ENDS_REQUIRE(!UCS_PTR_IS_ERR(operation));
    if (operation == NULL)
        return;
    while (ucp_request_check_status(operation) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    ucp_request_free(operation);
}

static void send_unknown(ucp_worker_h worker, ucp_ep_h endpoint, const unknown_message *message,
                         const any_header *header)
{
    static unsigned char data[LONG];
    const ucp_request_param_t plain = {.op_attr_mask = 0};

    memcpy(data, header, sizeof(*header));
    complete(worker, ucp_am_send_nbx(endpoint, message->id, header, message->start_bytes,
                                     message->bytes > 0 ? data : NULL, message->bytes, &plain));
    complete(worker, ucp_ep_flush_nbx(endpoint, &plain));
}

static void be_unknown(ends_end *end)
{
    const ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                   .features = UCP_FEATURE_AM};
    const ucp_worker_params_t modes = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                       .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    const any_header header = {
        .start = {.key = ~factory_of(end)->remote.key, .source = (uint16_t)end->rank}};
    static worker_address there;
    ucp_ep_params_t target = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                              .address = (const ucp_address_t *)(const void *)there.worker};
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h endpoint;

    ENDS_REQUIRE(recv(end->line, &there, sizeof(there), MSG_WAITALL) == sizeof(there));
    ENDS_REQUIRE(ucp_init(&features, NULL, &context) == UCS_OK);
    ENDS_REQUIRE(ucp_worker_create(context, &modes, &worker) == UCS_OK);
    ENDS_REQUIRE(ucp_ep_create(worker, &target, &endpoint) == UCS_OK);
    for (size_t i = 0; i < UNKNOWN; i++)
        send_unknown(worker, endpoint, &unknown[i], &header);
    ends_hear(end);
    complete(worker, ucp_ep_close_nbx(endpoint, &plain));
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    ends_send(end, 0, SIZE);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
}

START_TEST(messages_without_the_key_are_dropped_and_counted)
{
    static const char *const over[] = {"method=am", "method=put", "method=am,transports=tcp"};

    for (size_t i = 0; i < sizeof(over) / sizeof(over[0]); i++) {
        const ends_plan plan = plan_of(over[i], await_unknown, be_unknown);
        int outcomes[2];

        ends_run(&plan, outcomes);
        ck_assert_msg(outcomes[0] == 0 && outcomes[1] == 0, "%s: outcomes %d and %d", over[i],
                      outcomes[0], outcomes[1]);
    }
}
END_TEST

/* Memory */

static bool refuses_memory;

ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *how, ucp_mem_h *memory)
{
    void *const symbol = dlsym(RTLD_NEXT, "ucp_mem_map");
    ucs_status_t (*library)(ucp_context_h, const ucp_mem_map_params_t *, ucp_mem_h *);

    memcpy(&library, &symbol, sizeof(library));
    return refuses_memory ? UCS_ERR_NO_MEMORY : library(context, how, memory);
}

static void never(ends_end *end)
{
    (void)end;
    ENDS_REQUIRE(false);
}

START_TEST(memory_that_cannot_be_registered_is_reported_with_the_limit)
{
    const ends_plan plan = plan_of("method=put", never, never);
    char log[ENDS_LOG_BYTES];
    int outcomes[2];

    refuses_memory = true;
    ends_run_logged(&plan, outcomes, log);
    ck_assert_int_eq(outcomes[0], ENDS_REFUSED);
    ck_assert_int_eq(outcomes[1], ENDS_REFUSED);
    ck_assert_msg(strstr(log, "cannot register") != NULL && strstr(log, "(ulimit -l)") != NULL,
                  "the log is: %s", log);
}
END_TEST

UNIT_MAIN("ucx", messages_without_the_key_are_dropped_and_counted,
          memory_that_cannot_be_registered_is_reported_with_the_limit)
