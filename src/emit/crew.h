/* Several parts that wait for each other, run in turn in one thread: a part goes on until it
 * pauses, then the next one does. The order is always the same. */
#ifndef BENCH_CREW_H
#define BENCH_CREW_H

#include <stddef.h>

#include "base/status.h"

typedef struct bench_crew bench_crew;

/* Member `member` of a crew; what it returns other than CB_OK ends all. */
typedef cb_status (*bench_part)(void *context, size_t member);

/* Make a crew of `count` members, at most BENCH_CREW_MOST. CB_ERROR_MEMORY, logged. */
enum { BENCH_CREW_MOST = 8192 };
cb_status bench_crew_create(size_t count, bench_part part, void *context, bench_crew **out);
void bench_crew_free(bench_crew *crew);

/* Run all parts to their ends. CB_ERROR_TRANSPORT, logged, when each that has not ended waits, and
 * none has made progress. */
cb_status bench_crew_run(bench_crew *crew);

/* Called by the part that runs: let the others go on, since it waits for something; and say that
 * something has happened. */
void bench_crew_pause(bench_crew *crew);
void bench_crew_progress(bench_crew *crew);

#endif
