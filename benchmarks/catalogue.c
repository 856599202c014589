/* benchmarks.json: what is known of all benchmarks, on standard output. Run by the build alone. */
#include <stdio.h>

#include "base/log.h"
#include "benchmarks/registry.h"
#include "engine/describe.h"

int main(void)
{
    cb_log_identify("catalogue", -1);
    if (describe_all(benchmarks_registry, stdout) != CB_OK || fflush(stdout) != 0)
        return 1;
    return 0;
}
