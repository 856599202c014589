/* The verification pass: stamp and check each packet. Each wait has a timeout, so that a lost
 * packet is reported and does not block the run. */
#include "engine/verification.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/fragments.h"
#include "engine/wait.h"

enum { HEADER_BYTES = 16, REMEMBERED = 64 };

/* The number of a packet of several threads: the thread in the upper bits. */
enum { THREAD_SHIFT = 40 };

/* What the content of a packet is made from. */
static uint64_t seed_of(const packet_identity *packet)
{
    return cb_mix64(cb_mix64(packet->source << 32 ^ packet->destination) ^ packet->number);
}

/* Word k of a packet's content. */
static uint64_t pattern_word(uint64_t seed, uint64_t k)
{
    return cb_mix64(seed + k);
}

static void fill_pattern(unsigned char *data, size_t first, size_t size_bytes, uint64_t seed)
{
    for (size_t at = first; at < size_bytes; at += 8) {
        uint64_t content = pattern_word(seed, at / 8);

        memcpy(data + at, &content, size_bytes - at < 8 ? size_bytes - at : 8);
    }
}

static bool pattern_matches(const unsigned char *data, size_t first, size_t size_bytes,
                            uint64_t seed)
{
    for (size_t at = first; at < size_bytes; at += 8) {
        uint64_t content = pattern_word(seed, at / 8);

        if (memcmp(data + at, &content, size_bytes - at < 8 ? size_bytes - at : 8) != 0)
            return false;
    }
    return true;
}

/* First word of the header: the source and, in the upper bits, a checksum of the header and the
 * destination. A packet of 16 bytes has no other content that could be checked. */
static uint64_t signed_source(const packet_identity *packet, uint64_t seed)
{
    return pattern_word(seed, UINT64_MAX) << 32 | (packet->source & UINT32_MAX);
}

void checker_stamp(void *data, size_t size_bytes, packet_identity packet)
{
    size_t header = size_bytes >= HEADER_BYTES ? HEADER_BYTES : 0;
    uint64_t seed = seed_of(&packet), first = signed_source(&packet, seed);

    if (header > 0) {
        memcpy(data, &first, sizeof(first));
        memcpy((unsigned char *)data + sizeof(first), &packet.number, sizeof(packet.number));
    }
    fill_pattern(data, header, size_bytes, seed);
}

/* The number of an intact packet. A short packet can only be compared with the expected one. */
static bool read_number(const checker_stream *checker, const unsigned char *data, size_t size_bytes,
                        uint64_t *number)
{
    packet_identity packet = {checker->source, checker->destination, checker->expected};
    size_t header = size_bytes >= HEADER_BYTES ? HEADER_BYTES : 0;
    uint64_t first, seed;

    if (header > 0)
        memcpy(&packet.number, data + sizeof(first), sizeof(packet.number));
    *number = packet.number;
    seed = seed_of(&packet);
    if (!pattern_matches(data, header, size_bytes, seed))
        return false;
    if (header == 0)
        return true;
    memcpy(&first, data, sizeof(first));
    return first == signed_source(&packet, seed);
}

bool checker_stamp_matches(const void *data, size_t size_bytes, packet_identity packet)
{
    checker_stream expected = {
        .source = packet.source, .destination = packet.destination, .expected = packet.number};
    uint64_t found;

    return read_number(&expected, data, size_bytes, &found) && found == packet.number;
}

/* A packet from before the expected one: if it was counted as lost it is late, otherwise a
 * duplicate. */
static void note_earlier(checker_stream *checker, uint64_t number, checker_findings *findings)
{
    uint64_t age = checker->expected - 1 - number;
    uint64_t bit = age < REMEMBERED ? 1ull << age : 0;

    if ((checker->missing & bit) != 0) {
        checker->missing &= ~bit;
        checker->lost--;
        findings->lost--;
        findings->reordered++;
    } else {
        findings->duplicate++;
    }
}

void checker_skip(checker_stream *checker, uint64_t number)
{
    uint64_t ahead = number > checker->expected ? number - checker->expected : 0;

    checker->missing = ahead < REMEMBERED ? checker->missing << ahead : 0;
    checker->expected += ahead;
}

