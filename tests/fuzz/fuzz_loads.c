/* Fuzz target for topologies and lists of loads. What is accepted must be valid, also for the
 * plan made from it, and a topology is the same when printed and read again. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "benchmarks/registry.h"
#include "rate/load.h"
#include "rate/rates.h"
#include "tests/fuzz/fuzz.h"
#include "tests/engine/own_options.h"

enum { RANKS = 40 };

static void require_topology(const bench_shape *shape)
{
    FUZZ_REQUIRE(shape->stage_count >= 2 && shape->stage_count <= BENCH_STAGES);
    for (size_t i = 0; i < shape->stage_count; i++)
        FUZZ_REQUIRE(shape->stages[i] >= 1 && shape->stages[i] <= 65535);
    for (size_t i = 1; i < shape->stage_count; i++)
        FUZZ_REQUIRE(shape->stages[i - 1] % shape->stages[i] == 0);
}

static void try_topology(const char *text)
{
    char printed[SHAPE_TEXT];
    bench_shape shape, again;

    if (shape_parse(text, &shape) != CB_OK)
        return;
    require_topology(&shape);
    shape_text(&shape, printed);
    FUZZ_REQUIRE(memchr(printed, '\0', sizeof(printed)) != NULL);
    FUZZ_REQUIRE(shape_parse(printed, &again) == CB_OK);
    FUZZ_REQUIRE(shape_same(&shape, &again));
}

/* Each fits the job and occurs once. */
static void require_shapes(const bench_shape *shapes, size_t count)
{
    FUZZ_REQUIRE(count > 0 && count <= SHAPE_LIST_ROOM);
    for (size_t i = 0; i < count; i++) {
        require_topology(&shapes[i]);
        FUZZ_REQUIRE(shape_ranks(&shapes[i]) <= RANKS);
        for (size_t j = 0; j < i; j++)
            FUZZ_REQUIRE(!shape_same(&shapes[i], &shapes[j]));
    }
}

static void try_topologies(const char *text)
{
    static bench_shape_list list;
    bench_options options = {.sweep = false};
    cb_status status;

    give_own(&cb_pipeline, &options, "topology", text);
    status = cb_pipeline.counted->choose(&cb_pipeline, &options, RANKS, &list);
    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (status == CB_OK)
        require_shapes(list.shapes, list.count);
}

static void require_point(const rate_load_point *point)
{
    bool rate = point->rate_hz > 0, share = point->share > 0;

    FUZZ_REQUIRE(rate != share);
    FUZZ_REQUIRE(isfinite(point->rate_hz) && point->rate_hz >= 0 && point->rate_hz <= 1e9);
    FUZZ_REQUIRE(isfinite(point->share) && point->share >= 0 && point->share <= 10);
}

static void try_loads(const char *text)
{
    rate_load_point points[RATE_LOAD_POINTS];
    bench_options options = {.load_curve = text, .max_time_s = 1e9};
    size_t count;
    cb_status status = rate_load_parse(text, points, &count);

    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (strcmp(text, "auto") != 0)
        FUZZ_REQUIRE(rate_check(&options) == status);
    if (status != CB_OK)
        return;
    FUZZ_REQUIRE(count > 0 && count <= RATE_LOAD_POINTS);
    for (size_t i = 0; i < count; i++)
        require_point(&points[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    cb_log_silence(1);
    try_topology(text);
    try_topologies(text);
    try_loads(text);
    FUZZ_REQUIRE(rate_quantile(text) >= 0 && rate_quantile(text) < 1);
    free(text);
    return 0;
}
