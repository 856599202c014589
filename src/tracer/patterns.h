/* Collectives as messages between pairs: the algorithms that MPI libraries commonly use, as pure
 * functions of rank, size and bytes. The messages of all ranks match: each message that one rank
 * sends another receives, in the same order, with the same bytes. */
#ifndef TRACER_PATTERNS_H
#define TRACER_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/records.h"

/* The receiver of the messages: each is a record without time, whose peer is a rank of the
 * communicator. `at_once`: its sender can send it before it has received any other; both sides know
 * that. */
typedef struct {
    void (*emit)(void *context, const tracer_record *record, bool at_once);
    void *context;
} tracer_sink;

typedef struct {
    int rank, size, root;
} tracer_place;

/* Bytes between this rank and another, or of another's part; `context` is the caller's. */
typedef struct {
    uint64_t (*of)(const void *context, int rank);
    const void *context;
} tracer_bytes;

/* A binomial tree from the root, and the same towards it. */
void tracer_broadcast(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);
void tracer_reduce(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);

/* The part of each rank to the root, or from it, one after the other. `own` counts for all but the
 * root, `parts` for the root. */
void tracer_gather(const tracer_place *place, uint64_t own, tracer_bytes parts,
                   const tracer_sink *sink);
void tracer_scatter(const tracer_place *place, uint64_t own, tracer_bytes parts,
                    const tracer_sink *sink);

/* Parts go round a ring until all have all. */
void tracer_allgather(const tracer_place *place, tracer_bytes parts, const tracer_sink *sink);

/* In step k to the rank k after this one and from the rank k before it. */
void tracer_alltoall(const tracer_place *place, tracer_bytes to, tracer_bytes from,
                     const tracer_sink *sink);

/* Along the ranks. */
void tracer_scan(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);

/* Messages without data, at distances of powers of two. */
void tracer_barrier(const tracer_place *place, const tracer_sink *sink);

#endif
