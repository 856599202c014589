/* Stages of ranks: from counts, from a farm's two numbers, from the text of a topology. */
#include "engine/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { LARGEST_STAGE = 65535 };

size_t bench_role_size(const bench_definition *definition, size_t role, size_t count)
{
    switch (definition->roles[role].share) {
    case BENCH_ONE:
        return 1;
    case BENCH_HALF:
        return count / 2;
    case BENCH_COUNT:
        return count;
    case BENCH_REST:
        return count > 2 ? count - 2 : 0;
    case BENCH_NONE:
        break;
    }
    return 0;
}

bench_shape bench_shape_of_count(const bench_definition *definition, size_t count)
{
    bench_shape shape = {.stage_count = 0};

    for (size_t role = 0; role < BENCH_ROLES; role++)
        if (definition->roles[role].share != BENCH_NONE)
            shape.stages[shape.stage_count++] = bench_role_size(definition, role, count);
    return shape;
}

bench_shape bench_shape_of_farm(size_t sources, size_t destinations)
{
    return (bench_shape){.stages = {1, sources, destinations}, .stage_count = 3};
}

static cb_status refuse(const char *text, const char *why)
{
    cb_error("--topology '%s': %s; give it as 4-2-1 or 9-3-1: sources, then stages, each a whole "
             "fraction of the one before",
             text, why);
    return CB_ERROR_USAGE;
}

static cb_status check_stages(const char *text, const bench_shape *shape)
{
    if (shape->stage_count < 2)
        return refuse(text, "it has one stage and needs two at least");
    for (size_t i = 1; i < shape->stage_count; i++)
        if (shape->stages[i - 1] % shape->stages[i] != 0)
            return refuse(text, "a stage does not divide the one before it");
    return CB_OK;
}

cb_status bench_shape_parse(const char *text, bench_shape *out)
{
    const char *at = text;

    *out = (bench_shape){.stage_count = 0};
    for (;;) {
        char *end;
        unsigned long ranks = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

        if (ranks == 0 || ranks > LARGEST_STAGE)
            return refuse(text, "a stage is a number from 1 to 65535");
        if (out->stage_count == BENCH_STAGES)
            return refuse(text, "it has more than eight stages");
        out->stages[out->stage_count++] = ranks;
        if (*end == '\0')
            return check_stages(text, out);
        if (*end != '-')
            return refuse(text, "stages are parted by '-'");
        at = end + 1;
    }
}

void bench_shape_text(const bench_shape *shape, char text[BENCH_SHAPE_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < shape->stage_count && used < BENCH_SHAPE_TEXT; i++)
        used += (size_t)snprintf(text + used, BENCH_SHAPE_TEXT - used, "%s%zu", i > 0 ? "-" : "",
                                 shape->stages[i]);
}

size_t bench_shape_ranks(const bench_shape *shape)
{
    return bench_shape_span(shape, shape->stage_count).first;
}

bench_span bench_shape_span(const bench_shape *shape, size_t stage)
{
    bench_span span = {0, stage < shape->stage_count ? shape->stages[stage] : 0};

    for (size_t earlier = 0; earlier < stage; earlier++)
        span.first += shape->stages[earlier];
    return span;
}

size_t bench_shape_stage(const bench_shape *shape, size_t participant)
{
    size_t stage = 0;

    while (stage + 1 < shape->stage_count &&
           participant >= bench_shape_span(shape, stage + 1).first)
        stage++;
    return stage;
}

size_t bench_shape_role(const bench_definition *definition, const bench_shape *shape, size_t stage)
{
    if (definition->counted != BENCH_TOPOLOGY || stage == 0)
        return stage;
    return stage + 1 == shape->stage_count ? 2 : 1;
}

bool bench_shape_same(const bench_shape *one, const bench_shape *other)
{
    return one->stage_count == other->stage_count &&
           memcmp(one->stages, other->stages, one->stage_count * sizeof(one->stages[0])) == 0;
}

/* Of a topology: who feeds the rank with `index` in a stage; nobody feeds a source. */
static bench_span inputs_of(const bench_shape *shape, size_t stage, size_t index)
{
    bench_span before;
    size_t fan_in;

    if (stage == 0)
        return (bench_span){0, 0};
    before = bench_shape_span(shape, stage - 1);
    fan_in = before.count / shape->stages[stage];
    return (bench_span){before.first + index * fan_in, fan_in};
}

/* Whom it feeds, as a span of one; the last stage feeds nobody. */
static bench_span output_of(const bench_shape *shape, size_t stage, size_t index)
{
    bench_span next;

    if (stage + 1 >= shape->stage_count)
        return (bench_span){0, 0};
    next = bench_shape_span(shape, stage + 1);
    return (bench_span){next.first + index / (shape->stages[stage] / next.count), 1};
}

typedef struct {
    size_t *peers;
    bool *heard;
    size_t count;
} peer_list;

static void add(peer_list *list, size_t peer, bool heard)
{
    list->peers[list->count] = peer;
    list->heard[list->count++] = heard;
}

static void add_span(peer_list *list, bench_span span, bool heard)
{
    for (size_t i = 0; i < span.count; i++)
        add(list, span.first + i, heard);
}

static void add_role(peer_list *list, const bench_role *role, bench_span others, size_t index,
                     bool heard)
{
    switch (role->peering) {
    case BENCH_ALL:
        add_span(list, others, heard);
        break;
    case BENCH_TWIN:
        add(list, others.first + index, heard);
        break;
    case BENCH_OTHERS:
        for (size_t k = 1; k < others.count; k++)
            add(list, others.first + (index + k) % others.count, heard);
        break;
    case BENCH_CHAIN:
        break;
    }
}

size_t bench_shape_peers(const bench_definition *definition, const bench_shape *shape,
                         size_t participant, size_t *peers, bool *heard)
{
    size_t stage = bench_shape_stage(shape, participant);
    size_t index = participant - bench_shape_span(shape, stage).first;
    const bench_role *role = &definition->roles[bench_shape_role(definition, shape, stage)];
    unsigned hears = role->heard != BENCH_HEARS_ALL ? role->heard : role->peer_roles;
    peer_list list = {.peers = peers, .heard = heard};

    if (role->peering == BENCH_CHAIN) {
        add_span(&list, inputs_of(shape, stage, index), true);
        add_span(&list, output_of(shape, stage, index), false);
    }
    for (size_t other = 0; other < BENCH_ROLES; other++)
        if ((role->peer_roles >> other & 1) != 0)
            add_role(&list, role, bench_shape_span(shape, other), index, (hears >> other & 1) != 0);
    return list.count;
}
