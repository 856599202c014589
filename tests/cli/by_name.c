/* PROGRAM NAME [OPTION]...: the program of the benchmark of that name, over the technologies or
 * with the engine that it is linked with. */
#include <stdio.h>
#include <string.h>

#include "benchmarks/registry.h"
#include "engine/benchmark.h"

int main(int argc, char **argv)
{
    for (const benchmark *const *one = benchmarks_registry; argc > 1 && *one != NULL; one++)
        if (strcmp((*one)->name, argv[1]) == 0)
            return bench_main(*one, benchmarks_registry, argc - 1, argv + 1);
    fprintf(stderr, "usage: %s NAME [OPTION]..., with the name of a benchmark\n", argv[0]);
    return 2;
}
