/* Print benchmarks.json, the description of all benchmarks. Run only by the build. */
#include <stdio.h>

#include "base/log.h"
#include "benchmarks/registry.h"
#include "engine/describe.h"

int main(void)
{
    cb_log_identify("catalogue", -1);
    if (describe_all(benchmarks_registry, stdout) != CB_OK)
        return 1;
    return cb_status_exit(cb_streams_flush(stdout, "the benchmarks", ""));
}
