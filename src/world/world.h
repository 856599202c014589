/* A job on a network that does not exist. All ranks are coroutines of one process; their clock is
 * the model's (libccmod), whose evaluation resumes a rank when a message has arrived or a time is
 * reached; their control plane is memory; their technology, `model`, gives messages to the
 * evaluation. What they run is the program that measures. */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "engine/session.h"
#include "world/rank.h"

/* Of the world that runs. */
extern const engine_usage world_usage;

typedef struct {
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    ccmod_parameters parameters;
    size_t ranks;
    world_recorder *recorder; /* NULL: nothing is recorded */
    bool multicasts_by_tree;  /* a multicast is a tree of sends, not one message of the network */
    /* A rank's part. A status other than CB_OK ends the run. */
    cb_status (*run)(void *context, world_rank *me);
    void *context;
} world_setting;

/* Run all ranks to their ends, in virtual time from 1 s on; *end_us is the time that they took.
 * CB_ERROR_..., logged: of the first rank that fails, or of the model: the ranks wait for each
 * other in a circle, for example. */
cb_status world_run(const world_setting *setting, double *end_us);

#endif
