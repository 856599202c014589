/* The array of all benchmarks, made from the list in registry.h. */
#include "benchmarks/registry.h"

#define BENCHMARKS_ADDRESS(definition) &definition,

const benchmark *const benchmarks_registry[] = {BENCHMARKS(BENCHMARKS_ADDRESS) NULL};
