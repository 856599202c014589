/* Hosts and single pairs whose samples stall: lossy, or down from time to time. Pure. */
#ifndef LINKMAP_STALLS_H
#define LINKMAP_STALLS_H

#include "linkmap/search.h"

/* Count the stalls of all pairs, and name hosts and pairs that have too many. CB_ERROR_MEMORY,
 * logged. */
cb_status stalls_find(fault_search *search);

#endif
