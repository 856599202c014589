/* A torus with any number of dimensions: routers on a grid with joined ends, each with `hosts`
 * nodes. Routes use dimension order and the shorter direction in each dimension; if both are
 * equally long, forwards from routers with an even coordinate and backwards from the others.
 *
 * Links are numbered: nodes, then the links of each dimension: link i of a ring is from its router
 * i to the next. A ring of two has one link, a ring of one has none. */
#include "model/networks/networks.h"

#include <stdio.h>

enum { LARGEST_SIZE = 1 << 20, LARGEST_HOSTS = 1 << 16 };

typedef struct {
    network_shape dimensions;
    uint64_t hosts;
} torus_arguments;

static const network_argument arguments_rows[] = {
    {"dimensions", NETWORK_SHAPE, offsetof(torus_arguments, dimensions), 1, LARGEST_SIZE},
    {"hosts", NETWORK_COUNT, offsetof(torus_arguments, hosts), 1, LARGEST_HOSTS},
};

enum { ROWS = sizeof(arguments_rows) / sizeof(arguments_rows[0]) };

typedef struct {
    uint32_t size;
    uint32_t ring_links;
    uint64_t stride; /* difference of neighbours' router numbers */
    uint64_t first;  /* link */
} torus_dimension;

typedef struct {
    torus_dimension dimension[NETWORK_DIMENSIONS];
    size_t dimensions, longest_route;
    uint64_t hosts, routers, links;
} torus_shape;

static torus_shape make_shape(const torus_arguments *values)
{
    torus_shape shape = {.dimensions = values->dimensions.count,
                         .hosts = values->hosts,
                         .routers = 1,
                         .longest_route = 2};

    for (size_t d = 0; d < shape.dimensions; d++) {
        uint32_t size = values->dimensions.sizes[d];

        shape.dimension[d] = (torus_dimension){
            .size = size, .ring_links = size > 2 ? size : size - 1, .stride = shape.routers};
        shape.routers = ccmod_network_times(shape.routers, size);
        shape.longest_route += size / 2;
    }
    shape.links = ccmod_network_times(shape.routers, shape.hosts);
    for (size_t d = 0; d < shape.dimensions; d++) {
        torus_dimension *dimension = &shape.dimension[d];

        dimension->first = shape.links;
        shape.links =
            ccmod_network_plus(shape.links, ccmod_network_times(shape.routers / dimension->size,
                                                                dimension->ring_links));
    }
    return shape;
}

/* Follow one dimension from router `at` with coordinate `from` to coordinate `to`; writes the cells
 * and returns their number. */
static size_t follow_ring(const torus_dimension *dimension, uint64_t at, uint32_t from, uint32_t to,
                          uint32_t *cells)
{
    uint32_t distance = to >= from ? to - from : to + dimension->size - from;
    bool forwards =
        2 * distance < dimension->size || (2 * distance == dimension->size && from % 2 == 0);
    uint64_t inside = at % dimension->stride;
    uint64_t outside = at / dimension->stride / dimension->size;
    uint64_t first =
        dimension->first + outside * dimension->ring_links * dimension->stride + inside;
    size_t count = 0;

    while (from != to) {
        uint32_t before = from > 0 ? from - 1 : dimension->size - 1;
        uint32_t after = from + 1 < dimension->size ? from + 1 : 0;
        uint32_t link = forwards ? from : before; /* link i is from router i to the next */

        cells[count++] = (uint32_t)(2 * (first + link * dimension->stride)) +
                         (forwards ? CCMOD_INWARD : CCMOD_OUTWARD);
        from = forwards ? after : before;
    }
    return count;
}

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    const torus_shape *shape = network->self;
    uint64_t at = source / shape->hosts, goal = destination / shape->hosts;
    size_t count = 0;

    cells[count++] = 2 * source + CCMOD_INWARD;
    for (size_t d = 0; d < shape->dimensions; d++) {
        const torus_dimension *dimension = &shape->dimension[d];
        uint32_t from = (uint32_t)(at / dimension->stride % dimension->size);
        uint32_t to = (uint32_t)(goal / dimension->stride % dimension->size);

        if (from == to)
            continue;
        count += follow_ring(dimension, at, from, to, cells + count);
        at += (uint64_t)to * dimension->stride - (uint64_t)from * dimension->stride;
    }
    cells[count++] = 2 * destination + CCMOD_OUTWARD;
    return count;
}

