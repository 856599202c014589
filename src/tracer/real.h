/* The MPI library's functions that the wrappers call, and the names of the wrappers. */
#ifndef TRACER_REAL_H
#define TRACER_REAL_H

/* Export only MPI's names; MPICH's mpi.h does not declare them as visible. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

/* The MPI library's function for a name without its MPI_. */
#define REAL(name)                                                                                 \
    (__extension__({                                                                               \
        static __typeof__(&MPI_##name) found;                                                      \
        if (found == NULL)                                                                         \
            *(void **)&found = tracer_find_real("PMPI_" #name);                                    \
        found;                                                                                     \
    }))

/* The wrapper MPI_X also under its name PMPI_X. */
#define EXPORT(name) extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));

void *tracer_find_real(const char *name);

#endif
