/* --compute: a benchmark measured beside a computing task of lower priority. */
#ifndef OCCUPATION_METHOD_H
#define OCCUPATION_METHOD_H

#include "engine/session.h"

/* Each rank is bound to one core, with its task, for the whole run. */
extern const measurement_method occupation_method;

#endif
