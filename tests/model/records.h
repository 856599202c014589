/* Workloads in memory for the tests of the model: a list of records for each processor, as one
 * writes them down or as chance makes them. */
#ifndef TESTS_MODEL_RECORDS_H
#define TESTS_MODEL_RECORDS_H

#include <ccmod/ccmod.h>

typedef struct {
    ccmod_record *records; /* their lists are allocated */
    size_t count;
} record_row;

typedef struct {
    size_t processors;
    record_row *rows;
} record_table;

record_table records_make(size_t processors);
void records_free(record_table *table);

/* Append a record to a processor's row; a list is copied. */
void records_add(record_table *table, size_t processor, ccmod_record record);

/* The table as a workload, from its beginning; the table must outlive it. */
ccmod_workload *records_workload(const record_table *table);

/* What a random workload is made of. */
typedef struct {
    size_t processors;
    size_t messages; /* approximate number per processor */
    uint64_t largest_bytes;
    double longest_us; /* of a computation */
    bool extended;     /* with everything that the article leaves out: asynchronous messages, waits,
                          multicasts, barriers, receives from any */
} random_shape;

/* A workload that can always be carried out in the order in which it is made, so that no network
 * and no sharing makes it a deadlock. The same seed gives the same workload. */
record_table records_random(const random_shape *shape, uint64_t seed);

#endif
