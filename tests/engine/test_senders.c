/* Several sending threads of a source: what they send, in which window, how they are verified, how
 * they end after an error. The destination is a thread of its own; between the two are queues with
 * a lock, in which a test may drop or swap packets. */
#include "engine/senders.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rank.h"
#include "engine/traffic.h"
#include "engine/verification.h"
#include "tests/common/unit.h"

enum { LENGTH_OF_TIMEOUT_NS = 300000000 };

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A queue of messages in one direction. */
typedef struct {
    transport_node node; /* of the side that sends into it */
    pthread_mutex_t mutex;
    transport_buffer *first, **end;
    struct line *back; /* the other direction */
    uint64_t sent;
    uint64_t dropped_at, swapped_at, failing_at; /* numbers of messages, from 1; 0: none */
    transport_buffer *kept;                      /* until the same thread sends another */
} queue;

typedef struct line {
    queue data, acknowledgements;
    transport_factory factory;
    _Atomic uint64_t answered; /* packets received when the destination sent its last answer */
    _Atomic uint64_t widest;   /* maximum number of packets without an answer */
    bench_peer of_source, of_destination;
    bench_rank source, destination;
    int ranks[2];
    uint64_t packets; /* of a block */
    size_t blocks;
    atomic_bool stopped; /* the destination need not wait any more */
    cb_status ended;     /* of the destination */
} line;

static transport_buffer *create(transport_factory *factory, size_t size)
{
    transport_buffer *buffer = calloc(1, sizeof(*buffer));

    buffer->data = malloc(size > 0 ? size : 1);
    traffic_fill(buffer->data, size);
    buffer->size = buffer->capacity = size;
    buffer->owner = factory;
    return buffer;
}

static void release(transport_buffer *buffer)
{
    free(buffer->data);
    free(buffer);
}

static void append(queue *to, transport_buffer *buffer)
{
    buffer->next = NULL;
    *(to->first == NULL ? &to->first : to->end) = buffer;
    to->end = &buffer->next;
}

static void note_width(queue *to)
{
    line *all = to->back;
    uint64_t width = to->sent - atomic_load(&all->answered);

    if (to == &all->data && width > atomic_load(&all->widest))
        atomic_store(&all->widest, width);
    if (to == &all->acknowledgements)
        atomic_store(&all->answered, all->destination.received.packets);
}

/* The upper bits of the number in a stamp of the verification pass. */
static uint64_t thread_of(const transport_buffer *buffer)
{
    uint64_t number;

    memcpy(&number, (const unsigned char *)buffer->data + sizeof(number), sizeof(number));
    return number >> 40;
}

static cb_status send(transport_node *node, transport_buffer *buffer)
{
    queue *to = (queue *)node;
    cb_status status = CB_OK;

    pthread_mutex_lock(&to->mutex);
    to->sent++;
    note_width(to);
    if (to->sent == to->failing_at || to->sent == to->dropped_at) {
        status = to->sent == to->failing_at ? CB_ERROR_TRANSPORT : CB_OK;
        release(buffer);
    } else if (to->sent == to->swapped_at) {
        to->kept = buffer;
    } else {
        append(to, buffer);
        if (to->kept != NULL && thread_of(to->kept) == thread_of(buffer)) {
            append(to, to->kept);
            to->kept = NULL;
        }
    }
    pthread_mutex_unlock(&to->mutex);
    return status;
}

static cb_status take(queue *from, transport_buffer **out)
{
    cb_status status = CB_EMPTY;

    pthread_mutex_lock(&from->mutex);
    if (from->first != NULL) {
        *out = from->first;
        from->first = from->first->next;
        status = CB_OK;
    }
    pthread_mutex_unlock(&from->mutex);
    if (status == CB_EMPTY)
        sched_yield();
    return status;
}

/* The side that sends data receives acknowledgements. */
static cb_status try_receive(transport_node *node, transport_buffer **out)
{
    line *all = ((queue *)node)->back;

    return take(node == &all->data.node ? &all->acknowledgements : &all->data, out);
}

static cb_status receive(transport_node *node, transport_buffer **out)
{
    cb_status status;

    while ((status = try_receive(node, out)) == CB_EMPTY)
        if (atomic_load(&((queue *)node)->back->stopped))
            return CB_ERROR_TRANSPORT;
    return status;
}

static const transport_technology queues = {
    .name = "queues",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND,
    .buffer_create = create,
    .buffer_release = release,
    .send = send,
    .receive = receive,
    .try_receive = try_receive,
};

static void make_queue(queue *q, line *all)
{
    q->node = (transport_node){.ops = &all->factory.ops, .factory = &all->factory};
    q->back = all;
    pthread_mutex_init(&q->mutex, NULL);
}