static void note_later(checker_stream *checker, uint64_t number, checker_findings *findings)
{
    uint64_t skipped = number - checker->expected;

    checker->lost += skipped;
    findings->lost += skipped;
    checker_skip(checker, number + 1);
    for (uint64_t k = 1; k <= skipped && k < REMEMBERED; k++)
        checker->missing |= 1ull << k;
}

void checker_check(checker_stream *checker, const void *data, size_t size_bytes,
                   size_t expected_bytes, checker_findings *findings)
{
    uint64_t number;

    findings->messages++;
    if (size_bytes != expected_bytes || !read_number(checker, data, size_bytes, &number)) {
        findings->corrupted++;
        note_later(checker, checker->expected, findings); /* counts in place of the expected one */
    } else if (number < checker->expected) {
        note_earlier(checker, number, findings);
    } else {
        note_later(checker, number, findings);
    }
}

uint64_t verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages,
                                 double measured_ns)
{
    const double byte_ns = 20, margin = 4;

    return silence_ns +
           (uint64_t)fmax(byte_ns * (double)size_bytes * (double)messages, margin * measured_ns);
}

/* Sending threads. The order in which packets of several threads arrive is not known, so those too
 * short for a number all have the same. */

cb_status verification_split(bench_peer *peer, size_t threads)
{
    peer->of_threads =
        cb_allocate(threads, sizeof(*peer->of_threads), "the streams of sending threads");
    if (peer->of_threads == NULL)
        return CB_ERROR_MEMORY;
    for (uint64_t thread = 0; thread < threads; thread++) {
        peer->of_threads[thread] = peer->incoming;
        peer->of_threads[thread].expected = thread << THREAD_SHIFT;
    }
    return CB_OK;
}

static uint64_t next_number(const bench_rank *me, bench_peer *peer)
{
    if (me->threads > 1 && me->size_bytes < HEADER_BYTES)
        return 0;
    return (uint64_t)peer->thread << THREAD_SHIFT | peer->sent++;
}

static checker_stream *stream_of(const bench_rank *me, bench_peer *from,
                                 const transport_buffer *buffer)
{
    uint64_t number = 0;

    if (from->of_threads == NULL)
        return &from->incoming;
    if (me->size_bytes < HEADER_BYTES)
        from->of_threads[0].expected = 0;
    else if (buffer->size >= HEADER_BYTES)
        memcpy(&number, (const unsigned char *)buffer->data + sizeof(number), sizeof(number));
    number >>= THREAD_SHIFT;
    return &from->of_threads[number < me->threads ? number : 0];
}

static uint64_t lost_from(const bench_rank *me, const bench_peer *peer)
{
    uint64_t lost = peer->incoming.lost;

    for (size_t thread = 0; peer->of_threads != NULL && thread < me->threads; thread++)
        lost += peer->of_threads[thread].lost;
    return lost;
}

/* The size that a received packet has to have. If sizes vary, it follows from the number that the
 * packet carries or, if it is too short for one, from that of the expected packet. */
static size_t due_size(bench_rank *me, const bench_peer *from, const transport_buffer *buffer)
{
    uint64_t number = from->incoming.expected;
    const uint32_t *sizes;

    if (me->fragments == NULL)
        return me->size_bytes;
    sizes = fragments_of_peer(me, (size_t)(from - me->peers));
    if (buffer->size >= HEADER_BYTES)
        memcpy(&number, (const unsigned char *)buffer->data + sizeof(number), sizeof(number));
    return sizes != NULL ? fragments_at(&me->ring, sizes, number, me->ring.lane) : me->size_bytes;
}

cb_status verification_check(bench_rank *me, bench_peer *from, transport_buffer *buffer)
{
    checker_check(stream_of(me, from, buffer), buffer->data, buffer->size,
                  due_size(me, from, buffer), &me->verification.findings);
    me->received.packets++;
    transport_buffer_release(buffer);
    return CB_OK;
}

static wait_terms until_lost(const bench_rank *me)
{
    return wait_terms_of_loss(me->factory, me->verification.timeout_ns);
}

