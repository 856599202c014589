/* A job on a network that does not exist. All ranks are coroutines of one process; their clock is
 * the model's (libccmod), whose evaluation resumes a rank when a message has arrived or a time is
 * reached; their control plane is memory; their technology, `model`, gives messages to the
 * evaluation. What they run is the program that measures. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/ccmod.h>

#include "base/status.h"
#include "control/control.h"
#include "transport/transport.h"

typedef struct world world;
typedef struct world_rank world_rank;

typedef struct {
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    ccmod_parameters parameters;
    size_t ranks;
    /* A rank's part; its status is for the run as a whole. Any other than CB_OK ends the run. */
    cb_status (*run)(void *context, world_rank *me);
    void *context;
} world_setting;

/* Run all ranks to their ends, in virtual time from 1 s on. CB_ERROR_..., logged: of the first rank
 * that fails, or of the model: the ranks wait for each other in a circle, for example. */
cb_status world_run(const world_setting *setting);

int world_rank_number(const world_rank *me);
size_t world_ranks(const world_rank *me);

/* The rank's control plane. Belongs to the world. */
control *world_plane_of(world_rank *me);

/* The technology: every rank has its own factory. `context` of the bootstrap is control_everyone of
 * the rank's plane. */
extern const transport_technology world_technology;

#endif
