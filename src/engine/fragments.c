#include "engine/fragments.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

/* Options */

static cb_status use_one_size(bench_options *options, uint64_t bytes)
{
    options->sizes.values = cb_allocate(1, sizeof(*options->sizes.values), "a list of sizes");
    if (options->sizes.values == NULL)
        return CB_ERROR_MEMORY;
    options->sizes.values[0] = bytes;
    options->sizes.count = 1;
    options->sizes_of_fragments = (cb_fragments){.law_count = 0};
    return CB_OK;
}

cb_status fragments_parse(bench_options *options, bool sizes_given, bool correlation_given)
{
    cb_fragments *fragments = &options->sizes_of_fragments;
    const char *text = options->fragments;
    char why[CB_WHY_BYTES];

    if (text == NULL) {
        if (!correlation_given)
            return CB_OK;
        cb_error("--correlation has no effect without --fragments; leave it out, or add the other");
        return CB_ERROR_USAGE;
    }
    if (sizes_given || options->sweep) {
        cb_error("--fragments and --%s both choose the sizes of packets; use only one of them",
                 sizes_given ? "sizes" : "sweep");
        return CB_ERROR_USAGE;
    }
    if (!cb_fragments_parse(text, options->correlation, options->seed, fragments, why)) {
        cb_error("--fragments '%s': %s", text, why);
        return CB_ERROR_USAGE;
    }
    if (correlation_given && !cb_fragments_is_drawn(fragments)) {
        cb_error(
            "--correlation has no effect on fragments of a fixed size or from a file; leave it "
            "out, or use a distribution such as lognormal:1KiB,0.5");
        return CB_ERROR_USAGE;
    }
    if (fragments->law_count == 1 && cb_fragments_is_fixed(fragments))
        return use_one_size(options, cb_fragments_largest(fragments, 1));
    if (options->threads > 1) {
        cb_error("--fragments cannot be combined with --threads %" PRIu64
                 ": each source sends its fragments in the order of events; leave one of them out",
                 options->threads);
        return CB_ERROR_USAGE;
    }
    if (bench_occupation_named(options->compute) == BENCH_UNOCCUPIED)
        return CB_OK;
    cb_error("--fragments cannot be combined with --compute %s, which compares packets of one "
             "size; leave one of them out",
             options->compute);
    return CB_ERROR_USAGE;
}

cb_status fragments_share(control *plane, bench_options *options)
{
    cb_fragments *fragments = &options->sizes_of_fragments;
    control_team *everyone = control_everyone(plane);
    const bool reader = control_rank(plane) == 0;
    struct {
        cb_status status;
        uint64_t rows, columns;
    } agreed = {.status = CB_OK};

    if (fragments->path == NULL)
        return CB_OK;
    if (reader) {
        agreed.status = cb_fragments_read(fragments);
        agreed.rows = fragments->rows;
        agreed.columns = fragments->columns;
    }
    CB_TRY(control_broadcast(everyone, &agreed, sizeof(agreed)));
    CB_TRY(agreed.status);
    if (!reader) {
        fragments->table = cb_allocate((size_t)(agreed.rows * agreed.columns),
                                       sizeof(*fragments->table), "the sizes of fragments");
        fragments->rows = (size_t)agreed.rows;
        fragments->columns = (size_t)agreed.columns;
    }
    CB_TRY(control_agree(everyone, fragments->table != NULL ? CB_OK : CB_ERROR_MEMORY));
    return control_broadcast(everyone, fragments->table,
                             fragments->rows * fragments->columns * sizeof(*fragments->table));
}

const bench_traffic *fragments_traffic(const bench_options *options)
{
    const bench_traffic *plain = traffic_named(options->touch, options->buffers);

    if (!fragments_vary(options))
        return plain;
    return traffic_touches(plain) ? &traffic_varied_touching : &traffic_varied_bare;
}

/* Senders */

static bool sends_fragments(const benchmark *definition, const bench_shape *shape, size_t stage)
{
    return stage < shape->stage_count &&
           (definition->fragments >> shape_role(definition, shape, stage) & 1) != 0;
}

static size_t first_sending_stage(const benchmark *definition, const bench_shape *shape)
{
    size_t stage = 0;

    while (stage < shape->stage_count && !sends_fragments(definition, shape, stage))
        stage++;
    return stage;
}

size_t fragments_sources(const benchmark *definition, const bench_options *options,
                         const bench_shape *shape)
{
    const size_t ranks = shape_span(shape, first_sending_stage(definition, shape)).count;

    return definition->units != NULL ? definition->units->scale(options, ranks).receivers : ranks;
}

bench_span fragments_senders(const benchmark *definition, const bench_shape *shape, size_t stage)
{
    if (stage > 0 && sends_fragments(definition, shape, stage - 1))
        return shape_span(shape, stage - 1);
    return shape_span(shape, first_sending_stage(definition, shape));
}

/* The source whose sizes a participant sends; SIZE_MAX if it sends no fragments. A stage of a
 * pipeline sends packets as large as those of its first input. */
static size_t source_of(const benchmark *definition, const bench_options *options,
                        const bench_shape *shape, size_t participant)
{
    size_t stage = shape_stage(shape, participant);
    bench_span span = shape_span(shape, stage);
    bench_span first = shape_span(shape, first_sending_stage(definition, shape));
    size_t index = participant - span.first;

    if (!sends_fragments(definition, shape, stage) ||
        index >= fragments_sources(definition, options, shape))
        return SIZE_MAX;
    return index * (first.count / span.count);
}

