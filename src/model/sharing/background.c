/* Background load of links: none, one for all, or drawn for each cell and interval. A drawn load is
 * a function of seed, cell and interval alone, so that cells without messages need none. */
#include "model/evaluation/engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static ccmod_status allocate(ccmod_engine *engine)
{
    engine->loads = calloc(engine->cell_count, sizeof(*engine->loads));
    if (engine->loads == NULL)
        return ccmod_engine_no_memory(engine);
    if (!ccmod_background_varies(engine))
        return CCMOD_OK;
    engine->drawn = calloc(engine->cell_count, sizeof(*engine->drawn));
    return engine->drawn != NULL ? CCMOD_OK : ccmod_engine_no_memory(engine);
}

bool ccmod_background_varies(const ccmod_engine *engine)
{
    return engine->network->operations->background != NULL ||
           engine->parameters.background == CCMOD_BACKGROUND_EXPONENTIAL;
}

ccmod_status ccmod_background_open(ccmod_engine *engine)
{
    bool none = engine->parameters.background == CCMOD_BACKGROUND_NONE;

    if (none && !ccmod_background_varies(engine))
        return CCMOD_OK;
    CCMOD_TRY(allocate(engine));
    for (size_t i = 0; i < engine->cell_count && !ccmod_background_varies(engine); i++)
        engine->loads[i] = engine->parameters.background_load;
    return CCMOD_OK;
}

static double draw_exponential(const ccmod_engine *engine, uint32_t cell)
{
    uint64_t place = cb_mix64(cb_mix64(engine->parameters.seed) ^ cell);
    cb_random random = cb_random_seed(cb_mix64(place ^ cb_mix64(engine->interval + 1)));

    return -engine->parameters.background_load * log(1 - cb_random_unit(&random));
}

static double draw(const ccmod_engine *engine, uint32_t cell)
{
    const ccmod_network *network = engine->network;
    double load = network->operations->background != NULL
                      ? network->operations->background(network, cell, engine->interval)
                      : draw_exponential(engine, cell);

    return fmax(0, fmin(load, ENGINE_LARGEST_LOAD));
}

void ccmod_background_refresh(ccmod_engine *engine, const engine_message *message)
{
    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t cell = engine->slots[message->slots + i].cell;

        if (engine->drawn[cell] == (uint32_t)engine->interval + 1)
            continue;
        engine->loads[cell] = draw(engine, cell);
        engine->drawn[cell] = (uint32_t)engine->interval + 1;
    }
}

/* On quiet links nobody has followed the intervals: the first message finds the one of its time. */
void ccmod_background_admit(ccmod_engine *engine, const engine_message *message)
{
    if (engine->drawn == NULL)
        return;
    if (engine->live == 0)
        engine->interval = (uint64_t)((engine->now_us + engine_instant_us(engine)) /
                                      engine->parameters.background_interval_us);
    ccmod_background_refresh(engine, message);
}
