/* Measure plain MPI and the same pattern through the transport in one run, block by block in turn:
 * whatever else the machine does affects both. Figures of a row are those of plain MPI; `over_bare`
 * is the time through the transport divided by them. */
#ifndef BARE_METHOD_H
#define BARE_METHOD_H

#include "engine/method.h"

/* For a pair of ranks, technology mpi, and the modes `pingpong` and `stream`. */
extern const measurement_method bare_method;

#endif
