/* The technology udp on a network that loses, duplicates and reorders: receives and sends stay
 * in step, and all faults are counted. */
#include "tests/transport/socket/ends.h"

#include <string.h>
#include <sys/socket.h>

#include "tests/common/unit.h"
#include "transport/udp/internal.h"

enum { STEPS = 150, BYTES = 256, SHORT = 8, RUBBISH = 200 };

static const udp_settings hasty = {.timeout_ms = 20, .socket_buffer_size = 1 << 20},
                          patient = {.timeout_ms = 30000, .socket_buffer_size = 1 << 20};

static void ck_assert_both(const ends_plan *plan, int first, int second)
{
    int outcomes[2];

    ends_run(plan, outcomes);
    ck_assert_int_eq(outcomes[0], first);
    ck_assert_int_eq(outcomes[1], second);
}

/* The k-th receive returns the k-th message or reports it lost. */
static cb_status receive_or_miss(ends_end *end, uint64_t number)
{
    transport_buffer *buffer = NULL;
    cb_status status = transport_receive(end->node, &buffer);

    ENDS_REQUIRE(status == CB_OK || status == CB_LOST);
    if (status == CB_OK) {
        ends_check(buffer, !end->rank, number, BYTES);
        transport_buffer_release(buffer);
    }
    return status;
}

static void bounce(ends_end *end)
{
    uint64_t lost = 0;

    for (uint64_t i = 0; i < STEPS; i++) {
        if (end->rank == 0)
            ends_send(end, i, BYTES);
        lost += receive_or_miss(end, i) == CB_LOST;
        if (end->rank == 1)
            ends_send(end, i, BYTES);
    }
    ENDS_REQUIRE(end->factory->counters[UDP_LOST] == lost);
    ENDS_REQUIRE(lost > 0 && lost < STEPS);
    ENDS_REQUIRE(end->factory->held == 0);
}

