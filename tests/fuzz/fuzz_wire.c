/* Fuzz target for the wire formats of tcp and udp: received bytes are refused or decoded
 * correctly, accepted ones are the same when encoded again, and the receiver's reordering
 * delivers each datagram once and in order, for any sequence numbers. The first byte selects the
 * format. */
#include "config.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "transport/tcp/wire.h"
#include "transport/udp/order.h"
#include "transport/udp/wire.h"

enum { RANKS = 5, TAKEN_MOST = 4096 };

/* The key that the corpus uses. */
static const socket_key key = {
    {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'}};

static void try_hello(const uint8_t *data, size_t size)
{
    unsigned char hello[TCP_HELLO_BYTES], again[TCP_HELLO_BYTES];
    int rank;

    if (size < sizeof(hello))
        return;
    memcpy(hello, data, sizeof(hello));
    rank = tcp_hello_read(hello, &key, RANKS);
    FUZZ_REQUIRE(rank >= -1 && rank < RANKS);
    if (rank < 0)
        return;
    tcp_hello_write(again, &key, rank, RANKS);
    FUZZ_REQUIRE(memcmp(hello, again, sizeof(hello)) == 0);
}

static void try_message(const uint8_t *data, size_t size)
{
    unsigned char again[TCP_HEADER_BYTES];

    if (size < sizeof(again))
        return;
    tcp_header_write(again, tcp_header_read(data));
    FUZZ_REQUIRE(memcmp(data, again, sizeof(again)) == 0);
}

static uint32_t little(const uint8_t *data, uint32_t most)
{
    return data[0] % most;
}

/* The header that these fields are of is read as it was written, by its receiver alone, and not
 * with any bit changed. */
static void try_header(const uint8_t *data, size_t payload_bytes)
{
    enum { RECEIVER = 3 };
    unsigned char bytes[UDP_HEADER_BYTES];
    const udp_header header = {.kind = (udp_kind)little(data, UDP_KINDS),
                               .rank = little(data + 1, RANKS),
                               .epoch = socket_get32(data + UDP_EPOCH_AT),
                               .number = socket_get32(data + UDP_NUMBER_AT),
                               .list = (uint64_t)socket_get32(data + UDP_LIST_AT) << 32 |
                                       socket_get32(data + UDP_LIST_AT + 4)};
    const bool to_all = header.kind == UDP_MULTICAST;
    const size_t bit = data[2] * 2u % (8 * sizeof(bytes));
    udp_header got;

    udp_header_write(bytes, &key, RECEIVER, payload_bytes, &header);
    FUZZ_REQUIRE(udp_header_read(bytes, &key, RECEIVER, payload_bytes, RANKS, &got));
    FUZZ_REQUIRE(got.kind == header.kind && got.rank == header.rank && got.epoch == header.epoch &&
                 got.number == header.number && got.list == header.list);
#ifdef HAVE_SODIUM
    FUZZ_REQUIRE(udp_header_read(bytes, &key, RECEIVER + 1, payload_bytes, RANKS, &got) == to_all);
    FUZZ_REQUIRE(!udp_header_read(bytes, &key, RECEIVER, payload_bytes + 1, RANKS, &got));
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    FUZZ_REQUIRE(!udp_header_read(bytes, &key, RECEIVER, payload_bytes, RANKS, &got));
#else
    (void)to_all;
    (void)bit;
#endif
}

static void try_datagram(const uint8_t *data, size_t size)
{
    unsigned char bytes[UDP_HEADER_BYTES], again[UDP_HEADER_BYTES];
    const size_t payload_bytes = size - sizeof(bytes);
    udp_header header;

    if (size < sizeof(bytes))
        return;
    memcpy(bytes, data, sizeof(bytes));
    if (udp_header_read(bytes, &key, 0, payload_bytes, RANKS, &header)) {
        FUZZ_REQUIRE(header.kind < UDP_KINDS && header.rank < RANKS);
        udp_header_write(again, &key, 0, payload_bytes, &header);
        FUZZ_REQUIRE(memcmp(bytes, again, sizeof(bytes)) == 0);
    }
    try_header(data, payload_bytes);
}

/* An item points into the data, so its position is its number in the order of arrival. */
static void take_what_is_due(udp_order *order, const uint32_t *numbers, const uint8_t *data)
{
    const uint8_t *item;
    uint32_t due = order->next;

    while ((item = udp_order_take(order)) != NULL)
        FUZZ_REQUIRE(numbers[(item - data) / 3] == due++);
    FUZZ_REQUIRE(order->next == due);
}

/* Three bytes are an action: insert a number close to the next expected one or far from it, or
 * skip. */
static void try_order(const uint8_t *data, size_t size)
{
    static uint32_t numbers[TAKEN_MOST];
    udp_order order = {0};
    size_t kept = 0;

    udp_order_begin(&order, UINT32_MAX - 20);
    for (size_t i = 0; i + 3 <= size && i / 3 < TAKEN_MOST; i += 3) {
        const uint32_t offset = (uint32_t)data[i + 1] << (data[i + 2] % 26);

        numbers[i / 3] = (data[i] & 1) != 0 ? order.next + offset : order.next - offset;
        if (data[i] % 8 == 7) {
            take_what_is_due(&order, numbers, data);
            udp_order_skip(&order);
        } else {
            /* The interface takes items that are not const. */
            void *item = (void *)(uintptr_t)&data[i];
            udp_arrival arrival = udp_order_put(&order, numbers[i / 3], item);

            FUZZ_REQUIRE(arrival <= UDP_NO_ROOM);
            kept += arrival == UDP_KEPT || arrival == UDP_OVERTAKEN;
        }
        FUZZ_REQUIRE(udp_order_waiting(&order) <= kept);
        if (data[i] % 8 == 6)
            take_what_is_due(&order, numbers, data);
    }
    while (udp_order_take_any(&order) != NULL)
        continue;
    FUZZ_REQUIRE(udp_order_waiting(&order) == 0);
    udp_order_free(&order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const uint8_t *data, size_t size) = {try_hello, try_message,
                                                                      try_datagram, try_order};

    if (size > 0)
        tries[data[0] % (sizeof(tries) / sizeof(tries[0]))](data + 1, size - 1);
    return 0;
}
