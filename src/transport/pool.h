/* The pool of a technology's buffers, as the technology sees it; buffer.h has what is hot. */
#ifndef TRANSPORT_POOL_H
#define TRANSPORT_POOL_H

#include "transport/transport.h"

/* (Re)make the pool as announced; all its buffers must be resting. */
cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation);

void transport_pool_clear(transport_pool *pool);

#endif
