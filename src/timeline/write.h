/* Write the trace of --timeline from the entries of all ranks. */
#ifndef TIMELINE_WRITE_H
#define TIMELINE_WRITE_H

#include "engine/session.h"
#include "report/trace.h"
#include "timeline/recording.h"
#include "timeline/trace.h"

enum { TIMELINE_FACTS_MAXIMUM = 12 };

/* What was recorded. Ranks other than 0 need only the recording. */
typedef struct {
    const bench_shape *shape;
    const timeline_words *words;
    const report_fact *about; /* about the measurement; at most TIMELINE_FACTS_MAXIMUM */
    size_t about_count;
} timeline_content;

/* Compare the clocks with rank 0's again, gather the entries, and write the trace at rank 0. After
 * that nothing is due. Collective over all ranks, including those that took no part.
 * CB_ERROR_MEMORY or CB_ERROR_SYSTEM, logged. */
cb_status timeline_write(engine_session *session, const timeline_content *content,
                         timeline_recording *recording);

#endif
