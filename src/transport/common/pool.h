/* The pool of a technology's buffers, as the technology sees it; buffer.h has what is hot. */
#ifndef TRANSPORT_COMMON_POOL_H
#define TRANSPORT_COMMON_POOL_H

#include "transport/transport.h"

/* (Re)make the pool as announced; all its buffers must be resting. */
cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation);

void transport_pool_clear(transport_pool *pool);

/* What has come into a buffer and is for nobody goes again: its first `bytes` (or all, where it has
 * fewer) are as `initialise` of the preparation made them. Not for hot paths. */
void transport_pool_restore(const transport_pool *pool, const transport_buffer *buffer,
                            size_t bytes);

#endif
