/* Measure the links between all hosts, one by one. The measurement is made among the ranks of the
 * map: one of each host, or all. */
#ifndef LINKMAP_METHOD_H
#define LINKMAP_METHOD_H

#include "engine/method.h"

extern const measurement_method linkmap_method;

#endif
