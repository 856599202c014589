/* Description of benchmarks as JSON (schema combench-benchmarks/1;
 * docs/reference/benchmarks-json.md): for
 * --describe, and for the file benchmarks.json that the build makes and installs. */
#ifndef ENGINE_DESCRIBE_H
#define ENGINE_DESCRIBE_H

#include <stdio.h>

#include "engine/definition.h"

/* Let results have columns for the counters of all technologies. */
void describe_counters(void);

/* Write one benchmark of a registry, or all of them with options, columns of results and
 * technologies. CB_ERROR_MEMORY, logged; whether the stream took all of it is the caller's to
 * check. */
cb_status describe_benchmark(const benchmark *definition, const benchmark *const *registry,
                             FILE *stream);
cb_status describe_all(const benchmark *const *registry, FILE *stream);

#endif
