/* The result of ccmod run as a document, schema combench-model/1. */
#ifndef TOOLS_CCMOD_RUN_JSON_H
#define TOOLS_CCMOD_RUN_JSON_H

#include "tools/ccmod/run_plan.h"

void run_write_json(FILE *stream, const run_plan *plan);

#endif
