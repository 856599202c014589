/* Own options of a map. */
#ifndef LINKMAP_OPTIONS_H
#define LINKMAP_OPTIONS_H

#include <stdint.h>

typedef struct {
    const char *per_host; /* one of linkmap_per_host */
    uint64_t packets;     /* of a throughput sample */
    uint64_t cycles;      /* at least this number */
    double factor;        /* smallest difference that is reported */
    double stall_s, timeout_s;
} linkmap_options;

extern const char *const linkmap_per_host[];

#endif
