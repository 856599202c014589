/* Requests by handle: pending ones, persistent ones, and probed messages. A handle may be present
 * several times: an MPI library may return the same handle for all sends that complete at once, and
 * reuses free handles. */
#ifndef TRACER_REQUESTS_H
#define TRACER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tracer/records.h"

typedef struct tracer_ranks tracer_ranks;
typedef struct tracer_started tracer_started;

typedef struct {
    uintptr_t handle; /* the value of the MPI_Request or MPI_Message */
    bool receive;
    int peer;         /* a rank of MPI_COMM_WORLD; negative: any, or none */
    uint64_t place;   /* of its record */
    tracer_kind kind; /* and size of a persistent send */
    uint64_t bytes;
    uint64_t number;     /* serial number, set by tracer_requests_add */
    tracer_ranks *ranks; /* of its communicator, held for this request; NULL if peer is known */
    tracer_started *collective; /* the started collective; NULL for others */
} tracer_request;

typedef struct {
    tracer_request request;
    size_t next; /* next in the chain, which was added earlier; or in the list of free slots */
} tracer_slot;

typedef struct {
    tracer_slot *slots;
    size_t *heads; /* chains by hash of the handle, last added first */
    size_t room, count, unused;
    uint64_t added; /* number of requests ever added */
} tracer_requests;

/* An empty table is all zeros. CB_ERROR_MEMORY, logged. */
cb_status tracer_requests_add(tracer_requests *table, const tracer_request *request);

/* Remove the last request with that handle among the first `among` ever added; false if there is
 * none. A call that completes a request passes the number of requests at its start: it does not
 * complete those that another thread has started since with the same handle. */
bool tracer_requests_take(tracer_requests *table, uintptr_t handle, uint64_t among,
                          tracer_request *out);

void tracer_requests_free(tracer_requests *table);

#endif
