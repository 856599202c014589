/* Networks: nodes, links and routes, by name or made by a program, and quiet delays on them.
 *
 * To add a network: one file src/model/networks/NAME.c with a const ccmod_network_operations (only
 * `route` is required) and a function that parses the text after "NAME:" of --network and makes a
 * ccmod_network; one row in the table of kinds.c. crossbar.c is the smallest example. A program
 * that uses the library fills its own ccmod_network, without a row. */
#ifndef CCMOD_NETWORK_H
#define CCMOD_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/base.h>
#include <ccmod/calibration.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A link is full duplex; each direction is a cell of the routing array, numbered 2 * link +
 * direction. Direction 0 of a node's link leads into the network, 1 to the node. */
enum { CCMOD_INWARD = 0, CCMOD_OUTWARD = 1 };

typedef struct ccmod_network ccmod_network;

/* All slots but `route` may be NULL. All must be thread-safe. */
typedef struct {
    /* Write the cells of the route from `source` to `destination` (different nodes) in order, each
     * once, and return their number: 1 to longest_route. A pair always has the same route. */
    size_t (*route)(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells);

    /* The tree of a multicast: the cells, each once; returns their number; *hops is the length of
     * its longest branch. `cells` has room for count * longest_route. NULL: the union of the
     * routes. */
    size_t (*tree)(const ccmod_network *network, uint32_t source, const uint32_t *destinations,
                   size_t count, uint32_t *cells, size_t *hops);

    /* The parts of the quiet delay. NULL: ccmod_default_quiet_delay. */
    ccmod_delay (*quiet_delay)(const ccmod_network *network, const ccmod_calibration *calibration,
                               size_t hops, uint64_t bytes);

    /* The inverse: how many of the message's packets have arrived after `work_us` of its quiet
     * time; only for observers. NULL: ccmod_default_quiet_packets. */
    double (*quiet_packets)(const ccmod_network *network, const ccmod_calibration *calibration,
                            size_t hops, uint64_t bytes, double work_us);

    /* The background load of a cell in an interval (counted from 0), 0 to below 1; a pure function
     * of its arguments. With background_interval_us 0 the interval is the number of the evaluation.
     * NULL: as the evaluation's parameters say. */
    double (*background)(const ccmod_network *network, uint32_t cell, uint64_t interval);

    /* The name of a link, such as "node 5" or "leaf 2 - spine 1". NULL: "link 7". */
    void (*name_link)(const ccmod_network *network, uint32_t link, char *text, size_t bytes);

    /* Free what the network owns, and the network itself if it was allocated. */
    void (*release)(ccmod_network *network);
} ccmod_network_operations;

struct ccmod_network {
    const ccmod_network_operations *operations;
    const char *name;                     /* the value for --network */
    size_t nodes;                         /* number; processor p is node p */
    size_t links;                         /* number, full duplex: 2 * links cells, below 2^32 */
    size_t longest_route;                 /* in cells */
    uint64_t payload_bytes, header_bytes; /* of a packet; payload_bytes > 0 */
    bool needs_calibration; /* there is no default line: the tool requires a calibration */
    const double *widths; /* of each cell: number of messages carried at full rate, > 0; contention
                             is counted per width. NULL: all 1 */
    const double *latencies_us; /* of each cell: added to the calibration's latency; for a
                                   multicast, the route with the largest sum. NULL: none */
    size_t interleaving; /* links from this number on serve several messages in turns, also with
                            fifo: a message is complete when all its parts are served, not one quiet
                            time after its start. 0: none */
    void *self;          /* of the implementation */
};

/* Make a network from the value of --network, "KIND" or "KIND:ARGUMENTS", for a workload of
 * `processors`. The caller frees it with ccmod_network_free. */
CCMOD_API ccmod_status ccmod_network_open(const char *text, size_t processors, ccmod_network **out,
                                          ccmod_error *error);

/* Add cells for the ends of nodes, from the contention constants of the calibration; links of the
 * network get the width of the wider end. *network is replaced by a network that owns it; it is
 * unchanged if the constants are those of a full-duplex link. */
CCMOD_API ccmod_status ccmod_network_share_ends(const ccmod_calibration *calibration,
                                                ccmod_network **network, ccmod_error *error);

/* Release; NULL is accepted. */
CCMOD_API void ccmod_network_free(ccmod_network *network);

/* A row of the table that ccmod_network_open searches. */
typedef struct {
    const char *name; /* crossbar */
    const char *form; /* syntax: "crossbar[:NODES]" */
    const char *help; /* one phrase */
    /* `arguments`: the text after the colon, or NULL; `text`: the whole value, for errors. */
    ccmod_status (*open)(const char *arguments, const char *text, size_t processors,
                         ccmod_network **out, ccmod_error *error);
} ccmod_network_kind;

/* Terminated by NULL. */
extern CCMOD_API const ccmod_network_kind *const ccmod_network_kinds[];

/* Let the network have the packets of a calibration, if it has measured them. */
CCMOD_API void ccmod_network_use_packets(const ccmod_calibration *calibration,
                                         ccmod_network *network);

/* max(1, ceil(bytes / payload)). */
CCMOD_API uint64_t ccmod_packets(const ccmod_network *network, uint64_t bytes);

/* The network's delay, by its slot or ccmod_default_quiet_delay. */
CCMOD_API ccmod_delay ccmod_quiet_delay(const ccmod_network *network,
                                        const ccmod_calibration *calibration, size_t hops,
                                        uint64_t bytes);

/* The inverse, by the network's slot or the default: none during overhead and latency, then packets
 * in proportion to the completed transfer; all at the end. */
CCMOD_API double ccmod_quiet_packets(const ccmod_network *network,
                                     const ccmod_calibration *calibration, size_t hops,
                                     uint64_t bytes, double work_us);

/* The name of a link, by the network's slot or the default; always terminated. */
CCMOD_API void ccmod_link_name(const ccmod_network *network, uint32_t link, char *text,
                               size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
