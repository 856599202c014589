/* Stages of ranks: from counts, from a farm's two numbers, from the text of a topology. */
#include "engine/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { LARGEST_STAGE = 65535 };

size_t shape_role_size(const benchmark *definition, size_t role, size_t count)
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

bench_shape shape_of_count(const benchmark *definition, size_t count)
{
    bench_shape shape = {.stage_count = 0};

    for (size_t role = 0; role < BENCH_ROLES; role++)
        if (definition->roles[role].share != BENCH_NONE)
            shape.stages[shape.stage_count++] = shape_role_size(definition, role, count);
    return shape;
}

bench_shape shape_of_farm(size_t sources, size_t destinations)
{
    return (bench_shape){.stages = {1, sources, destinations}, .stage_count = 3};
}

cb_status shape_parse(const char *text, bench_shape *out)
{
    const char *at = text, *wrong = NULL;

    *out = (bench_shape){.stage_count = 0};
    while (wrong == NULL) {
        char *end;
        unsigned long ranks = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

        if (ranks == 0 || ranks > LARGEST_STAGE)
            wrong = "a stage is a number from 1 to 65535";
        else if (out->stage_count == BENCH_STAGES)
            wrong = "it has more than eight stages";
        else if (*end != '-' && *end != '\0')
            wrong = "stages are parted by '-'";
        else
            out->stages[out->stage_count++] = ranks;
        if (wrong != NULL || *end == '\0')
            break;
        at = end + 1;
    }
    if (wrong == NULL && out->stage_count < 2)
        wrong = "it has one stage and needs two at least";
    for (size_t i = 1; i < out->stage_count && wrong == NULL; i++)
        if (out->stages[i - 1] % out->stages[i] != 0)
            wrong = "a stage does not divide the one before it";
    if (wrong == NULL)
        return CB_OK;
    cb_error("--topology '%s': %s; give it as 4-2-1 or 9-3-1: sources, then stages, each a whole "
             "fraction of the one before",
             text, wrong);
    return CB_ERROR_USAGE;
}

void shape_text(const bench_shape *shape, char text[SHAPE_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < shape->stage_count && used < SHAPE_TEXT; i++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT - used, "%s%zu", i > 0 ? "-" : "",
                                 shape->stages[i]);
}

bench_span shape_span(const bench_shape *shape, size_t stage)
{
    bench_span span = {0, stage < shape->stage_count ? shape->stages[stage] : 0};

    for (size_t earlier = 0; earlier < stage; earlier++)
        span.first += shape->stages[earlier];
    return span;
}

size_t shape_ranks(const bench_shape *shape)
{
    return shape_span(shape, shape->stage_count).first;
}

size_t shape_stage(const bench_shape *shape, size_t participant)
{
    size_t stage = 0;

    while (stage + 1 < shape->stage_count && participant >= shape_span(shape, stage + 1).first)
        stage++;
    return stage;
}

size_t shape_role(const benchmark *definition, const bench_shape *shape, size_t stage)
{
    if (definition->counted != BENCH_TOPOLOGY || stage == 0)
        return stage;
    return stage + 1 == shape->stage_count ? 2 : 1;
}

bool shape_same(const bench_shape *one, const bench_shape *other)
{
    return one->stage_count == other->stage_count &&
           memcmp(one->stages, other->stages, one->stage_count * sizeof(one->stages[0])) == 0;
}

cb_status shape_list_add(bench_shape_list *list, const bench_shape *shape)
{
    if (list->count == SHAPE_LIST_ROOM) {
        cb_error("more than %d shapes of ranks are asked for; ask for fewer", SHAPE_LIST_ROOM);
        return CB_ERROR_USAGE;
    }
    list->shapes[list->count++] = *shape;
    return CB_OK;
}

cb_status shape_fits(const bench_shape *shape, size_t job_ranks, const char *what)
{
    size_t needed = shape_ranks(shape);

    if (needed <= job_ranks)
        return CB_OK;
    cb_error("%s needs %zu ranks and the job has %zu; start it with mpirun -np %zu (with "
             "--oversubscribe where there are fewer cores), or ask for fewer",
             what, needed, job_ranks, needed);
    return CB_ERROR_USAGE;
}

/* Of a topology: those that feed a rank of a stage, heard, then the one that it feeds. Nobody feeds
 * a source, and the last stage feeds nobody. */
static size_t chain_peers(const bench_shape *shape, size_t stage, size_t index, size_t *peers,
                          bool *heard)
{
    size_t count = 0;

    if (stage > 0) {
        bench_span before = shape_span(shape, stage - 1);
        size_t fan_in = before.count / shape->stages[stage];

        for (size_t i = 0; i < fan_in; i++, count++) {
            peers[count] = before.first + index * fan_in + i;
            heard[count] = true;
        }
    }
    if (stage + 1 < shape->stage_count) {
        bench_span next = shape_span(shape, stage + 1);

        peers[count] = next.first + index / (shape->stages[stage] / next.count);
        heard[count++] = false;
    }
    return count;
}

size_t shape_peers(const benchmark *definition, const bench_shape *shape, size_t participant,
                   size_t *peers, bool *heard)
{
    size_t stage = shape_stage(shape, participant), count = 0;
    size_t index = participant - shape_span(shape, stage).first;
    const bench_role *role = &definition->roles[shape_role(definition, shape, stage)];
    unsigned hears = role->heard != BENCH_HEARS_ALL ? role->heard : role->peer_roles;

    if (role->peering == BENCH_CHAIN)
        return chain_peers(shape, stage, index, peers, heard);
    for (size_t other = 0; other < BENCH_ROLES; other++) {
        bench_span others = shape_span(shape, other);
        size_t first = 0, wanted = others.count; /* all of them, or ... */

        if (others.count == 0 || (role->peer_roles >> other & 1) == 0)
            continue;
        if (role->peering == BENCH_TWIN) {
            first = index;
            wanted = 1;
        } else if (role->peering == BENCH_OTHERS) {
            first = index + 1;
            wanted = others.count - 1;
        }
        for (size_t k = 0; k < wanted; k++, count++) {
            peers[count] = others.first + (first + k) % others.count;
            heard[count] = (hears >> other & 1) != 0;
        }
    }
    return count;
}
