/* A random network, and a text for every kind of network. */
#include "tests/model/networks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { LINKS = 10, LONGEST = 6 };

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    cb_random random = cb_random_seed((uint64_t)source << 32 | destination);
    size_t length = 1 + cb_random_below(&random, LONGEST);
    uint32_t cell = (uint32_t)cb_random_below(&random, 2 * network->links);

    for (size_t i = 0; i < length; i++) {
        cells[i] = cell;
        cell =
            (cell + 3) % (2 * LINKS); /* 3 and 20 have no common divisor: no cell is used twice */
    }
    return length;
}

static double background(const ccmod_network *network, uint32_t cell, uint64_t interval)
{
    cb_random random = cb_random_seed(cb_mix64(interval) ^ cell);

    (void)network;
    return 0.9 * cb_random_unit(&random);
}

static void release(ccmod_network *network)
{
    free(network->self);
    free(network);
}

static const ccmod_network_operations plain = {.route = route, .release = release};
static const ccmod_network_operations loaded = {
    .route = route, .background = background, .release = release};

ccmod_network *network_tangle(size_t nodes, bool widths, bool with_background)
{
    ccmod_network *network = calloc(1, sizeof(*network));
    double *width = calloc(2 * LINKS, sizeof(*width));

    ck_assert(network != NULL && width != NULL);
    for (size_t i = 0; i < 2 * LINKS; i++)
        width[i] = 0.5 + (double)(i % 4);
    *network = (ccmod_network){.operations = with_background ? &loaded : &plain,
                               .name = "tangle",
                               .nodes = nodes,
                               .links = LINKS,
                               .longest_route = LONGEST,
                               .payload_bytes = 1000,
                               .header_bytes = 20,
                               .widths = widths ? width : NULL,
                               .self = width};
    return network;
}

/* One row for each kind of ccmod_network_kinds. */
static const struct {
    const char *kind, *text;
} texts[] = {
    {"crossbar", "crossbar:20"},
    {"myrinet", "myrinet:seed=3"},
    {"fattree", "fattree:levels=3,radix=4,oversubscription=3"},
    {"dragonfly", "dragonfly:groups=5,routers=2,hosts=2"},
    {"torus", "torus:dimensions=3x4x2"},
    {"file", NULL}, /* tests/model/example.net in the source tree */
};

static const char *file_text(void)
{
    static char text[4096];
    const char *folder = getenv("srcdir");

    snprintf(text, sizeof(text), "file:%s/tests/model/example.net", folder != NULL ? folder : ".");
    return text;
}

const char *network_text(size_t number)
{
    const ccmod_network_kind *kind = ccmod_network_kinds[number];

    if (kind == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].kind, kind->name) == 0)
            return texts[i].text != NULL ? texts[i].text : file_text();
    }
    ck_abort_msg("the kind of network %s has no row in tests/model/networks.c", kind->name);
    return NULL;
}
