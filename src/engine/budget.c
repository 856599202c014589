/* Time and messages of a measurement. */
#include "engine/budget.h"

#include <math.h>

#include "base/clock.h"

budget_mark budget_now(void)
{
    return (budget_mark){cb_now_ns(), cb_virtual != NULL ? cb_virtual->messages() : 0};
}

double budget_messages_ns(const bench_options *options, budget_mark since)
{
    if (cb_virtual == NULL)
        return 0;
    return options->max_time_s * 1e9 * (double)(cb_virtual->messages() - since.messages) /
           (double)options->messages;
}

double budget_used_ns(const bench_options *options, budget_mark since)
{
    return fmax((double)(cb_now_ns() - since.at_ns), budget_messages_ns(options, since));
}

void budget_leave_out(budget_mark *start, budget_mark since)
{
    const budget_mark now = budget_now();

    start->at_ns += now.at_ns - since.at_ns;
    start->messages += now.messages - since.messages;
}

const char *budget_limit(const bench_options *options, budget_mark since)
{
    return budget_messages_ns(options, since) > (double)(cb_now_ns() - since.at_ns) ? "messages"
                                                                                    : "max-time";
}
