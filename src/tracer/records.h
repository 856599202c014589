/* The records of one rank, as in a trace .cct. Memory is bounded: older records are moved to an
 * unlinked file in $TMPDIR or /tmp. */
#ifndef TRACER_RECORDS_H
#define TRACER_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum {
    TRACER_NOTHING, /* a reserved place that was not used */
    TRACER_COMPUTE,
    TRACER_SEND,
    TRACER_SYNCHRONOUS_SEND,
    TRACER_BUFFERED_SEND,
    TRACER_RECEIVE,
    TRACER_START_SEND,
    TRACER_START_SYNCHRONOUS_SEND,
    TRACER_START_RECEIVE,
    TRACER_WAIT,
    TRACER_COLLECTIVE /* a comment: `name`, bytes and time of the call that the next records stand
                         for */
} tracer_kind;

typedef struct {
    tracer_kind kind;
    int peer; /* a rank of MPI_COMM_WORLD */
    uint64_t bytes;
    double time_us;   /* computing, or duration of the call; negative: unknown */
    const char *name; /* static storage */
} tracer_record;

/* Maximum number of records in memory, and length of a line. */
enum { TRACER_IN_MEMORY = 16384, TRACER_LINE_BYTES = 128 };

typedef struct {
    tracer_record *recent; /* records from number `spilled` on */
    uint64_t count, spilled, limit;
    int file; /* -1 until it is needed */
} tracer_records;

/* Allocate for `limit` records, in memory and on disk. CB_ERROR_MEMORY, logged. */
cb_status tracer_records_open(tracer_records *records, uint64_t limit);
void tracer_records_close(tracer_records *records);

/* Add a record; its place is then count - 1. CB_EMPTY when the limit is reached: this and all later
 * records are dropped. CB_ERROR_SYSTEM, logged, if the disk is full. */
cb_status tracer_records_add(tracer_records *records, const tracer_record *record);

/* Change or read a record. CB_ERROR_SYSTEM, logged. */
cb_status tracer_records_set(tracer_records *records, uint64_t place, const tracer_record *record);
cb_status tracer_records_get(const tracer_records *records, uint64_t place, tracer_record *out);

/* Format the line of a record, with its newline; returns the length, 0 for TRACER_NOTHING. */
size_t tracer_line(const tracer_record *record, char line[TRACER_LINE_BYTES]);

#endif
