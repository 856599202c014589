/* A network: nodes, links and routes, by name or as a program fills it, and the quiet times on it.
 *
 * To add one: one file src/model/networks/NAME.c with a const ccmod_network_operations (only
 * `route` is required) and a function that parses what follows "NAME:" in --network and makes a
 * ccmod_network; one row in the table of kinds.c. crossbar.c is the smallest example. A program
 * that uses the library fills a ccmod_network of its own, without a row. */
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

/* A link is full duplex; each of its two directions is a cell of the routing array, numbered
 * 2 * link + direction. For a node's link direction 0 leads into the network, 1 to the node. */
enum { CCMOD_INWARD = 0, CCMOD_OUTWARD = 1 };

typedef struct ccmod_network ccmod_network;

/* All slots but `route` may be NULL. All are called from several threads at once. */
typedef struct {
    /* Write the cells of the route from `source` to `destination` (different nodes) in the order
     * in which it passes them, each once, and return their number: 1 to longest_route. The same
     * pair always takes the same route. */
    size_t (*route)(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells);

    /* The tree of a multicast: the cells, each once, and their number; *hops is the length of its
     * longest branch. `cells` has room for count * longest_route. NULL: the union of the routes. */
    size_t (*tree)(const ccmod_network *network, uint32_t source, const uint32_t *destinations,
                   size_t count, uint32_t *cells, size_t *hops);

    /* The parts of the delay on the quiet network. NULL: ccmod_default_quiet_delay. */
    ccmod_delay (*quiet_delay)(const ccmod_network *network, const ccmod_calibration *calibration,
                               size_t hops, uint64_t bytes);

    /* Its inverse: how many of the message's packets are consumed once `work_us` of its quiet time
     * are done; for observers alone. NULL: ccmod_default_quiet_packets. */
    double (*quiet_packets)(const ccmod_network *network, const ccmod_calibration *calibration,
                            size_t hops, uint64_t bytes, double work_us);

    /* The background load of a cell in an interval (a number from 0), 0 to below 1; it must always
     * be the same for the same arguments. NULL: what the parameters of the evaluation say. */
    double (*background)(const ccmod_network *network, uint32_t cell, uint64_t interval);

    /* The name of a link for people, such as "node 5" or "leaf 2 - spine 1". NULL: "link 7". */
    void (*name_link)(const ccmod_network *network, uint32_t link, char *text, size_t bytes);

    /* Free what the network owns, and the network itself where it was allocated. */
    void (*release)(ccmod_network *network);
} ccmod_network_operations;

struct ccmod_network {
    const ccmod_network_operations *operations;
    const char *name;                     /* as one would give it to --network */
    size_t nodes;                         /* processor p is node p */
    size_t links;                         /* full duplex: 2 * links cells, below 2^32 */
    size_t longest_route;                 /* in cells */
    uint64_t payload_bytes, header_bytes; /* of a packet; payload_bytes > 0 */
    bool needs_calibration;     /* there is no sensible default line: the tool asks for one */
    const double *widths;       /* of each cell: how many messages it carries at full rate, > 0;
                                   contention is counted per width. NULL: all are 1 */
    const double *latencies_us; /* of each cell: what it adds to the latency of the calibration; for
                                   a multicast the longest of the routes counts. NULL: nothing */
    size_t interleaving;        /* links from this number on serve several messages in pieces, by
                                   turns, under fifo too: a message is through when it has been
                                   served, not its quiet time after it began. 0: none do */
    void *self;                 /* the implementation's */
};

/* Make a network from the text of --network, "KIND" or "KIND:ARGUMENTS", for a workload of
 * `processors`. Freed by ccmod_network_free. */
CCMOD_API ccmod_status ccmod_network_open(const char *text, size_t processors, ccmod_network **out,
                                          ccmod_error *error);

/* Give the nodes of *network ends of their own, with the contention constants of the calibration:
 * links of the network are as wide as what the wider end can use. *network is replaced by one that
 * owns it; it stays as it is where the constants are those of a full-duplex link. */
CCMOD_API ccmod_status ccmod_network_share_ends(const ccmod_calibration *calibration,
                                                ccmod_network **network, ccmod_error *error);

/* Release; NULL is accepted. */
CCMOD_API void ccmod_network_free(ccmod_network *network);

/* One kind of the table that ccmod_network_open searches. */
typedef struct {
    const char *name; /* crossbar */
    const char *form; /* how to write it: "crossbar[:NODES]" */
    const char *help; /* one phrase */
    /* `arguments`: what follows the colon, or NULL; `text`: all of it, for errors. */
    ccmod_status (*open)(const char *arguments, const char *text, size_t processors,
                         ccmod_network **out, ccmod_error *error);
} ccmod_network_kind;

/* NULL-terminated. */
extern CCMOD_API const ccmod_network_kind *const ccmod_network_kinds[];

/* max(1, ceil(bytes / payload)). */
CCMOD_API uint64_t ccmod_packets(const ccmod_network *network, uint64_t bytes);

/* The delay that `network` gives, by its slot or ccmod_default_quiet_delay. */
CCMOD_API ccmod_delay ccmod_quiet_delay(const ccmod_network *network,
                                        const ccmod_calibration *calibration, size_t hops,
                                        uint64_t bytes);

/* The inverse, by the network's slot or the default: nothing during overhead and latency, then
 * packets in proportion to the transfer that is done; all of them from the end on. */
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
