/* Describe benchmarks as JSON (schema combench-benchmarks/1): --describe and benchmarks.json.
 *
 * docs/reference/benchmarks-json.md explains the keys. */
#ifndef ENGINE_DESCRIBE_H
#define ENGINE_DESCRIBE_H

#include <stdio.h>

#include "engine/definition.h"

/* Declare the counters of all technologies as columns of results. */
void describe_counters(void);

/* Write one line for each known technology: whether it is in this build and can be used on this
 * host, what it would use, or why it cannot be. */
void describe_technologies(FILE *stream);

/* Write one benchmark of a registry; or all of them, with options, result columns and technologies.
 * CB_ERROR_MEMORY, logged. The caller checks the stream for write errors. */
cb_status describe_benchmark(const benchmark *definition, const benchmark *const *registry,
                             FILE *stream);
cb_status describe_all(const benchmark *const *registry, FILE *stream);

#endif
