/* Workloads in memory for tests of the model: a list of records for each processor, written by
 * hand or random. */
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

/* Append a record to the list of a processor; a list of receivers is copied. */
void records_add(record_table *table, size_t processor, ccmod_record record);

/* The table as a workload; the table must outlive it. */
ccmod_workload *records_workload(const record_table *table);

/* Parameters of a random workload. */
typedef struct {
    size_t processors;
    size_t messages; /* approximate number of records per processor */
    uint64_t largest_bytes;
    double longest_us; /* maximum time of a computation */
    bool extended; /* also use records that the article does not have: asynchronous messages, waits,
                      multicasts, barriers, receives from any */
} random_shape;

/* A random workload that can always be completed in the order in which it is generated, so that
 * no network or share rule makes it a deadlock. The same seed gives the same workload. */
record_table records_random(const random_shape *shape, uint64_t seed);

#endif
