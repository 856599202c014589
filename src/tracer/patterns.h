/* Collectives as point-to-point messages: the common algorithms of MPI libraries, as pure functions
 * of rank, size and bytes. The messages of all ranks match: every message sent by one rank is
 * received by another, in the same order and with the same bytes. */
#ifndef TRACER_PATTERNS_H
#define TRACER_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/records.h"

/* Receives the messages of a pattern: each is a record without time, whose peer is a rank of the
 * communicator. `at_once`: its sender can send it before it receives any message; both sides know
 * that. */
typedef struct {
    void (*emit)(void *context, const tracer_record *record, bool at_once);
    void *context;
} tracer_sink;

typedef struct {
    int rank, size, root;
} tracer_place;

/* Bytes of the message between this rank and another, or of another's part; `context` is the
 * caller's. */
typedef struct {
    uint64_t (*of)(const void *context, int rank);
    const void *context;
} tracer_bytes;

/* A binomial tree from the root; and to the root. */
void tracer_broadcast(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);
void tracer_reduce(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);

/* The part of each rank to the root, or from it, rank by rank. `own` is used by all ranks but the
 * root, `parts` by the root. */
void tracer_gather(const tracer_place *place, uint64_t own, tracer_bytes parts,
                   const tracer_sink *sink);
void tracer_scatter(const tracer_place *place, uint64_t own, tracer_bytes parts,
                    const tracer_sink *sink);

/* Parts travel around a ring until all ranks have all. */
void tracer_allgather(const tracer_place *place, tracer_bytes parts, const tracer_sink *sink);

/* In step k send to the k-th rank after this one and receive from the k-th before it. */
void tracer_alltoall(const tracer_place *place, tracer_bytes to, tracer_bytes from,
                     const tracer_sink *sink);

/* From rank to rank. */
void tracer_scan(const tracer_place *place, uint64_t bytes, const tracer_sink *sink);

/* Messages without data, at distances of powers of two. */
void tracer_barrier(const tracer_place *place, const tracer_sink *sink);

#endif
