#include "tracer/real.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/log.h"

void *tracer_find_real(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found != NULL)
        return found;
    cb_error(
        "cannot find %s of the MPI library; trace the program with a tracer built with its MPI "
        "library",
        name);
    abort();
}
