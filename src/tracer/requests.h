/* Requests by their handles: those under way, persistent ones, messages that were probed. A handle
 * may be there more than once: an MPI library may give sends that are complete at once one and the
 * same, and it gives a handle that is free again to the next request. */
#ifndef TRACER_REQUESTS_H
#define TRACER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tracer_ranks tracer_ranks;
typedef struct tracer_started tracer_started;

typedef struct {
    uintptr_t handle; /* the value of the MPI_Request or MPI_Message */
    bool receive;
    int peer;            /* a rank of MPI_COMM_WORLD; below 0: any, or none */
    uint64_t place;      /* of its record */
    uint64_t bytes;      /* of a persistent send */
    uint64_t number;     /* which one it was to be added; set by tracer_requests_add */
    tracer_ranks *ranks; /* of its communicator, held for this request; NULL where peer is known */
    tracer_started *collective; /* what was started, where it is a collective; else NULL */
} tracer_request;

typedef struct {
    tracer_request request;
    size_t next; /* of the same chain, which was added before; or of the unused ones */
} tracer_slot;

typedef struct {
    tracer_slot *slots;
    size_t *heads; /* chains by hash of the handle, the last one added first */
    size_t room, count, unused;
    uint64_t added; /* how many ever were */
} tracer_requests;

/* An empty table is all zero. CB_ERROR_MEMORY, logged. */
cb_status tracer_requests_add(tracer_requests *table, const tracer_request *request);

/* The last one added with that handle, or NULL; it stays there until the table is changed. */
tracer_request *tracer_requests_find(const tracer_requests *table, uintptr_t handle);

/* Take out the last one with that handle of the first `among` that were ever added; false where
 * there is none. A call that completes a request says how many there were when it began: what
 * another thread has since started with the same handle is not what it completes. */
bool tracer_requests_take(tracer_requests *table, uintptr_t handle, uint64_t among,
                          tracer_request *out);

void tracer_requests_free(tracer_requests *table);

#endif
