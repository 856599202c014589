/* Ends of nodes: measured contention between messages that leave a node, arrive at it, or pass it
 * in opposite directions. Wraps any network and adds four cells to each route: the source's sending
 * end, the destination's receiving end, and for both nodes a cell for the two directions together.
 * These come last: a message that waits for the other direction occupies its links nevertheless.
 *
 * A cell of width w is shared by more than w messages. If two messages take C times as long as one,
 * 1 <= C <= 2, the width is 2 / C. */
#include "model/networks/networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_CELLS = 4 };

typedef struct {
    ccmod_network network;
    ccmod_network *inner;
    double *widths, *latencies_us;
} ended_network;

static const ended_network *ends_of(const ccmod_network *network)
{
    return network->self;
}

/* Numbered after the links of the network: one link for the ends of each node, one for its two
 * directions. */
static uint32_t end_link(const ccmod_network *inner, uint32_t node)
{
    return (uint32_t)inner->links + node;
}

static uint32_t duplex_link(const ccmod_network *inner, uint32_t node)
{
    return (uint32_t)(inner->links + inner->nodes) + node;
}

/* Append the ends of a message to `count` destinations. */
static size_t add_ends(const ccmod_network *inner, uint32_t source, const uint32_t *destinations,
                       size_t count, uint32_t *cells)
{
    uint32_t *both = cells + 1 + count;

    cells[0] = 2 * end_link(inner, source) + CCMOD_INWARD;
    both[0] = 2 * duplex_link(inner, source);
    for (size_t i = 0; i < count; i++) {
        cells[1 + i] = 2 * end_link(inner, destinations[i]) + CCMOD_OUTWARD;
        both[1 + i] = 2 * duplex_link(inner, destinations[i]);
    }
    return 2 * (1 + count);
}

static size_t route(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells)
{
    const ccmod_network *inner = ends_of(network)->inner;
    size_t count = inner->operations->route(inner, source, destination, cells);

    return count + add_ends(inner, source, &destination, 1, cells + count);
}

static size_t tree(const ccmod_network *network, uint32_t source, const uint32_t *destinations,
                   size_t count, uint32_t *cells, size_t *hops)
{
    const ccmod_network *inner = ends_of(network)->inner;
    size_t used = ccmod_network_tree(inner, source, destinations, count, cells, hops);

    *hops += END_CELLS;
    return used + add_ends(inner, source, destinations, count, cells + used);
}

/* Ends do not count as links of the route. */
static ccmod_delay quiet_delay(const ccmod_network *network, const ccmod_calibration *calibration,
                               size_t hops, uint64_t bytes)
{
    return ccmod_quiet_delay(ends_of(network)->inner, calibration,
                             hops > END_CELLS ? hops - END_CELLS : 0, bytes);
}

static double quiet_packets(const ccmod_network *network, const ccmod_calibration *calibration,
                            size_t hops, uint64_t bytes, double work_us)
{
    return ccmod_quiet_packets(ends_of(network)->inner, calibration,
                               hops > END_CELLS ? hops - END_CELLS : 0, bytes, work_us);
}

/* Only links have background load. */
static double background(const ccmod_network *network, uint32_t cell, uint64_t interval)
{
    const ccmod_network *inner = ends_of(network)->inner;

    return cell < 2 * inner->links ? inner->operations->background(inner, cell, interval) : 0;
}

static void name_link(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    const ccmod_network *inner = ends_of(network)->inner;

    if (link < inner->links)
        ccmod_link_name(inner, link, text, bytes);
    else if (link < duplex_link(inner, 0))
        snprintf(text, bytes, "end of node %u", link - end_link(inner, 0));
    else
        snprintf(text, bytes, "both directions of node %u", link - duplex_link(inner, 0));
}

static void ends_release(ccmod_network *network)
{
    ended_network *ended = network->self;

    ccmod_network_free(ended->inner);
    free(ended->widths);
    free(ended->latencies_us);
    free(ended);
}

