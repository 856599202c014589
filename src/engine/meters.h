/* Meters: quantities that each rank samples before and after what is timed.
 *
 * They apply to plain passes, computing tasks and farms alike. Each is a row of the table in
 * meters.c and a column of the result. Nothing is sampled inside a timed loop. */
#ifndef ENGINE_METERS_H
#define ENGINE_METERS_H

#include <stdint.h>

#include "control/control.h"
#include "report/report.h"

enum { METERS_MAXIMUM = 16 };

/* Meters of one rank. Zero-initialise. */
typedef struct {
    uint64_t begun[METERS_MAXIMUM]; /* values at the start of the current section */
    uint64_t total[METERS_MAXIMUM]; /* over all timed sections since the last row */
    uint64_t begun_ns, elapsed_ns;  /* of the sections */
    uint64_t steps;                 /* in the sections; of a farm, events */
} meters;

/* Start and end of a timed section. Local. */
void meters_begin(meters *own);
void meters_end(meters *own);

/* Count steps of a section. A rank may leave it to others: the most of any rank counts. */
void meters_count(meters *own, uint64_t steps);

/* Set all totals to 0. */
void meters_reset(meters *own);

/* Combine the totals of the team into columns of the row (NULL except at index 0) and reset them.
 * Collective over the team; returns the control plane's error. */
cb_status meters_report(meters *own, control_team *team, report_row *row);

#endif
