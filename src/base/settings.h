/* What a technology is told at open: for each process of the job the parameters of its Context
 * (Bogaerts, "Implementation of the Message Passing Software Layer over SCI", section 10), and the
 * named groups. They come from configuration files (context.h) or from the job (derive.h); a
 * technology reads them and does not care which. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The SCI node of a process is not configured: the card, or the software in its place, knows it. */
#define CB_NODE_ID_UNKNOWN UINT32_MAX

/* Widths that the protocol fixes: one transfer of SCI, and with it one header; what a header of 16
 * words has room for. */
enum { CB_SCI_LINE_BYTES = 64, CB_SCI_HEADER_BYTES = 64, CB_SCI_MAX_OUTSTANDING = 15 };

/* Adapters have ids that are multiples of 4; the id of all of them, for multicast, is no node's. */
enum { CB_SCI_NODE_MULTIPLE = 4, CB_SCI_NODE_MOST = 65532, CB_SCI_ALL_NODES = 252 };

/* The Context SCI of one process. Areas lie in the segment one behind the other and hold whole
 * lines; their sum is at most recv_seg_size. */
typedef struct {
    uint64_t max_outst_buffers; /* that this process sends to a node before one is acknowledged */
    uint64_t recv_seg_id;       /* processes that share an SCI node add their rank on it */
    uint64_t recv_seg_size;     /* bytes */
    uint64_t header_area_size;  /* bytes: CB_SCI_HEADER_BYTES for each other process */
    uint64_t inline_area_size;  /* bytes; 0: nothing goes in the line of its notification. Else
                                   CB_SCI_LINE_BYTES for each buffer that any other process may have
                                   outstanding here */
    uint64_t recv_buffer_no;   /* at least what all others may have outstanding, and what is held */
    uint64_t recv_buffer_size; /* bytes; a longer message comes in pieces */
    bool use_send_pool;        /* else send buffers come from the heap, as they are asked for */
    uint64_t send_buffer_no;
    uint64_t send_buffer_size; /* bytes */
} cb_sci_settings;

/* The Context TCP of one process. */
typedef struct {
    uint64_t port;               /* 0: any; processes that share a host add their rank on it */
    uint64_t socket_buffer_size; /* bytes, in each direction; 0: as the system has it */
    uint64_t silence_s;          /* a peer whose host answers nothing for so long is lost */
} cb_tcp_settings;

/* The Context UDP of one process. */
typedef struct {
    uint64_t port;               /* as of TCP */
    uint64_t socket_buffer_size; /* as of TCP */
    uint64_t timeout_ms;         /* a message that is awaited for so long is lost */
    bool fragment;               /* what is larger than a packet of the path is cut by IP */
} cb_udp_settings;

/* One process: the node of its rank. */
typedef struct {
    char *name;       /* of the node in nodes.conf; NULL without files */
    uint32_t id;      /* the Reference Software's; without files the rank */
    uint32_t node_id; /* of SCI, or CB_NODE_ID_UNKNOWN */
    cb_sci_settings sci;
    cb_tcp_settings tcp;
    cb_udp_settings udp;
} cb_node_settings;

/* A named group: the ranks of its members in the order of the file. A member may lie beyond the
 * job, when nodes.conf has more nodes than the job has ranks. */
typedef struct {
    char *name;
    size_t *members;
    size_t count;
} cb_group_settings;

/* Of a whole job, alike in all its processes. Freed with cb_settings_free. */
typedef struct {
    bool configured;         /* from files; else derived from the job */
    const char *interface;   /* of --interface, not owned; NULL: the technology chooses */
    cb_node_settings *nodes; /* by rank */
    size_t node_count;       /* the ranks of the job */
    cb_group_settings *groups;
    size_t group_count;
} cb_settings;

/* What a run needs, which settings are derived from or held against. */
typedef struct {
    size_t ranks;
    size_t largest_bytes; /* of a message */
    size_t held_buffers;  /* most received buffers that a process has and has not given back */
} cb_job;

/* Leaves empty settings; doing so twice is harmless. */
void cb_settings_free(cb_settings *settings);

/* The group of that name, or NULL. */
const cb_group_settings *cb_settings_group(const cb_settings *settings, const char *name);

#endif
