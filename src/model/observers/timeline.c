/* The observer that records a space-time diagram: the activities of each processor, and when
 * messages were in transit. The output formats write it after the evaluation. */
#include "model/observers/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

/* Blue, sky blue, green and yellow of Okabe and Ito; idle is white. */
const char *const ccmod_timeline_colors[TIMELINE_ACTIVITIES] = {
    [CCMOD_COMPUTING] = "#009e73", [CCMOD_SENDING] = "#0072b2", [CCMOD_RECEIVING] = "#56b4e9",
    [CCMOD_WAITING] = "#f0e442",   [TIMELINE_IDLE] = "#ffffff",
};

const timeline_class ccmod_timeline_classes[TIMELINE_CLASSES] = {
    {"no contention", "#9a9a9a", 0.8},
    {"contention to 2", "#e69f00", 1.3},
    {"contention to 4", "#c44601", 1.9},
    {"contention above 4", "#5a0d00", 2.6},
};

const char *ccmod_timeline_activity_name(uint32_t activity)
{
    return activity == TIMELINE_IDLE ? "idle" : ccmod_activity_name((ccmod_activity)activity);
}

/* A value slightly above a limit belongs to the lower class: contention is a quotient of times. */
unsigned ccmod_timeline_class_of(double contention)
{
    static const double limits[TIMELINE_CLASSES - 1] = {1, 2, 4};
    unsigned class = 0;

    while (class < TIMELINE_CLASSES - 1 && contention > limits[class] * (1 + 1e-6))
        class ++;
    return class;
}

/* Collecting */

static int64_t nanoseconds(double us)
{
    return llround(fmin(us, 9e15) * 1000);
}

static ccmod_status no_memory(const ccmod_timeline *timeline, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                      "cannot keep a timeline of %zu intervals and %zu messages: out of memory; "
                      "record a shorter part with --from-us and --to-us",
                      timeline->interval_count, timeline->arrow_count);
}

/* Clip the interval to the recorded time. */
static ccmod_status add_interval(ccmod_timeline *timeline, timeline_interval interval,
                                 ccmod_error *error)
{
    timeline_interval *intervals;

    if (interval.since_ns < timeline->from_ns)
        interval.since_ns = timeline->from_ns;
    if (interval.until_ns > timeline->to_ns)
        interval.until_ns = timeline->to_ns;
    if (interval.since_ns >= interval.until_ns)
        return CCMOD_OK;
    intervals = cb_grow(timeline->intervals, timeline->interval_count, &timeline->interval_room,
                        sizeof(*intervals));
    if (intervals == NULL)
        return no_memory(timeline, error);
    timeline->intervals = intervals;
    intervals[timeline->interval_count++] = interval;
    return CCMOD_OK;
}

static ccmod_status timeline_begin(ccmod_timeline *timeline, const ccmod_signal *signal,
                                   ccmod_error *error)
{
    const ccmod_workload *workload = signal->of.config.workload;

    free(timeline->title);
    free(timeline->reached_ns);
    timeline->processors = workload->processors;
    timeline->interval_count = timeline->arrow_count = 0;
    timeline->reached_ns = calloc(workload->processors, sizeof(*timeline->reached_ns));
    if (asprintf(&timeline->title, "%s on %s", workload->name, signal->of.config.network->name) < 0)
        timeline->title = NULL;
    return timeline->reached_ns != NULL && timeline->title != NULL ? CCMOD_OK
                                                                   : no_memory(timeline, error);
}

static ccmod_status note_interval(ccmod_timeline *timeline, const ccmod_signal *signal,
                                  ccmod_error *error)
{
    uint32_t processor = signal->of.interval.processor;
    timeline_interval interval = {.since_ns = nanoseconds(signal->of.interval.since_us),
                                  .until_ns = nanoseconds(signal->clock_us),
                                  .processor = processor,
                                  .activity = signal->of.interval.activity,
                                  .line = signal->of.interval.line};

    timeline->reached_ns[processor] = interval.until_ns;
    return add_interval(timeline, interval, error);
}