static const ccmod_network_operations with_loads = {
    .route = route,
    .tree = tree,
    .quiet_delay = quiet_delay,
    .quiet_packets = quiet_packets,
    .background = background,
    .name_link = name_link,
    .release = ends_release,
};

static const ccmod_network_operations without_loads = {
    .route = route,
    .tree = tree,
    .quiet_delay = quiet_delay,
    .quiet_packets = quiet_packets,
    .name_link = name_link,
    .release = ends_release,
};

/* Making one */

static double known_or(double contention, double usual)
{
    return contention > 0 ? fmin(fmax(contention, 1), 2) : usual;
}

static ccmod_status no_memory(const ccmod_network *network, ccmod_error *error)
{
    return ccmod_fail(
        error, CCMOD_ERROR_MEMORY, NULL, 0,
        "network '%.100s': out of memory for the ends of its nodes; use a smaller one",
        network->name);
}

static ccmod_status fill(ended_network *ended, const ccmod_calibration *calibration,
                         ccmod_error *error)
{
    const ccmod_network *inner = ended->inner;
    size_t cells = 2 * (inner->links + 2 * inner->nodes);
    double sending = 2 / known_or(calibration->out_contention, 2);
    double receiving = 2 / known_or(calibration->in_contention, 2);
    double duplex = 2 / known_or(calibration->duplex_contention, 1);

    ended->widths = calloc(cells, sizeof(*ended->widths));
    if (inner->latencies_us != NULL)
        ended->latencies_us = calloc(cells, sizeof(*ended->latencies_us));
    if (ended->widths == NULL || (inner->latencies_us != NULL && ended->latencies_us == NULL))
        return no_memory(inner, error);
    for (size_t cell = 0; cell < 2 * inner->links; cell++)
        ended->widths[cell] =
            (inner->widths != NULL ? inner->widths[cell] : 1) * fmax(sending, receiving);
    for (uint32_t node = 0; node < inner->nodes; node++) {
        double *end = &ended->widths[2 * (size_t)end_link(inner, node)];
        double *both = &ended->widths[2 * (size_t)duplex_link(inner, node)];

        end[CCMOD_INWARD] = sending;
        end[CCMOD_OUTWARD] = receiving;
        both[0] = both[1] = duplex;
    }
    if (inner->latencies_us != NULL)
        memcpy(ended->latencies_us, inner->latencies_us,
               2 * inner->links * sizeof(*ended->latencies_us));
    ended->network = *inner;
    ended->network.operations =
        inner->operations->background != NULL ? &with_loads : &without_loads;
    ended->network.links = inner->links + 2 * inner->nodes;
    ended->network.interleaving = duplex_link(inner, 0);
    ended->network.longest_route = inner->longest_route + END_CELLS;
    ended->network.widths = ended->widths;
    ended->network.latencies_us = ended->latencies_us;
    ended->network.self = ended;
    return CCMOD_OK;
}

static bool are_plain(const ccmod_calibration *calibration)
{
    return known_or(calibration->out_contention, 2) >= 2 &&
           known_or(calibration->in_contention, 2) >= 2 &&
           known_or(calibration->duplex_contention, 1) <= 1;
}

ccmod_status ccmod_network_share_ends(const ccmod_calibration *calibration, ccmod_network **network,
                                      ccmod_error *error)
{
    ended_network *ended;
    ccmod_status status;

    if (are_plain(calibration))
        return CCMOD_OK;
    if ((*network)->links + 2 * (*network)->nodes > NETWORK_LARGEST)
        return no_memory(*network, error);
    ended = calloc(1, sizeof(*ended));
    if (ended == NULL)
        return no_memory(*network, error);
    ended->inner = *network;
    status = fill(ended, calibration, error);
    if (status == CCMOD_OK) {
        *network = &ended->network;
        return CCMOD_OK;
    }
    free(ended->widths);
    free(ended->latencies_us);
    free(ended);
    return status;
}