/* The next router in a dimension. */
static uint64_t next_router(const torus_dimension *dimension, uint64_t router)
{
    uint64_t coordinate = router / dimension->stride % dimension->size;

    return coordinate + 1 < dimension->size ? router + dimension->stride
                                            : router - coordinate * dimension->stride;
}

/* "(1,0,3)" */
static void name_router(const torus_shape *shape, uint64_t router, char *text, size_t bytes)
{
    size_t used = 0;

    for (size_t d = 0; d < shape->dimensions && used < bytes; d++) {
        const torus_dimension *dimension = &shape->dimension[d];

        used += (size_t)snprintf(text + used, bytes - used, "%s%u", d == 0 ? "(" : ",",
                                 (unsigned)(router / dimension->stride % dimension->size));
    }
    if (used < bytes)
        snprintf(text + used, bytes - used, ")");
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    const torus_shape *shape = network->self;
    const torus_dimension *dimension;
    char from_text[96], to_text[96];
    uint64_t ring_position, router;
    size_t d = shape->dimensions;

    while (d > 0 && link < shape->dimension[d - 1].first)
        d--;
    if (d == 0) {
        snprintf(text, bytes, "node %u", link);
        return;
    }
    dimension = &shape->dimension[d - 1];
    ring_position = (link - dimension->first) / dimension->stride;
    router = (ring_position / dimension->ring_links * dimension->size +
              ring_position % dimension->ring_links) *
                 dimension->stride +
             (link - dimension->first) % dimension->stride;
    name_router(shape, router, from_text, sizeof(from_text));
    name_router(shape, next_router(dimension, router), to_text, sizeof(to_text));
    snprintf(text, bytes, "router %s - %s", from_text, to_text);
}

static const ccmod_network_operations operations = {
    .route = route,
    .name_link = name_link,
    .release = ccmod_network_release,
};

static ccmod_status open_torus(const char *arguments, const char *text, size_t processors,
                               ccmod_network **out, ccmod_error *error)
{
    torus_arguments values = {.hosts = 1};
    torus_shape shape;
    char name[NETWORK_NAME_BYTES];
    size_t used;

    (void)processors;
    CCMOD_TRY(ccmod_network_read_arguments(arguments_rows, ROWS, arguments, text,
                                           ccmod_network_torus.form, &values, error));
    if (values.dimensions.count == 0)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "network '%.100s': a torus has no size of its own; write its dimensions, "
                          "as torus:dimensions=4x4x8",
                          text);
    shape = make_shape(&values);
    used = (size_t)snprintf(name, sizeof(name), "torus:dimensions=");
    for (size_t d = 0; d < shape.dimensions; d++)
        used += (size_t)snprintf(name + used, sizeof(name) - used, "%s%u", d > 0 ? "x" : "",
                                 shape.dimension[d].size);
    snprintf(name + used, sizeof(name) - used, ",hosts=%u", (unsigned)shape.hosts);
    return ccmod_network_make(
        &(network_plan){.operations = &operations,
                        .name = name,
                        .nodes = ccmod_network_times(shape.routers, shape.hosts),
                        .links = shape.links,
                        .longest_route = shape.longest_route,
                        .shape = &shape,
                        .shape_bytes = sizeof(shape)},
        text, out, error);
}

const ccmod_network_kind ccmod_network_torus = {
    .name = "torus",
    .form = "torus:dimensions=AxBx...[,hosts=H]",
    .help = "a grid with joined ends, H nodes a router, routes in order of the dimensions",
    .open = open_torus,
};