/* A rank's part */

struct bench_fragments {
    const cb_fragments *sizes;
    uint32_t *own;      /* sizes of this rank's packets, by event; NULL: it sends none */
    uint64_t period;    /* length of the rings */
    size_t *sources;    /* by peer: source whose sizes it sends, or SIZE_MAX */
    uint32_t **of_peer; /* by peer: its sizes; NULL: not computed yet */
    size_t peers;
    size_t packed;     /* fragments in a message */
    uint64_t *content; /* sums of the first words of the known content; NULL: not computed yet */
};

/* Message k has the fragments of events k * packed to k * packed + packed - 1. */
static uint32_t *make_ring(const bench_fragments *part, size_t source)
{
    uint32_t *ring = cb_allocate((size_t)part->period, sizeof(*ring), "the sizes of fragments");

    for (uint64_t event = 0; ring != NULL && event < part->period * part->packed; event++)
        ring[event / part->packed] += (uint32_t)cb_fragments_size(part->sizes, event, source);
    return ring;
}

cb_status fragments_join(bench_rank *me, const benchmark *definition, const bench_options *options,
                         const bench_shape *shape, uint64_t packets)
{
    const size_t source = source_of(definition, options, shape, me->place.self);
    bench_fragments *part;

    if (!fragments_vary(options))
        return CB_OK;
    part = cb_allocate(1, sizeof(*part), "the sizes of fragments");
    if (part == NULL)
        return CB_ERROR_MEMORY;
    me->fragments = part;
    part->sizes = &options->sizes_of_fragments;
    part->period = cb_fragments_period(part->sizes);
    part->packed = bench_packed(definition, options);
    if (definition->units != NULL)
        packets *= fragments_sources(definition, options, shape);
    if (packets > 0 && packets < part->period)
        part->period = packets;
    part->peers = me->peer_count;
    part->sources = cb_allocate(me->peer_count, sizeof(*part->sources), "the sizes of fragments");
    part->of_peer = cb_allocate(me->peer_count, sizeof(*part->of_peer), "the sizes of fragments");
    if (part->sources == NULL || part->of_peer == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < me->place.known_count; i++) {
        const bench_known *peer = &me->place.known[i];

        part->sources[peer->node->label] = source_of(definition, options, shape, peer->participant);
    }
    if (source != SIZE_MAX) {
        part->own = make_ring(part, source);
        if (part->own == NULL)
            return CB_ERROR_MEMORY;
    }
    me->ring = (bench_ring){.sizes = part->own, .period = part->period, .stride = 1};
    return CB_OK;
}

void fragments_leave(bench_rank *me)
{
    bench_fragments *part = me->fragments;

    if (part == NULL)
        return;
    for (size_t peer = 0; part->of_peer != NULL && peer < part->peers; peer++)
        free(part->of_peer[peer]);
    free(part->of_peer);
    free(part->sources);
    free(part->content);
    free(part->own);
    free(part);
    me->fragments = NULL;
}

const uint32_t *fragments_of_peer(bench_rank *me, size_t peer)
{
    bench_fragments *part = me->fragments;

    if (peer == part->peers)
        return part->own;
    if (part->of_peer[peer] == NULL && part->sources[peer] != SIZE_MAX)
        part->of_peer[peer] = make_ring(part, part->sources[peer]);
    return part->of_peer[peer];
}

/* The sum of the known content of `bytes` bytes. */
static uint64_t content_sum(bench_rank *me, uint64_t bytes)
{
    bench_fragments *part = me->fragments;
    const size_t words = me->size_bytes / 8 + 1;

    if (part->content == NULL) {
        part->content = cb_allocate(words, sizeof(*part->content), "the sums of packets");
        for (size_t word = 1; part->content != NULL && word < words; word++)
            part->content[word] = part->content[word - 1] + traffic_content_word(word - 1, 8);
    }
    return part->content != NULL
               ? part->content[bytes / 8] + traffic_content_word(bytes / 8, bytes % 8)
               : 0;
}

bool fragments_sum(bench_rank *me, size_t peer, uint64_t first, uint64_t step, uint64_t count,
                   uint64_t *sum, uint64_t *bytes)
{
    const uint32_t *sizes = fragments_of_peer(me, peer);
    const uint64_t period = me->ring.period;
    uint64_t turns = count / period, rest = count % period;

    *sum = *bytes = 0;
    if (sizes == NULL)
        return false;
    /* `period` successive packets are whole turns of the ring, whatever the step. */
    for (uint64_t pass = 0; pass < 2; pass++) {
        uint64_t times = pass == 0 ? turns : 1, numbers = pass == 0 ? period : rest;
        uint64_t at = first % period;

        if (times == 0)
            continue;
        for (uint64_t i = 0; i < numbers; i++, at = (at + step) % period) {
            *sum += times * content_sum(me, sizes[at]);
            *bytes += times * sizes[at];
        }
    }
    return me->fragments->content != NULL || count == 0;
}

cb_status fragments_summarize(control_team *team, fragments_arrived own, double *mean_bytes,
                              double *largest_bytes)
{
    uint64_t sums[] = {own.packets, own.bytes};

    *largest_bytes = (double)own.largest;
    CB_TRY(control_sum(team, sums, 2));
    CB_TRY(control_broadcast(team, sums, sizeof(sums)));
    CB_TRY(control_maximum(team, largest_bytes, 1));
    *mean_bytes = sums[0] > 0 ? (double)sums[1] / (double)sums[0] : 0;
    return CB_OK;
}
