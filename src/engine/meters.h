/* Quantities that every rank samples before and after what is timed, whichever way it is measured:
 * in the plain passes, beside a computing task, in a farm. Each is a row of the table in meters.c
 * and becomes a column of the result. Nothing of it happens inside a timed loop. */
#ifndef ENGINE_METERS_H
#define ENGINE_METERS_H

#include <stdint.h>

#include "control/control.h"
#include "report/report.h"

enum { METERS_MAXIMUM = 16 };

/* Of one rank. Zero-initialise. */
typedef struct {
    uint64_t begun[METERS_MAXIMUM]; /* what it was when the section under way began */
    uint64_t total[METERS_MAXIMUM]; /* over all timed sections since the last row */
} meters;

/* A timed section begins, and ends. */
void meters_begin(meters *own);
void meters_end(meters *own);

/* Restart counting. */
void meters_reset(meters *own);

/* Combine the totals of the team into columns of the row, which is NULL except at index 0, and
 * restart counting. Collective. */
cb_status meters_report(meters *own, control_team *team, report_row *row);

#endif
