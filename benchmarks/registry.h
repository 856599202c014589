/* The list of all benchmarks. Besides benchmarks/local.mk, no other source lists them. */
#ifndef BENCHMARKS_REGISTRY_H
#define BENCHMARKS_REGISTRY_H

#include "engine/definition.h"

/* In the order of docs/using/benchmarks.md. */
#define BENCHMARKS(EACH)                                                                           \
    EACH(cb_oneway)                                                                                \
    EACH(cb_twoway)                                                                                \
    EACH(cb_alltoall)                                                                              \
    EACH(cb_pairs)                                                                                 \
    EACH(cb_outfarm)                                                                               \
    EACH(cb_multicast)                                                                             \
    EACH(cb_funnel)                                                                                \
    EACH(cb_pushfarm)                                                                              \
    EACH(cb_pullfarm)                                                                              \
    EACH(cb_pipeline)                                                                              \
    EACH(cb_evb)                                                                                   \
    EACH(cb_linkmap)                                                                               \
    EACH(cb_ring)                                                                                  \
    EACH(cb_calibrate)                                                                             \
    EACH(cb_bare)                                                                                  \
    EACH(cb_replay)                                                                                \
    EACH(cb_congest)                                                                               \
    EACH(cb_comms1)                                                                                \
    EACH(cb_comms2)                                                                                \
    EACH(cb_comms3)

#define BENCHMARKS_DECLARE(definition) extern const benchmark definition;
BENCHMARKS(BENCHMARKS_DECLARE)

/* All benchmarks, ended by NULL. */
extern const benchmark *const benchmarks_registry[];

#endif