static bench_rank make_rank(line *all, bench_peer *peer, queue *out, size_t self, size_t bytes,
                            size_t threads, unsigned window)
{
    *peer = (bench_peer){.node = &out->node, .incoming = {.source = 1 - self, .destination = self}};
    out->node.rank = (int)(1 - self);
    return (bench_rank){.traffic = &traffic_touching,
                        .factory = &all->factory,
                        .peers = peer,
                        .peer_count = 1,
                        .heard = 1,
                        .size_bytes = bytes,
                        .threads = threads,
                        .window = window,
                        .half_window = window > 1 ? window / 2 : 1,
                        .place = {.ranks = all->ranks, .self = self}};
}

static void make_line(line *all, size_t bytes, size_t threads, unsigned window)
{
    *all = (line){.factory.ops = queues, .ranks = {0, 1}, .blocks = 1};
    all->factory.wait = TRANSPORT_WAIT_YIELD;
    make_queue(&all->data, all);
    make_queue(&all->acknowledgements, all);
    all->source = make_rank(all, &all->of_source, &all->data, 0, bytes, threads, window);
    all->destination =
        make_rank(all, &all->of_destination, &all->acknowledgements, 1, bytes, threads, window);
    ck_assert_int_eq(verification_split(&all->of_destination, threads), CB_OK);
    ck_assert_int_eq(senders_create(&all->source, threads, &all->source.senders), CB_OK);
}

static void verify_line(line *all)
{
    all->source.traffic = all->destination.traffic = &verification_traffic;
    all->source.verification.timeout_ns = LENGTH_OF_TIMEOUT_NS;
    all->destination.verification.timeout_ns = LENGTH_OF_TIMEOUT_NS;
}

static void free_line(line *all)
{
    transport_buffer *buffer;

    senders_destroy(all->source.senders);
    free(all->of_destination.of_threads);
    while (take(&all->data, &buffer) == CB_OK || take(&all->acknowledgements, &buffer) == CB_OK)
        release(buffer);
}

static cb_status receive_block(line *all)
{
    for (uint64_t i = 0; i < all->packets; i++)
        CB_TRY(bench_stream_receive(&all->destination, 0));
    return bench_settle(&all->destination);
}

static void *receive_blocks(void *context)
{
    line *all = context;

    for (size_t i = 0; i < all->blocks && all->ended == CB_OK; i++)
        all->ended = receive_block(all);
    return NULL;
}

/* Send and receive all blocks; returns the status of the source. */
static cb_status run(line *all, uint64_t packets, size_t blocks, stats_histogram *histogram)
{
    cb_status status = CB_OK;
    pthread_t destination;

    all->packets = packets;
    all->blocks = blocks;
    ck_assert_int_eq(pthread_create(&destination, NULL, receive_blocks, all), 0);
    for (size_t i = 0; i < blocks && status == CB_OK; i++)
        status = senders_send(all->source.senders, packets, histogram);
    if (status != CB_OK)
        atomic_store(&all->stopped, true);
    pthread_join(destination, NULL);
    return status;
}

static uint64_t faults(const checker_findings *found)
{
    return found->lost + found->duplicate + found->reordered + found->corrupted;
}

static const size_t thread_counts[] = {2, 3, 8};
static const unsigned windows[] = {1, 2, 7, 64};
static const uint64_t blocks_of[] = {1, 2, 5, 200};

START_TEST(every_packet_of_every_thread_arrives_once_and_intact)
{
    static const size_t sizes[] = {0, 5, 16, 100};
    size_t threads = thread_counts[(size_t)_i / LENGTH(sizes)];
    size_t bytes = sizes[(size_t)_i % LENGTH(sizes)];

    for (size_t w = 0; w < LENGTH(windows); w++)
        for (size_t p = 0; p < LENGTH(blocks_of); p++) {
            line all;

            make_line(&all, bytes, threads, windows[w]);
            verify_line(&all);
            ck_assert_int_eq(run(&all, blocks_of[p], 3, NULL), CB_OK);
            ck_assert_int_eq(all.ended, CB_OK);
            ck_assert_uint_eq(all.destination.verification.findings.messages, 3 * blocks_of[p]);
            ck_assert_uint_eq(faults(&all.destination.verification.findings), 0);
            ck_assert_ptr_null(all.data.first);
            ck_assert_ptr_null(all.acknowledgements.first);
            free_line(&all);
        }
}
END_TEST

