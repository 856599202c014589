/* Draw the sources of an event (Floyd's algorithm) and name them in control messages. */
#include "farm/fetch.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/random.h"
#include "base/units.h"

static cb_status reject(const char *text, const char *why)
{
    cb_error("--fetch '%s': %s; give all, a number of sources, or a fraction such as 0.25", text,
             why);
    return CB_ERROR_USAGE;
}

cb_status farm_fetch_count(const char *text, size_t sources, size_t *out)
{
    char why[CB_WHY_BYTES];
    uint64_t number;
    double value;

    *out = sources;
    if (text == NULL || strcmp(text, "all") == 0)
        return CB_OK;
    if (strchr(text, '.') != NULL) {
        if (!cb_parse_real(text, 0, 1, NULL, &value, why))
            return reject(text, why);
        *out = (size_t)fmax(1, round(value * (double)sources));
        return value > 0 ? CB_OK : reject(text, "an event needs the data of a source");
    }
    if (!cb_parse_count(text, 1, FARM_SOURCES_MOST, &number, why))
        return reject(text, why);
    if (number > sources) {
        cb_error("--fetch %s: the farm has only %zu; give at most that many, or more --sources",
                 text, sources);
        return CB_ERROR_USAGE;
    }
    *out = (size_t)number;
    return CB_OK;
}

void farm_fetch_draw(uint64_t seed, uint64_t event, size_t sources, size_t count, uint64_t *set)
{
    cb_random random = cb_random_seed(cb_mix64(seed) ^ event);

    memset(set, 0, farm_set_words(sources) * sizeof(*set));
    for (size_t last = sources - count; last < sources; last++) {
        size_t drawn = (size_t)cb_random_below(&random, last + 1);
        size_t source = farm_set_has(set, drawn) ? last : drawn;

        set[source / 64] |= UINT64_C(1) << source % 64;
    }
}

uint32_t farm_fetch_names(const uint64_t *set, size_t sources, size_t *first)
{
    uint32_t bits = 0;

    while (*first < sources && !farm_set_has(set, *first))
        ++*first;
    for (size_t i = 0; i < FARM_NAMED && *first + i < sources; i++)
        bits |= (uint32_t)farm_set_has(set, *first + i) << i;
    return bits;
}
