/* Fuzz target for --network: an accepted text gives a network whose routes stay within its links
 * and whose trees have no repetitions; a refused one gets a reason. Files are not opened, and
 * large numbers are skipped: they are valid, but take the time of a thousand small ones. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/fuzz/fuzz.h"

enum { LARGEST_DIGITS = 2, NODES = 20, TEXT_BYTES = 128 };

/* A name with '/', or after "file:", is that of a file. */
static bool is_of_interest(const uint8_t *data, size_t size)
{
    size_t digits = 0;

    if (size == 0 || size >= TEXT_BYTES || memchr(data, '/', size) != NULL ||
        memmem(data, size, "file", 4) != NULL)
        return false;
    for (size_t i = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > LARGEST_DIGITS)
            return false;
    }
    return true;
}

static void require_error(ccmod_status status, const ccmod_error *error)
{
    FUZZ_REQUIRE(status == CCMOD_ERROR_USAGE && error->status == status);
    FUZZ_REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
    FUZZ_REQUIRE(strlen(error->text) > 20);
}

static void require_cells(const ccmod_network *network, const uint32_t *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        FUZZ_REQUIRE(cells[i] < 2 * network->links);
        for (size_t k = 0; k < i; k++)
            FUZZ_REQUIRE(cells[i] != cells[k]);
    }
}

static void check_routes(const ccmod_network *network, uint32_t nodes)
{
    uint32_t *cells = calloc(network->longest_route, sizeof(*cells));

    FUZZ_REQUIRE(cells != NULL);
    for (uint32_t from = 0; from < nodes; from++) {
        for (uint32_t to = 0; to < nodes; to++) {
            size_t count = from != to ? network->operations->route(network, from, to, cells) : 1;

            FUZZ_REQUIRE(count >= 1 && count <= network->longest_route);
            require_cells(network, cells, from != to ? count : 0);
        }
    }
    free(cells);
}

static void check_tree(const ccmod_network *network, uint32_t nodes)
{
    uint32_t *cells = calloc(network->longest_route * NODES, sizeof(*cells));
    uint32_t others[NODES];
    size_t hops = 0, count;

    FUZZ_REQUIRE(cells != NULL);
    for (uint32_t i = 1; i < nodes; i++)
        others[i - 1] = i;
    if (network->operations->tree != NULL && nodes > 1) {
        count = network->operations->tree(network, 0, others, nodes - 1, cells, &hops);
        FUZZ_REQUIRE(count >= 1 && hops >= 1 && hops <= network->longest_route);
        require_cells(network, cells, count);
    }
    free(cells);
}

static void try_text(const char *text)
{
    ccmod_network *network = NULL;
    ccmod_error error = {0};
    ccmod_status status = ccmod_network_open(text, 8, &network, &error);
    uint32_t nodes;

    if (status != CCMOD_OK) {
        require_error(status, &error);
        return;
    }
    nodes = network->nodes < NODES ? (uint32_t)network->nodes : NODES;
    FUZZ_REQUIRE(network->nodes >= 8 && network->links >= 1 && network->payload_bytes > 0);
    check_routes(network, nodes);
    check_tree(network, nodes);
    ccmod_network_free(network);
}

/* The input as it is, and as the arguments of each kind, since most changes to the name of a
 * kind end the reading at once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[TEXT_BYTES + 32];

    if (!is_of_interest(data, size))
        return 0;
    snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)data);
    if (strchr(text, '.') == NULL)
        try_text(text);
    for (size_t i = 0; ccmod_network_kinds[i] != NULL; i++) {
        snprintf(text, sizeof(text), "%s:%.*s", ccmod_network_kinds[i]->name, (int)size,
                 (const char *)data);
        if (strcmp(ccmod_network_kinds[i]->name, "file") != 0)
            try_text(text);
    }
    return 0;
}
