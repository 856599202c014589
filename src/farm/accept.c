/* Draws of accepted events; rings of the events asked for. */
#include "farm/accept.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"

const char farm_first_part[] = "0.25";

cb_status farm_accept_parse(const char *text, double *fraction)
{
    char why[CB_WHY_BYTES];

    if (cb_parse_real(text, 0, 1, NULL, fraction, why))
        return CB_OK;
    cb_error("--accept '%s': %s; give the fraction of events whose first part is accepted, from 0 "
             "to 1",
             text, why);
    return CB_ERROR_USAGE;
}

/* Other draws than those of the sources of the event (fetch.h). */
bool farm_accepts(uint64_t seed, uint64_t event, double fraction)
{
    const uint64_t drawn = cb_mix64(cb_mix64(~seed) + event);

    return (double)(drawn >> 11) * 0x1.0p-53 < fraction;
}

cb_status farm_asked_create(size_t sources, uint64_t events, farm_asked *out)
{
    uint64_t cells = 1;

    while (cells < events)
        cells *= 2;
    *out = (farm_asked){.sources = sources, .mask = cells - 1};
    out->cells = cb_allocate(sources * cells, sizeof(*out->cells), "the events asked for");
    out->first = cb_allocate(sources, sizeof(*out->first), "the events asked for");
    out->end = cb_allocate(sources, sizeof(*out->end), "the events asked for");
    if (out->cells != NULL && out->first != NULL && out->end != NULL)
        return CB_OK;
    farm_asked_free(out);
    return CB_ERROR_MEMORY;
}

void farm_asked_free(farm_asked *asked)
{
    free(asked->cells);
    free(asked->first);
    free(asked->end);
    *asked = (farm_asked){0};
}

void farm_asked_restart(farm_asked *asked)
{
    memset(asked->first, 0, asked->sources * sizeof(*asked->first));
    memset(asked->end, 0, asked->sources * sizeof(*asked->end));
}
