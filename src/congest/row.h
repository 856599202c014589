/* The row of a victim beside an aggressor. */
#ifndef CONGEST_ROW_H
#define CONGEST_ROW_H

#include "congest/run.h"

/* The figures of a phase, from the row of its measurement. */
congest_phase congest_phase_of(const report_row *row);

/* Add run->row, which has the conditions of the victim, with the figures of all phases. Rank 0
 * only. */
cb_status congest_row_add(congest_run *run, const engine_session *session);

#endif