START_TEST(a_ping_pong_stays_in_step_under_loss_duplication_and_reordering)
{
    const ends_plan plan = {.technology = "udp",
                            .faults = "loss=0.1,double=0.1,reorder=0.1,seed=3",
                            .udp = hasty,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .bodies = {bounce, bounce}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Messages sent meanwhile wait in the socket, whose buffer has room for all. */
static void send_all(ends_end *end)
{
    for (uint64_t i = 0; i < STEPS; i++)
        ends_send(end, i, BYTES);
    ends_tell(end);
    ends_hear(end);
}

static void receive_all(ends_end *end, uint64_t *lost)
{
    *lost = 0;
    ends_hear(end);
    for (uint64_t i = 0; i < STEPS; i++)
        *lost += receive_or_miss(end, i) == CB_LOST;
    ends_tell(end);
}

static void find_losses(ends_end *end)
{
    uint64_t lost;

    receive_all(end, &lost);
    ENDS_REQUIRE(lost > STEPS / 10 && lost < STEPS / 2);
    ENDS_REQUIRE(end->factory->counters[UDP_LOST] == lost);
    ENDS_REQUIRE(end->factory->counters[UDP_RECEIVED] + lost == STEPS);
}

static void find_duplicates(ends_end *end)
{
    uint64_t lost;

    receive_all(end, &lost);
    ENDS_REQUIRE(lost == 0);
    ENDS_REQUIRE(udp_read_socket(udp_factory_of(end->factory)) == CB_OK);
    ENDS_REQUIRE(end->factory->counters[UDP_DUPLICATE] == STEPS);
}

/* Every second datagram is sent after the next one. */
static void find_reorderings(ends_end *end)
{
    uint64_t lost;

    receive_all(end, &lost);
    ENDS_REQUIRE(lost == 0);
    ENDS_REQUIRE(end->factory->counters[UDP_REORDERED] == STEPS / 2);
}

static void find_under(const char *faults, const udp_settings *settings,
                       void (*receiver)(ends_end *end))
{
    const ends_plan plan = {.technology = "udp",
                            .faults = faults,
                            .udp = *settings,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {receiver, send_all}};

    ck_assert_both(&plan, 0, 0);
}

START_TEST(losses_in_a_stream_are_counted)
{
    find_under("loss=0.3", &hasty, find_losses);
}
END_TEST

START_TEST(duplicates_in_a_stream_are_counted_and_dropped)
{
    find_under("double=1", &patient, find_duplicates);
}
END_TEST

START_TEST(reordering_in_a_stream_is_counted_and_undone)
{
    find_under("reorder=1", &patient, find_reorderings);
}
END_TEST

/* Polling receives skip missing datagrams, except the last ones, which are followed by none. */
static void try_all(ends_end *end)
{
    enum { LAST_LOST = 20 };
    uint64_t next = 0, came = 0;

    ends_hear(end);
    while (next < STEPS) {
        transport_buffer *buffer = NULL;
        cb_status status = transport_try_receive(end->node, &buffer);
        uint64_t number;

        ENDS_REQUIRE(status == CB_OK || status == CB_EMPTY);
        if (status == CB_EMPTY) {
            if (came + end->factory->counters[UDP_LOST] > STEPS - LAST_LOST)
                break;
            continue;
        }
        memcpy(&number, buffer->data, sizeof(number));
        ENDS_REQUIRE(number >= next);
        ends_check(buffer, 1, number, BYTES);
        transport_buffer_release(buffer);
        next = number + 1;
        came++;
    }
    ENDS_REQUIRE(came > STEPS / 2);
    ends_tell(end);
}

START_TEST(polling_receives_skip_losses)
{
    find_under("loss=0.2", &hasty, try_all);
}
END_TEST

/* Unknown senders */

static void send_rubbish(const struct sockaddr_in *address)
{
    unsigned char rubbish[100] = {0}, header[UDP_HEADER_BYTES];
    const socket_key other_key = {{1, 2, 3}};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    ENDS_REQUIRE(fd >= 0);
    udp_header_write(header, &other_key, 0, 0, &(udp_header){.kind = UDP_MESSAGE, .rank = 1});
    ENDS_REQUIRE(sendto(fd, rubbish, 0, 0, (const struct sockaddr *)address, sizeof(*address)) ==
                 0);
    ENDS_REQUIRE(sendto(fd, rubbish, sizeof(rubbish), 0, (const struct sockaddr *)address,
                        sizeof(*address)) == sizeof(rubbish));
    ENDS_REQUIRE(sendto(fd, header, sizeof(header), 0, (const struct sockaddr *)address,
                        sizeof(*address)) == sizeof(header));
    close(fd);
}

static void count_unexpected(ends_end *end)
{
    ends_receive(end, 0, BYTES);
    ENDS_REQUIRE(end->factory->counters[UDP_UNEXPECTED] == 3);
    ENDS_REQUIRE(end->factory->counters[UDP_LOST] == 0);
}

/* Makes buffers that are not written to recognisable. */
static void paint(void *data, size_t bytes)
{
    memset(data, 'p', bytes);
}

/* The address of the other end, in end 1. */
static struct sockaddr_in victim;

static void note_victim(const struct sockaddr_in *address)
{
    victim = *address;
}

/* More than one poll reads, and longer than the message that follows. */
static void send_much_rubbish(void)
{
    const struct sockaddr *address = (const struct sockaddr *)&victim;
    unsigned char rubbish[BYTES] = {0};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    ENDS_REQUIRE(fd >= 0);
    for (int i = 0; i < RUBBISH; i++)
        ENDS_REQUIRE(sendto(fd, rubbish, sizeof(rubbish), 0, address, sizeof(victim)) ==
                     sizeof(rubbish));
    close(fd);
}

static void find_clean_buffer(ends_end *end)
{
    const transport_preparation painted = {
        .message_bytes = BYTES, .buffers = 1, .initialise = paint};
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(transport_prepare(end->factory, &painted) == CB_OK);
    ends_tell(end);
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_OK);
    ends_check(buffer, 1, 0, SHORT);
    for (size_t at = SHORT; at < BYTES; at++)
        ENDS_REQUIRE(((const char *)buffer->data)[at] == 'p');
    transport_buffer_release(buffer);
}

static void send_short_one(ends_end *end)
{
    ends_hear(end);
    send_much_rubbish();
    ends_send(end, 0, SHORT);
}

START_TEST(invalid_datagrams_leave_no_data_in_buffers)
{
    const ends_plan plan = {.technology = "udp",
                            .udp = patient,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .meanwhile = note_victim,
                            .bodies = {find_clean_buffer, send_short_one}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Otherwise a sender faster than this process could block its timeouts. */
static void look_once(ends_end *end)
{
    ends_hear(end);
    ENDS_REQUIRE(udp_read_socket(udp_factory_of(end->factory)) == CB_OK);
    ENDS_REQUIRE(end->factory->counters[UDP_UNEXPECTED] > 0);
    ENDS_REQUIRE(end->factory->counters[UDP_UNEXPECTED] < RUBBISH);
}

static void disturb(ends_end *end)
{
    send_much_rubbish();
    ends_tell(end);
}

START_TEST(one_poll_reads_a_limited_number_of_invalid_datagrams)
{
    const ends_plan plan = {.technology = "udp",
                            .udp = patient,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .meanwhile = note_victim,
                            .bodies = {look_once, disturb}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

static void send_one(ends_end *end)
{
    ends_send(end, 0, BYTES);
}

START_TEST(datagrams_without_the_key_are_dropped_and_counted)
{
    const ends_plan plan = {.technology = "udp",
                            .udp = patient,
                            .message_bytes = BYTES,
                            .meanwhile = send_rubbish,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .bodies = {count_unexpected, send_one}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* The header is what rank 1 could send next, or much later, but it comes from another socket. */
static void send_as_rank_1(const udp_factory *factory)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    ENDS_REQUIRE(fd >= 0);
    for (uint32_t i = 0; i < RUBBISH; i++) {
        const udp_header header = {.kind = UDP_MESSAGE,
                                   .rank = 1,
                                   .epoch = factory->epoch + (i % 2 == 0 ? 0 : 1000),
                                   .number = i / 2};
        unsigned char datagram[UDP_HEADER_BYTES + BYTES] = {0};

        udp_header_write(datagram, &factory->key, 0, BYTES, &header);
        ENDS_REQUIRE(sendto(fd, datagram, sizeof(datagram), 0, (const struct sockaddr *)&victim,
                            sizeof(victim)) == sizeof(datagram));
    }
    close(fd);
}

static void forge_and_send(ends_end *end)
{
    send_as_rank_1(udp_factory_of(end->factory));
    for (uint64_t i = 0; i < STEPS; i++)
        ends_send(end, i, BYTES);
}

static void receive_despite_forger(ends_end *end)
{
    for (uint64_t i = 0; i < STEPS; i++)
        ends_receive(end, i, BYTES);
    ENDS_REQUIRE(end->factory->counters[UDP_UNEXPECTED] == RUBBISH);
    ENDS_REQUIRE(end->factory->counters[UDP_LOST] == 0);
}

START_TEST(datagrams_with_a_valid_header_from_another_address_are_dropped_and_counted)
{
    const ends_plan plan = {.technology = "udp",
                            .udp = patient,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .meanwhile = note_victim,
                            .bodies = {receive_despite_forger, forge_and_send}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Silent peers */

static void wait_without_success(ends_end *end)
{
    transport_buffer *buffer = NULL;
    char text[CB_LAST_ERROR_BYTES];
    cb_status status;
    int lost = 0;

    while ((status = transport_receive(end->node, &buffer)) == CB_LOST)
        lost++;
    ENDS_REQUIRE(status == CB_ERROR_TRANSPORT);
    ENDS_REQUIRE(transport_last_error(end->factory, text, sizeof(text)));
    ENDS_REQUIRE(strstr(text, "nothing received over udp") == text);
    ENDS_REQUIRE(lost > 10 && lost < 100);
}

static void say_nothing(ends_end *end)
{
    (void)end;
}

START_TEST(a_silent_peer_is_an_error_and_no_hang)
{
    ends_plan plan = {.technology = "udp",
                      .udp = {.timeout_ms = 3},
                      .message_bytes = BYTES,
                      .bodies = {wait_without_success, say_nothing}};

    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++) {
        plan.wait = wait;
        ck_assert_both(&plan, 0, 0);
    }
}
END_TEST

static void announce_too_much(ends_end *end)
{
    transport_preparation preparation = {.message_bytes = end->factory->largest_message};

    ENDS_REQUIRE(preparation.message_bytes > 0);
    ENDS_REQUIRE(transport_prepare(end->factory, &preparation) == CB_OK);
    preparation.message_bytes++;
    ENDS_REQUIRE(transport_prepare(end->factory, &preparation) == CB_ERROR_UNSUPPORTED);
}

START_TEST(a_message_too_long_for_a_datagram_is_refused)
{
    const ends_plan plan = {.technology = "udp",
                            .udp = hasty,
                            .message_bytes = BYTES,
                            .bodies = {announce_too_much, announce_too_much}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* A group is created although messages between root and member are sometimes lost, and its
 * messages stay in step. */
static void multicast(ends_end *end)
{
    transport_node *member = end->node, *itself = NULL;
    transport_group *group = NULL;

    if ((transport_capabilities(end->factory) & TRANSPORT_MULTICAST) == 0)
        return; /* a build without libsodium */
    if (end->rank == 1) {
        ENDS_REQUIRE(transport_node_create(end->factory, 1, &itself) == CB_OK);
        member = itself;
    }
    ENDS_REQUIRE(transport_group_create(end->factory, &member, 1, end->rank == 0 ? NULL : end->node,
                                        true, &group) == CB_OK);
    for (uint64_t i = 0; i < STEPS; i++) {
        transport_buffer *buffer = transport_buffer_create(end->factory, BYTES);

        ENDS_REQUIRE(buffer != NULL);
        memcpy(buffer->data, &i, sizeof(i));
        if (end->rank == 0) {
            ENDS_REQUIRE(transport_group_send(group, buffer) == CB_OK);
            (void)receive_or_miss(end, i);
        } else {
            cb_status status;

            transport_buffer_release(buffer);
            status = transport_group_receive_root(group, &buffer);
            ENDS_REQUIRE(status == CB_OK || status == CB_LOST);
            ENDS_REQUIRE(status == CB_LOST || memcmp(buffer->data, &i, sizeof(i)) == 0);
            if (status == CB_OK)
                transport_buffer_release(buffer);
            ends_send(end, i, BYTES);
        }
    }
    transport_group_destroy(group);
    transport_node_destroy(itself);
}

START_TEST(multicasts_stay_in_step_under_loss)
{
    const ends_plan plan = {.technology = "udp",
                            .faults = "loss=0.2,seed=5",
                            .udp = hasty,
                            .message_bytes = BYTES,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {multicast, multicast}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

START_TEST(invalid_fault_settings_of_udp_are_refused)
{
    static const char *const wrong[] = {"loss", "loss=2", "loss=0.6,double=0.6", "loos=0.1",
                                        "loss=0.1;double=0.1"};
    udp_faults faults;

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_int_eq(udp_faults_read(wrong[i], 0, &faults), CB_ERROR_USAGE);
    ck_assert_int_eq(udp_faults_read("double=0.5,loss=0.5,seed=9", 0, &faults), CB_OK);
    ck_assert(faults.loss > 0.49 && faults.duplication > 0.49 && faults.reordering < 0.01);
}
END_TEST

UNIT_MAIN("udp", a_ping_pong_stays_in_step_under_loss_duplication_and_reordering,
          losses_in_a_stream_are_counted, duplicates_in_a_stream_are_counted_and_dropped,
          reordering_in_a_stream_is_counted_and_undone, polling_receives_skip_losses,
          datagrams_without_the_key_are_dropped_and_counted,
          datagrams_with_a_valid_header_from_another_address_are_dropped_and_counted,
          invalid_datagrams_leave_no_data_in_buffers,
          one_poll_reads_a_limited_number_of_invalid_datagrams,
          a_silent_peer_is_an_error_and_no_hang, a_message_too_long_for_a_datagram_is_refused,
          multicasts_stay_in_step_under_loss, invalid_fault_settings_of_udp_are_refused)
