/* The space-time diagram as a Paje trace, which ViTE and pj_dump read: a container for each
 * processor, its activity as a state, messages as links. Events stand in order of time, in seconds;
 * where several have one time, states come first and ends of links last. */
#include "model/observers/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

static const char head[] = "%EventDef PajeDefineContainerType 0\n"
                           "% Alias string\n% Type string\n% Name string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeDefineStateType 1\n"
                           "% Alias string\n% Type string\n% Name string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeDefineLinkType 2\n"
                           "% Alias string\n% Type string\n% StartContainerType string\n"
                           "% EndContainerType string\n% Name string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeDefineEntityValue 3\n"
                           "% Alias string\n% Type string\n% Name string\n% Color color\n"
                           "%EndEventDef\n"
                           "%EventDef PajeCreateContainer 4\n"
                           "% Time date\n% Alias string\n% Type string\n% Container string\n"
                           "% Name string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeDestroyContainer 5\n"
                           "% Time date\n% Type string\n% Name string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeSetState 6\n"
                           "% Time date\n% Type string\n% Container string\n% Value string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeStartLink 7\n"
                           "% Time date\n% Type string\n% Container string\n% Value string\n"
                           "% StartContainer string\n% Key string\n"
                           "%EndEventDef\n"
                           "%EventDef PajeEndLink 8\n"
                           "% Time date\n% Type string\n% Container string\n% Value string\n"
                           "% EndContainer string\n% Key string\n"
                           "%EndEventDef\n";

typedef enum { SET_STATE, START_LINK, END_LINK } paje_kind;

/* Of an interval or an arrow by its number. */
typedef struct {
    int64_t time_ns;
    paje_kind kind;
    size_t number;
} paje_event;

static void write_time(FILE *stream, int64_t ns)
{
    fprintf(stream, "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}

/* "0.500000 0.000000 1.000000" */
static void write_color(FILE *stream, const char *color)
{
    unsigned long value = strtoul(color + 1, NULL, 16);

    fprintf(stream, " \"%.6f %.6f %.6f\"\n", (double)(value >> 16) / 255,
            (double)(value >> 8 & 0xff) / 255, (double)(value & 0xff) / 255);
}

static void define_types(FILE *stream)
{
    fputs(head, stream);
    fputs("0 M 0 machine\n0 R M rank\n1 A R activity\n2 L M R R message\n", stream);
    for (uint32_t i = 0; i < TIMELINE_ACTIVITIES; i++) {
        fprintf(stream, "3 a%u A %s", i, ccmod_timeline_activity_name(i));
        write_color(stream, ccmod_timeline_colors[i]);
    }
    for (unsigned i = 0; i < TIMELINE_CLASSES; i++) {
        fprintf(stream, "3 l%u L \"%s\"", i, ccmod_timeline_classes[i].name);
        write_color(stream, ccmod_timeline_classes[i].color);
    }
}

static void create_containers(const ccmod_timeline *timeline, FILE *stream)
{
    fputs("4 ", stream);
    write_time(stream, timeline->from_ns);
    fputs(" m M 0 machine\n", stream);
    for (size_t i = 0; i < timeline->processors; i++) {
        fputs("4 ", stream);
        write_time(stream, timeline->from_ns);
        fprintf(stream, " r%zu R m \"rank %zu\"\n", i, i);
    }
}

static void destroy_containers(const ccmod_timeline *timeline, FILE *stream)
{
    for (size_t i = 0; i < timeline->processors; i++) {
        fputs("5 ", stream);
        write_time(stream, timeline->to_ns);
        fprintf(stream, " R r%zu\n", i);
    }
    fputs("5 ", stream);
    write_time(stream, timeline->to_ns);
    fputs(" M m\n", stream);
}

static void write_event(const ccmod_timeline *timeline, const paje_event *event, FILE *stream)
{
    if (event->kind == SET_STATE) {
        const timeline_interval *interval = &timeline->intervals[event->number];

        fputs("6 ", stream);
        write_time(stream, event->time_ns);
        fprintf(stream, " A r%" PRIu32 " a%" PRIu32 "\n", interval->processor, interval->activity);
    } else {
        const timeline_arrow *arrow = &timeline->arrows[event->number];
        bool starts = event->kind == START_LINK;

        fputs(starts ? "7 " : "8 ", stream);
        write_time(stream, event->time_ns);
        fprintf(stream, " L m l%u r%" PRIu32 " k%zu\n", ccmod_timeline_class_of(arrow->contention),
                starts ? arrow->source : arrow->destination, event->number);
    }
}

static int by_time(const void *left, const void *right)
{
    const paje_event *a = left, *b = right;

    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* All events in order; NULL without memory. */
static paje_event *list_events(const ccmod_timeline *timeline, size_t count)
{
    paje_event *events = calloc(count + 1, sizeof(*events));
    size_t at = 0;

    if (events == NULL)
        return NULL;
    for (size_t i = 0; i < timeline->interval_count; i++)
        events[at++] = (paje_event){timeline->intervals[i].since_ns, SET_STATE, i};
    for (size_t i = 0; i < timeline->arrow_count; i++) {
        events[at++] = (paje_event){timeline->arrows[i].start_ns, START_LINK, i};
        events[at++] = (paje_event){timeline->arrows[i].end_ns, END_LINK, i};
    }
    qsort(events, count, sizeof(*events), by_time);
    return events;
}

static ccmod_status write_form(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    size_t count = timeline->interval_count + 2 * timeline->arrow_count;
    paje_event *events = list_events(timeline, count);

    if (events == NULL)
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                          "cannot put %zu events of a Paje trace in order: no memory left; take a "
                          "shorter part of the timeline, by --from-us and --to-us",
                          count);
    define_types(stream);
    create_containers(timeline, stream);
    for (size_t i = 0; i < count; i++)
        write_event(timeline, &events[i], stream);
    free(events);
    destroy_containers(timeline, stream);
    return CCMOD_OK;
}

const ccmod_timeline_form ccmod_timeline_paje = {
    .name = "paje",
    .help = "a Paje trace, for ViTE and pj_dump",
    .write = write_form,
};
