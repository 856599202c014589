/* The parameters of Contexts as rows: reading them from files, their defaults, and writing them
 * into a result all go by the same row. A technology adds its rows, and its part to
 * cb_node_settings. */
#ifndef BASE_PARAMETERS_H
#define BASE_PARAMETERS_H

#include "base/settings.h"

/* The Contexts, each with the parameters of one technology. */
typedef enum { CB_CONTEXT_SCI, CB_CONTEXT_TCP, CB_CONTEXT_UDP, CB_CONTEXTS } cb_context;

/* Where a parameter may stand. */
enum {
    CB_SCOPE_TOP = 1u << 0,    /* in network.conf, for all nodes */
    CB_SCOPE_NODE = 1u << 1,   /* in a node, which goes before the top */
    CB_SCOPE_MACHINE = 1u << 2 /* in a machine, for the nodes on it */
};

typedef enum {
    CB_PARAMETER_COUNT, /* uint64_t */
    CB_PARAMETER_SIZE,  /* uint64_t, bytes */
    CB_PARAMETER_FLAG,  /* bool: 0 is false, everything else is true */
    CB_PARAMETER_ID     /* uint32_t: of an SCI node */
} cb_parameter_kind;

typedef struct {
    const char *name;
    cb_context context;
    unsigned scopes;
    cb_parameter_kind kind;
    size_t offset; /* of the field in cb_node_settings */
    uint64_t default_value, minimum, maximum;
    uint64_t multiple; /* the value is one of this, or 0: any */
} cb_parameter;

/* The places of the rows in the table. */
typedef enum {
    CB_MAX_OUTST_BUFFERS,
    CB_RECV_SEG_ID,
    CB_RECV_SEG_SIZE,
    CB_HEADER_AREA_SIZE,
    CB_INLINE_AREA_SIZE,
    CB_RECV_BUFFER_NO,
    CB_RECV_BUFFER_SIZE,
    CB_USE_SEND_POOL,
    CB_SEND_BUFFER_NO,
    CB_SEND_BUFFER_SIZE,
    CB_NODE_ID,
    CB_TCP_PORT,
    CB_TCP_SOCKET_BUFFER_SIZE,
    CB_TCP_SILENCE,
    CB_UDP_PORT,
    CB_UDP_SOCKET_BUFFER_SIZE,
    CB_UDP_TIMEOUT,
    CB_UDP_FRAGMENT,
    CB_PARAMETERS
} cb_parameter_id;

extern const cb_parameter cb_parameters[CB_PARAMETERS];

/* "SCI", "TCP", "UDP"; and the name of the technology: "sci", "tcp", "udp". */
const char *cb_context_name(cb_context context);
const char *cb_context_technology(cb_context context);

uint64_t cb_parameter_get(const cb_parameter *row, const cb_node_settings *node);

/* `value` lies in the row's range. */
void cb_parameter_set(const cb_parameter *row, uint64_t value, cb_node_settings *node);

#endif