START_TEST(all_threads_together_keep_the_window)
{
    for (size_t w = 0; w < LENGTH(windows); w++) {
        line all;

        make_line(&all, 8, 8, windows[w]);
        ck_assert_int_eq(run(&all, 500, 4, NULL), CB_OK);
        ck_assert_uint_le(all.widest, windows[w]);
        ck_assert_uint_ge(all.widest, 1);
        free_line(&all);
    }
}
END_TEST

START_TEST(each_thread_sends_an_equal_part)
{
    enum { THREADS = 3, EACH = 400 };
    line all;

    make_line(&all, 16, THREADS, 64);
    verify_line(&all);
    ck_assert_int_eq(run(&all, THREADS * EACH, 2, NULL), CB_OK);
    for (uint64_t thread = 0; thread < THREADS; thread++)
        ck_assert_uint_eq(all.of_destination.of_threads[thread].expected & 0xffffffff, 2 * EACH);
    free_line(&all);
}
END_TEST

/* When the first thread has finished, it has sent its part and no other has sent more. */
START_TEST(shares_are_counted_until_one_thread_has_finished)
{
    enum { THREADS = 4, EACH = 250, BLOCKS = 5 };
    uint64_t packets[THREADS] = {0}, most = 0, total = 0;
    line all;

    make_line(&all, 8, THREADS, 64);
    ck_assert_int_eq(run(&all, THREADS * EACH, BLOCKS, NULL), CB_OK);
    senders_packets(all.source.senders, packets);
    for (size_t i = 0; i < THREADS; i++) {
        most = packets[i] > most ? packets[i] : most;
        total += packets[i];
        ck_assert_uint_le(packets[i], EACH * BLOCKS);
    }
    ck_assert_uint_ge(total, EACH * BLOCKS);
    ck_assert_uint_ge(most * THREADS, EACH * BLOCKS);
    senders_reset(all.source.senders);
    memset(packets, 0, sizeof(packets));
    senders_packets(all.source.senders, packets);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_uint_eq(packets[i], 0);
    free_line(&all);
}
END_TEST

START_TEST(the_time_of_each_packet_is_recorded_in_its_thread)
{
    static stats_histogram histogram;
    line all;

    make_line(&all, 8, 3, 16);
    ck_assert_int_eq(run(&all, 100, 2, &histogram), CB_OK);
    ck_assert_uint_eq(histogram.samples + histogram.dropped, 200);
    free_line(&all);
}
END_TEST

START_TEST(a_packet_of_one_thread_that_is_lost_is_found)
{
    line all;

    make_line(&all, 64, 3, 200);
    verify_line(&all);
    all.data.dropped_at = 20;
    (void)run(&all, 100, 1, NULL);
    ck_assert_int_eq(all.ended, CB_ERROR_DATA);
    ck_assert_uint_eq(all.destination.verification.findings.lost, 1);
    ck_assert_uint_eq(faults(&all.destination.verification.findings), 1);
    free_line(&all);
}
END_TEST

START_TEST(packets_of_one_thread_that_change_places_are_found)
{
    line all;

    make_line(&all, 64, 3, 200);
    verify_line(&all);
    all.data.swapped_at = 20;
    ck_assert_int_eq(run(&all, 100, 1, NULL), CB_OK);
    ck_assert_uint_eq(all.destination.verification.findings.reordered, 1);
    ck_assert_uint_eq(faults(&all.destination.verification.findings), 1);
    free_line(&all);
}
END_TEST

/* The rank's own thread then waits for acknowledgements, or for the others. */
START_TEST(an_error_in_any_thread_ends_all_of_them)
{
    for (uint64_t at = 1; at <= 64; at++) {
        line all;

        make_line(&all, 8, 4, 16);
        all.data.failing_at = at;
        ck_assert_int_eq(run(&all, 400, 1, NULL), CB_ERROR_TRANSPORT);
        free_line(&all);
    }
}
END_TEST

START_TEST(threads_end_without_a_block)
{
    line all;

    make_line(&all, 8, 8, 16);
    free_line(&all);
}
END_TEST

/* Frame */

static void add_loops(TCase *group)
{
    tcase_add_loop_test(group, every_packet_of_every_thread_arrives_once_and_intact, 0,
                        (int)(LENGTH(thread_counts) * 4));
}

static UNIT_PART(others, all_threads_together_keep_the_window, each_thread_sends_an_equal_part,
                 shares_are_counted_until_one_thread_has_finished,
                 the_time_of_each_packet_is_recorded_in_its_thread,
                 a_packet_of_one_thread_that_is_lost_is_found,
                 packets_of_one_thread_that_change_places_are_found,
                 an_error_in_any_thread_ends_all_of_them, threads_end_without_a_block)
    UNIT_MAIN_OF("senders", add_loops, others)
