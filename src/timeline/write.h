/* The end of --timeline: the entries of all ranks become one trace. */
#ifndef TIMELINE_WRITE_H
#define TIMELINE_WRITE_H

#include "engine/session.h"
#include "report/trace.h"
#include "stats/stats.h"
#include "timeline/trace.h"

enum { TIMELINE_FACTS_MAXIMUM = 12 };

/* What was recorded. Only the recorder counts at ranks other than 0. */
typedef struct {
    const timeline_recorder *recorder; /* of this rank; NULL where it took no part */
    const char *path;                  /* where the trace goes */
    const bench_shape *shape;
    const timeline_words *words;
    const report_fact *about; /* of what was measured; at most TIMELINE_FACTS_MAXIMUM */
    size_t about_count;
    uint64_t events;
    stats_summary cost_pct; /* by which an event takes longer while it is recorded */
} timeline_content;

/* All ranks compare their clocks with rank 0's once more and hand it their entries; rank 0 writes
 * the trace. Collective over all, also over those who took no part. */
cb_status timeline_write(engine_session *session, const timeline_content *content);

#endif
