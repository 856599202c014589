/* Hosts and single pairs that are slower than the rest. Pure. */
#ifndef LINKMAP_SLOW_H
#define LINKMAP_SLOW_H

#include "linkmap/search.h"

/* Decompose a quantity, and name slow hosts or, with `pairs`, the pairs that no named host
 * explains. CB_ERROR_MEMORY, logged. */
cb_status slow_find(fault_search *search, map_quantity quantity, bool pairs);

#endif
