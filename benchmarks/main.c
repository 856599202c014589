/* The program of a benchmark: compiled once for each, with -DBENCHMARK=cb_NAME. */
#include "benchmarks/registry.h"
#include "engine/benchmark.h"

int main(int argc, char **argv)
{
    return bench_main(&BENCHMARK, benchmarks_registry, argc, argv);
}
