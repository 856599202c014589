/* --timeline of a farm: an extra pass after the first measurement, of which all ranks then write a
 * trace together. */
#ifndef FARM_RECORDING_H
#define FARM_RECORDING_H

#include "farm/run.h"
#include "timeline/trace.h"

/* What one measurement left for the trace; NULL without --timeline. */
typedef struct farm_recording farm_recording;

/* Slots of the farm's method: `state` is a farm_recording. */
cb_status farm_recording_open(engine_session *session, void **state);
void farm_recording_close(void *state);
cb_status farm_recording_conclude(void *state, engine_session *session,
                                  const bench_measurement *planned);

/* Find what the recording costs, and record the first events, unless a measurement was recorded
 * already. Together. */
cb_status farm_record_timeline(farm_run *run, farm_recording *recording);

/* What a timeline calls the roles and messages of a farm. */
extern const timeline_words farm_timeline_words;

#endif
