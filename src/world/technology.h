/* The technology `model`. */
#ifndef WORLD_TECHNOLOGY_H
#define WORLD_TECHNOLOGY_H

#include "transport/transport.h"
#include "world/rank.h"

/* Each rank has its own factory. `context` of the bootstrap is control_everyone of its plane. */
extern const transport_technology world_technology;

/* The message of a send, its cargo, has arrived at a rank. CB_ERROR_MEMORY, logged. */
cb_status world_deliver(world_rank *me, uint32_t from, uint64_t cargo);

/* Free messages without use. */
void world_free_messages(world *all);

#endif
