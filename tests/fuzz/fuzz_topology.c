/* Fuzz target for topology files: an accepted file is one network whose routes connect all its
 * nodes; a refused one gets a message with file and reason. Large numbers are skipped: they are
 * valid, but take the time of a thousand small ones. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "model/networks/topology.h"
#include "model/networks/topology_file.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST_DIGITS = 3, NODES = 40 };

static bool has_large_number(const uint8_t *data, size_t size)
{
    size_t digits = 0;

    for (size_t i = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > LARGEST_DIGITS)
            return true;
    }
    return false;
}

static void require_error(ccmod_status status, const ccmod_error *error)
{
    FUZZ_REQUIRE(status == CCMOD_ERROR_USAGE && error->status == status);
    FUZZ_REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
    FUZZ_REQUIRE(strncmp(error->text, "fuzz.net", 8) == 0);
    FUZZ_REQUIRE(strlen(error->text) > 20);
}

static void check_links(const topology *made)
{
    for (size_t i = 0; i < made->link_count; i++) {
        const topology_link *link = &made->links[i];

        FUZZ_REQUIRE(link->from != link->to);
        FUZZ_REQUIRE(link->from < made->nodes + made->switches);
        FUZZ_REQUIRE(link->to < made->nodes + made->switches);
        FUZZ_REQUIRE(isfinite(link->bandwidth_MBps) && link->bandwidth_MBps >= 0);
        FUZZ_REQUIRE(isfinite(link->latency_us) && link->latency_us >= 0);
    }
}

/* Follow the route link by link; nodes are at its ends only. */
static void check_route(const topology *made, uint32_t source, uint32_t destination,
                        uint32_t chooser, uint32_t *cells)
{
    size_t count = ccmod_topology_find_route(made, source, destination, chooser, cells);
    uint32_t at = source;

    FUZZ_REQUIRE(count >= 1 && count <= made->longest_route);
    for (size_t i = 0; i < count; i++) {
        const topology_link *link = &made->links[cells[i] / 2];
        bool inward = cells[i] % 2 == CCMOD_INWARD;

        FUZZ_REQUIRE(cells[i] / 2 < made->link_count);
        FUZZ_REQUIRE(at == (inward ? link->from : link->to));
        FUZZ_REQUIRE(i == 0 || topology_is_switch(made, at));
        at = inward ? link->to : link->from;
    }
    FUZZ_REQUIRE(at == destination);
}

static void check_routes(const topology *made)
{
    uint32_t *cells = calloc(made->longest_route, sizeof(*cells));
    uint32_t nodes = made->nodes < NODES ? made->nodes : NODES;

    FUZZ_REQUIRE(cells != NULL);
    for (uint32_t source = 0; source < nodes; source++) {
        for (uint32_t destination = 0; destination < nodes; destination++) {
            if (source == destination)
                continue;
            check_route(made, source, destination, destination, cells);
            check_route(made, source, destination, 7919 * source, cells);
        }
    }
    free(cells);
}

static void try_text(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    topology made = {0};
    ccmod_error error = {0};
    ccmod_status status;

    FUZZ_REQUIRE(stream != NULL);
    status = ccmod_topology_parse(stream, "fuzz.net", &made, &error);
    fclose(stream);
    if (status == CCMOD_OK)
        status = ccmod_topology_connect(&made, &error);
    if (status == CCMOD_OK) {
        check_links(&made);
        check_routes(&made);
    } else {
        require_error(status, &error);
    }
    ccmod_topology_free(&made);
}

/* The input as it is, and after a valid head, since most changes to a head end the reading at
 * once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "%network 1\nnodes 4\nswitch a b\nlink 0-2 a\n";
    uint8_t *headed = malloc(sizeof(head) - 1 + size);

    FUZZ_REQUIRE(headed != NULL);
    if (size > 0 && !has_large_number(data, size)) {
        memcpy(headed, head, sizeof(head) - 1);
        memcpy(headed + sizeof(head) - 1, data, size);
        try_text(data, size);
        try_text(headed, sizeof(head) - 1 + size);
    }
    free(headed);
    return 0;
}
