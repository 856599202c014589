/* Requests that were started and are not complete. An MPI library may give several sends that are
 * already complete one and the same request: it is there as often then. */
#ifndef TRACER_REQUESTS_H
#define TRACER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct tracer_ranks tracer_ranks;

typedef struct {
    uintptr_t handle; /* the value of the MPI_Request */
    bool receive;
    uint64_t place;      /* of its record */
    int peer;            /* a rank of MPI_COMM_WORLD; below 0: any */
    tracer_ranks *ranks; /* of its communicator, held for this request; NULL where peer is known */
} tracer_request;

typedef struct {
    tracer_request *slots; /* a hash table with open addressing; free ones have no handle */
    bool *used;
    size_t room, count;
} tracer_requests;

/* An empty table is all zero. CB_ERROR_MEMORY, logged. */
cb_status tracer_requests_add(tracer_requests *table, const tracer_request *request);

/* Take out one with that handle; false where there is none. */
bool tracer_requests_take(tracer_requests *table, uintptr_t handle, tracer_request *out);

void tracer_requests_free(tracer_requests *table);

#endif