static cb_status report_missing_packet(const bench_rank *me, const char *whom, int rank)
{
    cb_error("no packet came from %s %d for %.1f s in the verification pass: it is "
             "lost; see the counts in the result",
             whom, rank, (double)me->verification.timeout_ns / 1e9);
    return CB_ERROR_DATA;
}

static uint64_t own_rank(const bench_rank *me)
{
    return (uint64_t)me->place.ranks[me->place.self];
}

static cb_status stamp_and_send(const bench_rank *me, bench_peer *peer, transport_buffer *buffer)
{
    checker_stamp(
        buffer->data, buffer->size,
        (packet_identity){own_rank(me), (uint64_t)peer->node->rank, next_number(me, peer)});
    return transport_send(peer->node, buffer);
}

static cb_status send_stamped(bench_rank *me, bench_peer *peer)
{
    size_t size_bytes = me->ring.sizes != NULL
                            ? fragments_at(&me->ring, me->ring.sizes, peer->sent, peer->lane)
                            : me->size_bytes;
    transport_buffer *buffer = transport_buffer_create(me->factory, size_bytes);

    return buffer != NULL ? stamp_and_send(me, peer, buffer) : CB_ERROR_MEMORY;
}

static cb_status send_taken_stamped(bench_rank *me, bench_peer *peer)
{
    transport_buffer *packet = peer->packet;

    peer->packet = NULL;
    return stamp_and_send(me, peer, packet);
}

static cb_status receive_in_time(const bench_rank *me, const bench_peer *peer,
                                 transport_buffer **out)
{
    const wait_terms terms = until_lost(me);
    cb_status status = wait_receive(&terms, peer->node, out);

    return status == CB_EMPTY ? report_missing_packet(me, "rank", peer->node->rank) : status;
}

/* After a gap, fewer packets will arrive than expected; those missing are already counted. */
static void count_missing(bench_rank *me, const bench_peer *peers, size_t count)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < count; i++)
        lost += lost_from(me, &peers[i]);
    me->verification.findings.lost += lost == 0;
}

static cb_status check_or_miss(bench_rank *me, bench_peer *peer, transport_buffer *buffer,
                               cb_status received)
{
    if (received == CB_ERROR_DATA)
        count_missing(me, peer, 1);
    return received == CB_OK ? verification_check(me, peer, buffer) : received;
}

static cb_status receive_checked(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = NULL;
    cb_status received = receive_in_time(me, peer, &buffer);

    return check_or_miss(me, peer, buffer, received);
}

static cb_status receive_root_checked(bench_rank *me, transport_group *group)
{
    const wait_terms terms = until_lost(me);
    transport_buffer *buffer = NULL;
    cb_status received = wait_receive_root(&terms, group, &buffer);

    if (received == CB_EMPTY)
        received = report_missing_packet(me, "the multicasting rank", me->peers[0].node->rank);
    return check_or_miss(me, &me->peers[0], buffer, received);
}

static cb_status serve_checked(bench_rank *me, bench_peer *peer)
{
    CB_TRY(send_stamped(me, peer));
    return receive_checked(me, peer);
}

static cb_status bounce_checked(bench_rank *me, bench_peer *peer)
{
    CB_TRY(receive_checked(me, peer));
    return send_stamped(me, peer);
}

static cb_status await_signal_in_time(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;

    CB_TRY(receive_in_time(me, peer, &buffer));
    transport_buffer_release(buffer);
    return CB_OK;
}

cb_status verification_receive(bench_rank *me, bench_peer *peer, transport_buffer **out)
{
    cb_status received = receive_in_time(me, peer, out);

    if (received == CB_ERROR_DATA)
        count_missing(me, peer, 1);
    return received;
}

void verification_check_own(bench_rank *me, transport_buffer *buffer, uint64_t number)
{
    const packet_identity packet = {own_rank(me), own_rank(me), number};

    checker_stamp(buffer->data, buffer->size, packet);
    me->verification.findings.messages++;
    if (!checker_stamp_matches(buffer->data, buffer->size, packet))
        me->verification.findings.corrupted++;
    me->received.packets++;
    transport_buffer_release(buffer);
}

