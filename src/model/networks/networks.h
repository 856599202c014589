/* What kinds of networks share, and the kinds themselves, each in a file of its own. kinds.c has
 * the table, kind.c reads arguments and makes a network of a plan, network.c serves any network.
 * Internal to src/model. */
#ifndef MODEL_NETWORKS_NETWORKS_H
#define MODEL_NETWORKS_NETWORKS_H

#include <ccmod/network.h>

extern const ccmod_network_kind ccmod_network_crossbar, ccmod_network_myrinet,
    ccmod_network_fattree, ccmod_network_dragonfly, ccmod_network_torus, ccmod_network_file;

/* Packets of stream sockets on Ethernet, for networks whose kind says nothing of packets. */
enum {
    NETWORK_ETHERNET_PAYLOAD_BYTES = 1460, /* in a frame of 1500 bytes */
    NETWORK_ETHERNET_HEADER_BYTES = 78     /* Ethernet with preamble and gap, and IP */
};

enum { NETWORK_NAME_BYTES = 384, NETWORK_DIMENSIONS = 16 };

/* Nodes and links are numbered by 31 bits, so that cells fit into 32. */
#define NETWORK_LARGEST UINT64_C(0x7fffffff)

/* Arguments (kind.c) */

/* The sizes of a grid, as in 4x4x8. */
typedef struct {
    uint32_t sizes[NETWORK_DIMENSIONS];
    size_t count; /* 0: not given */
} network_shape;

typedef enum {
    NETWORK_COUNT, /* uint64_t */
    NETWORK_REAL,  /* double */
    NETWORK_SHAPE  /* network_shape; minimum and maximum are of each size */
} network_argument_type;

/* One key of "KIND:key=value,...". */
typedef struct {
    const char *key;
    network_argument_type type;
    size_t offset; /* of the field */
    uint64_t minimum, maximum;
} network_argument;

/* Read `arguments` (NULL or empty: none) over the defaults that `values` holds. `text` is all that
 * the user gave; `form` how to write it. */
ccmod_status ccmod_network_read_arguments(const network_argument *rows, size_t row_count,
                                          const char *arguments, const char *text, const char *form,
                                          void *values, ccmod_error *error);

/* Making a network (kind.c) */

/* Sums and products that stay at UINT64_MAX once they are too large. */
uint64_t ccmod_network_plus(uint64_t left, uint64_t right);
uint64_t ccmod_network_times(uint64_t left, uint64_t right);

/* A network of which all but the shape is said by numbers. */
typedef struct {
    const ccmod_network_operations *operations; /* release is ccmod_network_release */
    const char *name;
    uint64_t nodes, links;
    size_t longest_route;
    uint64_t payload_bytes, header_bytes; /* payload 0: those of Ethernet */
    bool needs_calibration;
    const void *shape; /* is copied; the network's self is the copy */
    size_t shape_bytes;
} network_plan;

/* Make it, in one piece of memory. An error that names `text` where it is too large. */
ccmod_status ccmod_network_make(const network_plan *plan, const char *text, ccmod_network **out,
                                ccmod_error *error);
void ccmod_network_release(ccmod_network *network);

/* The error that there is no memory for the network. */
ccmod_status ccmod_network_no_memory(const char *text, ccmod_error *error);

/* Trees (network.c) */

/* A route as the slot `route` gives it, but that where there are several ways the number `chooser`
 * decides. */
typedef size_t network_router(const ccmod_network *network, uint32_t source, uint32_t destination,
                              uint32_t chooser, uint32_t *cells);

/* A tree as the slot `tree` gives it: the union of the routes. With the source as chooser all
 * branches take the same turns as far as they can. */
size_t ccmod_network_join(const ccmod_network *network, network_router *route, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells,
                          size_t *hops);

/* The tree of a multicast, by the network's slot or the default. */
size_t ccmod_network_tree(const ccmod_network *network, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells,
                          size_t *hops);

#endif
