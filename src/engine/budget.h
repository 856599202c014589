/* What a measurement uses of --max-time and, in a model, of --messages. Both are expressed as time:
 * a message takes an equal share of --max-time. So all that is planned by the time that is left
 * heeds both. */
#ifndef ENGINE_BUDGET_H
#define ENGINE_BUDGET_H

#include "engine/options.h"

/* An instant of this rank's clock, and how many messages the job had sent. */
typedef struct {
    uint64_t at_ns, messages;
} budget_mark;

budget_mark budget_now(void);

/* Time since the mark, or that of the messages since then if it is more. */
double budget_used_ns(const bench_options *options, budget_mark since);

/* That of the messages alone; 0 in a real run. */
double budget_messages_ns(const bench_options *options, budget_mark since);

/* Move a start forward by what was used since a later mark. */
void budget_leave_out(budget_mark *start, budget_mark since);

/* Which of the two ends a measurement: "max-time" or "messages". */
const char *budget_limit(const bench_options *options, budget_mark since);

#endif