cb_status verification_receive_any(bench_rank *me, transport_buffer **out, transport_node **from)
{
    const wait_terms terms = until_lost(me);
    cb_status status = wait_receive_any(&terms, me->group, out, from);

    if (status != CB_EMPTY)
        return status;
    count_missing(me, me->peers, me->peer_count);
    return report_missing_packet(me, "any peer of rank", me->place.ranks[me->place.self]);
}

static cb_status receive_any_checked(bench_rank *me, bench_peer **from)
{
    transport_buffer *buffer;
    transport_node *node;

    CB_TRY(verification_receive_any(me, &buffer, &node));
    *from = &me->peers[node->label];
    return verification_check(me, *from, buffer);
}

/* All destinations get the same packet; its number counts the broadcasts. */
static cb_status multicast_stamped(bench_rank *me, transport_group *group)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    checker_stamp(buffer->data, buffer->size,
                  (packet_identity){own_rank(me), CHECKER_ANYBODY, me->broadcasts - 1});
    return transport_group_send(group, buffer);
}

static bool is_for_me(const bench_rank *me, uint64_t broadcast)
{
    return me->is_addressed == NULL || me->is_addressed(me, broadcast);
}

/* The group of a new list has one broadcast. A rank that gave up would stop the others when they
 * make the next group, so a lost broadcast is counted and the pass goes on. */
static cb_status receive_from_new_group(bench_rank *me, transport_group *group)
{
    cb_status status;

    me->peers[0].incoming.lost = 0;
    checker_skip(&me->peers[0].incoming, me->broadcasts - 1);
    status = receive_root_checked(me, group);
    return status == CB_ERROR_DATA ? CB_OK : status;
}

/* Broadcasts to other lists are not waited for and not counted as lost. Lists with groups of their
 * own do not wait for each other: after a loss in one list, later packets of that list may be
 * overtaken by others, and then count as reordered besides the lost one. */
static cb_status receive_multicast_checked(bench_rank *me, transport_group *group)
{
    checker_stream *incoming = &me->peers[0].incoming;
    uint64_t next = incoming->expected;

    incoming->destination = CHECKER_ANYBODY;
    if (me->lists.kind == BENCH_NEW && me->lists.own_multicast)
        return receive_from_new_group(me, group);
    while (!is_for_me(me, next))
        next++;
    checker_skip(incoming, next);
    CB_TRY(me->lists.own_multicast ? receive_root_checked(me, group)
                                   : receive_checked(me, &me->peers[0]));
    for (; next + 1 < incoming->expected; next++)
        if (!is_for_me(me, next)) {
            incoming->lost--;
            me->verification.findings.lost--;
        }
    return CB_OK;
}

const bench_traffic verification_traffic = {
    .send = send_stamped,
    .send_taken = send_taken_stamped,
    .receive = receive_checked,
    .receive_any = receive_any_checked,
    .multicast = multicast_stamped,
    .receive_multicast = receive_multicast_checked,
    .serve = serve_checked,
    .bounce = bounce_checked,
    .await_signal = await_signal_in_time,
    .accept = verification_check,
};

cb_status verification_sum(control_team *team, const checker_findings *found,
                           verification_result *out)
{
    uint64_t counts[] = {found->messages, found->lost, found->duplicate, found->reordered,
                         found->corrupted};

    CB_TRY(control_sum(team, counts, sizeof(counts) / sizeof(counts[0])));
    *out = (verification_result){.messages = counts[0],
                                 .lost = counts[1],
                                 .duplicate = counts[2],
                                 .reordered = counts[3],
                                 .corrupted = counts[4],
                                 .done = true};
    return CB_OK;
}

void verification_note(engine_session *session, const verification_result *found)
{
    if (!found->done || found->lost + found->duplicate + found->reordered + found->corrupted == 0)
        return;
    session->verdict.verification_failed = true;
    cb_error("verification failed: of %llu messages %llu lost, %llu duplicate, %llu "
             "reordered, %llu corrupted; check the technology and the network",
             (unsigned long long)found->messages, (unsigned long long)found->lost,
             (unsigned long long)found->duplicate, (unsigned long long)found->reordered,
             (unsigned long long)found->corrupted);
}
