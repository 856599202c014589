/* When a processor sent something to another for the last time: a table of pairs. Internal to
 * src/model. */
#ifndef MODEL_RECENT_H
#define MODEL_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t pair; /* source and destination; UINT64_MAX: empty */
    double time_us;
} recent_entry;

typedef struct {
    recent_entry *entries;
    size_t count, room; /* room is a power of two */
} recent_table;

bool ccmod_recent_open(recent_table *table); /* false without memory */
void ccmod_recent_close(recent_table *table);

/* The source sends to the destination; false without memory. Hot. */
bool ccmod_recent_note(recent_table *table, uint32_t source, uint32_t destination, double time_us);

/* When it did for the last time; minus infinity where it never did. Hot. */
double ccmod_recent_time(const recent_table *table, uint32_t source, uint32_t destination);

#endif
