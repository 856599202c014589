/* The result of ccmod run for people, and its parts that other forms have, too. */
#ifndef TOOLS_CCMOD_RUN_TEXT_H
#define TOOLS_CCMOD_RUN_TEXT_H

#include "tools/ccmod/run_plan.h"

/* "node 3, outward". */
enum { RUN_NAME_BYTES = 96, RUN_SENTENCE_BYTES = 512 };
void run_name_cell(const run_plan *plan, uint32_t cell, char text[RUN_NAME_BYTES]);

/* Which link limits, by how much, and, where it was evaluated, what doubling it gains. */
void run_describe_bottleneck(const run_plan *plan, char text[RUN_SENTENCE_BYTES]);

/* How far a cell is used: its work, over width and time; 0 to about 1. */
double run_use_of(const run_plan *plan, uint32_t cell);

void run_write_text(FILE *stream, const run_plan *plan);

#endif
