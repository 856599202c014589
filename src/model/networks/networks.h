/* Shared by kinds of networks, and the kinds themselves, one per file. kinds.c has the table;
 * networks.c creates networks and operates on any of them. Internal to src/model. */
#ifndef MODEL_NETWORKS_NETWORKS_H
#define MODEL_NETWORKS_NETWORKS_H

#include <ccmod/network.h>

extern const ccmod_network_kind ccmod_network_crossbar, ccmod_network_myrinet,
    ccmod_network_fattree, ccmod_network_dragonfly, ccmod_network_torus, ccmod_network_file;

/* Packets of stream sockets on Ethernet, for kinds that do not define packets. */
enum {
    NETWORK_ETHERNET_PAYLOAD_BYTES = 1460, /* of data in a frame of 1500 bytes */
    NETWORK_ETHERNET_HEADER_BYTES =
        78 /* Ethernet with preamble and gap, and the headers of the layers above */
};

enum { NETWORK_NAME_BYTES = 384, NETWORK_DIMENSIONS = 16 };

/* Nodes and links have numbers of 31 bits, so that cells fit 32. */
#define NETWORK_LARGEST UINT64_C(0x7fffffff)

/* Arguments */

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

/* Parse `arguments` (NULL or empty: none) over the defaults in `values`. `text` is the user's whole
 * value, `form` the syntax, for errors. */
ccmod_status ccmod_network_read_arguments(const network_argument *rows, size_t row_count,
                                          const char *arguments, const char *text, const char *form,
                                          void *values, ccmod_error *error);

/* Making a network */

/* Sum and product that saturate at UINT64_MAX. */
uint64_t ccmod_network_plus(uint64_t left, uint64_t right);
uint64_t ccmod_network_times(uint64_t left, uint64_t right);

/* A network, apart from its shape. */
typedef struct {
    const ccmod_network_operations *operations; /* release is ccmod_network_release */
    const char *name;
    uint64_t nodes, links;
    size_t longest_route;
    uint64_t payload_bytes, header_bytes; /* payload 0: those of Ethernet */
    bool needs_calibration;
    const void *shape; /* copied; the network's self is the copy */
    size_t shape_bytes;
} network_plan;

/* Make the network in one block of memory. Fails with an error that names `text` if it is too
 * large. */
ccmod_status ccmod_network_make(const network_plan *plan, const char *text, ccmod_network **out,
                                ccmod_error *error);
void ccmod_network_release(ccmod_network *network);

/* Error: out of memory for the network. */
ccmod_status ccmod_network_no_memory(const char *text, ccmod_error *error);

/* Trees */

/* As the slot `route`; if there are several routes, `chooser` selects one. */
typedef size_t network_router(const ccmod_network *network, uint32_t source, uint32_t destination,
                              uint32_t chooser, uint32_t *cells);

/* As the slot `tree`: the union of the routes. With the source as chooser, all branches share their
 * path as far as possible. */
size_t ccmod_network_join(const ccmod_network *network, network_router *route, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells,
                          size_t *hops);

/* The tree of a multicast, by the network's slot or the default. */
size_t ccmod_network_tree(const ccmod_network *network, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells,
                          size_t *hops);

#endif