/* Messages that begin or end outside the recorded time are left out. */
static ccmod_status note_message(ccmod_timeline *timeline, const ccmod_signal *signal,
                                 ccmod_error *error)
{
    const ccmod_message *message = &signal->of.message;
    timeline_arrow arrow = {.start_ns = nanoseconds(message->start_us),
                            .end_ns = nanoseconds(signal->clock_us),
                            .message = message->id,
                            .size_bytes = message->size_bytes,
                            .contention = message->contention,
                            .source = message->source,
                            .line = message->line};

    if (arrow.start_ns < timeline->from_ns || arrow.end_ns > timeline->to_ns)
        return CCMOD_OK;
    for (size_t i = 0; i < message->destination_count; i++) {
        timeline_arrow *arrows = cb_grow(timeline->arrows, timeline->arrow_count,
                                         &timeline->arrow_room, sizeof(*arrows));

        if (arrows == NULL)
            return no_memory(timeline, error);
        arrow.destination = message->destinations[i];
        timeline->arrows = arrows;
        arrows[timeline->arrow_count++] = arrow;
    }
    return CCMOD_OK;
}

static int compare_times(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int by_beginning(const void *left, const void *right)
{
    const timeline_interval *a = left, *b = right;
    int order = compare_times(a->since_ns, b->since_ns);

    return order != 0 ? order : compare_times(a->processor, b->processor);
}

static int by_start(const void *left, const void *right)
{
    const timeline_arrow *a = left, *b = right;
    int order = compare_times(a->start_ns, b->start_ns);

    if (order == 0)
        order = compare_times((int64_t)a->message, (int64_t)b->message);
    return order != 0 ? order : compare_times(a->destination, b->destination);
}

/* Processors are idle after their end until the last one ends. */
static ccmod_status finish(ccmod_timeline *timeline, const ccmod_signal *signal, ccmod_error *error)
{
    int64_t end_ns = nanoseconds(signal->clock_us);

    for (uint32_t i = 0; i < timeline->processors; i++) {
        timeline_interval rest = {timeline->reached_ns[i], end_ns, i, (uint32_t)TIMELINE_IDLE, 0};

        CCMOD_TRY(add_interval(timeline, rest, error));
    }
    if (timeline->to_ns > end_ns)
        timeline->to_ns = end_ns;
    if (timeline->interval_count > 0)
        qsort(timeline->intervals, timeline->interval_count, sizeof(*timeline->intervals),
              by_beginning);
    if (timeline->arrow_count > 0)
        qsort(timeline->arrows, timeline->arrow_count, sizeof(*timeline->arrows), by_start);
    return CCMOD_OK;
}

static ccmod_status take_signal(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    switch (signal->kind) {
    case CCMOD_SIGNAL_CONFIG:
        return timeline_begin(self, signal, error);
    case CCMOD_SIGNAL_UPPR_PROC:
        return note_interval(self, signal, error);
    case CCMOD_SIGNAL_UPPR_END:
        return note_message(self, signal, error);
    case CCMOD_SIGNAL_GO_END:
        return finish(self, signal, error);
    default:
        return CCMOD_OK;
    }
}

ccmod_observer ccmod_timeline_observer(ccmod_timeline *timeline)
{
    return (ccmod_observer){CCMOD_WANTS(CCMOD_SIGNAL_CONFIG) | CCMOD_WANTS(CCMOD_SIGNAL_UPPR_PROC) |
                                CCMOD_WANTS(CCMOD_SIGNAL_UPPR_END) |
                                CCMOD_WANTS(CCMOD_SIGNAL_GO_END),
                            take_signal, timeline};
}

/* Creation and release */

ccmod_status ccmod_timeline_create(double from_us, double to_us, ccmod_timeline **out,
                                   ccmod_error *error)
{
    ccmod_timeline *timeline;

    if (!(from_us >= 0 && to_us > from_us))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot make a timeline from %g us to %g us: it is empty; "
                          "its end must be later than its start",
                          from_us, to_us);
    timeline = calloc(1, sizeof(*timeline));
    if (timeline == NULL)
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                          "cannot make a timeline: out of memory");
    timeline->from_ns = nanoseconds(from_us);
    timeline->to_ns = nanoseconds(to_us);
    *out = timeline;
    return CCMOD_OK;
}

void ccmod_timeline_free(ccmod_timeline *timeline)
{
    if (timeline == NULL)
        return;
    free(timeline->title);
    free(timeline->reached_ns);
    free(timeline->intervals);
    free(timeline->arrows);
    free(timeline);
}
