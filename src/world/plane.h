/* The control plane of a rank, in memory. */
#ifndef WORLD_PLANE_H
#define WORLD_PLANE_H

#include "control/control.h"
#include "world/rank.h"

/* Make the planes of all ranks. CB_ERROR_MEMORY, logged. Close them in any case. */
cb_status world_planes_open(world *all);
void world_planes_close(world *all);

control *world_plane_of(world_rank *me);

/* The rank whose team it is. */
world_rank *world_rank_of(control_team *team);

#endif
