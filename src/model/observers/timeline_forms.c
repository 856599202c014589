/* Output formats of a space-time diagram.
 *
 * Paje trace, for ViTE and pj_dump: a container per processor, its activity as a state, messages as
 * links. Events are in order of time, in seconds; at equal times states come first and ends of
 * links last.
 *
 * SVG: a band per rank, coloured by activity, and a line per message from its sender at its start
 * to its receiver at its end, darker and thicker the more contention delayed it.
 *
 * Chrome trace, for ui.perfetto.dev and chrome://tracing: a track per processor, a slice per
 * interval, an arrow per message. An arrow is attached to the slices at its ends. Where two slices
 * meet the choice would be arbitrary, so both ends are moved into the message by one nanosecond. */
#include "model/observers/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/events.h"
#include "report/svg.h"

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

/* An interval or an arrow, by number. */
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

/* All events in order; NULL if out of memory. */
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

static ccmod_status write_paje(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    size_t count = timeline->interval_count + 2 * timeline->arrow_count;
    paje_event *events = list_events(timeline, count);

    if (events == NULL)
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                          "cannot sort %zu events of a Paje trace: out of memory; record a "
                          "shorter part with --from-us and --to-us",
                          count);
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
    fputs("4 ", stream);
    write_time(stream, timeline->from_ns);
    fputs(" m M 0 machine\n", stream);
    for (size_t i = 0; i < timeline->processors; i++) {
        fputs("4 ", stream);
        write_time(stream, timeline->from_ns);
        fprintf(stream, " r%zu R m \"rank %zu\"\n", i, i);
    }
    for (size_t i = 0; i < count; i++)
        write_event(timeline, &events[i], stream);
    free(events);
    for (size_t i = 0; i < timeline->processors; i++) {
        fputs("5 ", stream);
        write_time(stream, timeline->to_ns);
        fprintf(stream, " R r%zu\n", i);
    }
    fputs("5 ", stream);
    write_time(stream, timeline->to_ns);
    fputs(" M m\n", stream);
    return CCMOD_OK;
}

static const ccmod_timeline_form paje = {
    .name = "paje",
    .help = "a Paje trace, for ViTE and pj_dump",
    .write = write_paje,
};

enum {
    WIDTH = 1000,
    LEFT = 90,
    RIGHT = 20,
    TOP = 74,
    BOTTOM = 50,
    SPREAD = 700,
    LARGEST_PITCH = 34
};

static const double smallest_pitch = 5, band_share = 0.42, label_pitch = 13;

/* Geometry of the page. */
typedef struct {
    const ccmod_timeline *timeline;
    FILE *stream;
    double pitch, band; /* distance of ranks; height of a rank's band */
    double bottom;
    report_axis time;
    const char *unit;
} svg_page;

/* Units of the axis. */
static const struct {
    const char *name;
    double ns;
} units[] = {{"time in s", 1e9}, {"time in ms", 1e6}, {"time in us", 1e3}, {"time in ns", 1}};

static size_t choose_unit(int64_t span_ns)
{
    size_t i = 0;

    while (i + 1 < sizeof(units) / sizeof(units[0]) && (double)span_ns < 10 * units[i].ns)
        i++;
    return i;
}

static svg_page lay_out(const ccmod_timeline *timeline, FILE *stream)
{
    size_t unit = choose_unit(timeline->to_ns - timeline->from_ns);
    svg_page page = {.timeline = timeline, .stream = stream, .unit = units[unit].name};

    page.pitch = fmax(smallest_pitch, fmin(LARGEST_PITCH, SPREAD / (double)timeline->processors));
    page.band = page.pitch * band_share;
    page.bottom = TOP + page.pitch * (double)timeline->processors;
    page.time = (report_axis){(double)timeline->from_ns / units[unit].ns,
                              (double)timeline->to_ns / units[unit].ns, LEFT, WIDTH - RIGHT};
    return page;
}

static double place(const svg_page *page, int64_t ns)
{
    const ccmod_timeline *timeline = page->timeline;
    const report_axis axis = {(double)timeline->from_ns, (double)timeline->to_ns, page->time.low,
                              page->time.high};

    return report_axis_place(&axis, (double)ns);
}

/* Vertical centre of a rank's band. */
static double height_of(const svg_page *page, uint32_t processor)
{
    return TOP + page->pitch * ((double)processor + 0.5);
}

/* Two rows of samples with their names. */
static void draw_legend(const svg_page *page)
{
    char class[8];

    for (uint32_t i = 0; i < TIMELINE_ACTIVITIES; i++) {
        double x = LEFT + 150.0 * i;

        snprintf(class, sizeof(class), "a%u", i);
        report_svg_box(page->stream, x, 30, 22, 11, class);
        report_svg_text(page->stream, x + 28, 40, "start", "", ccmod_timeline_activity_name(i));
    }
    for (unsigned i = 0; i < TIMELINE_CLASSES; i++) {
        double x = LEFT + 150.0 * i;

        snprintf(class, sizeof(class), "m%u", i);
        report_svg_line(page->stream, x, 54, x + 22, 54, class);
        report_svg_text(page->stream, x + 28, 58, "start", "", ccmod_timeline_classes[i].name);
    }
}

static void draw_interval(const svg_page *page, const timeline_interval *interval)
{
    double left = place(page, interval->since_ns), right = place(page, interval->until_ns);
    char class[8];

    snprintf(class, sizeof(class), "a%u", (unsigned)(interval->activity % TIMELINE_ACTIVITIES));
    report_svg_box(page->stream, left, height_of(page, interval->processor) - page->band / 2,
                   right - left, page->band, class);
}

/* Between the edges of the bands; no message has equal ends. */
static void draw_arrow(const svg_page *page, const timeline_arrow *arrow)
{
    double down = arrow->destination > arrow->source ? page->band / 2 : -page->band / 2;
    char class[8];

    snprintf(class, sizeof(class), "m%u", ccmod_timeline_class_of(arrow->contention));
    report_svg_line(page->stream, place(page, arrow->start_ns),
                    height_of(page, arrow->source) + down, place(page, arrow->end_ns),
                    height_of(page, arrow->destination) - down, class);
}

static ccmod_status write_svg(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    svg_page page = lay_out(timeline, stream);
    char style[1024];
    size_t used = 0;
    size_t every = (size_t)ceil(label_pitch / page.pitch);

    (void)error;
    for (uint32_t i = 0; i < TIMELINE_ACTIVITIES && used < sizeof(style); i++)
        used += (size_t)snprintf(style + used, sizeof(style) - used,
                                 ".a%u{fill:%s;stroke:#444;stroke-width:%s}", i,
                                 ccmod_timeline_colors[i], i == TIMELINE_IDLE ? "0.5" : "0.3");
    for (unsigned i = 0; i < TIMELINE_CLASSES && used < sizeof(style); i++)
        used +=
            (size_t)snprintf(style + used, sizeof(style) - used, ".m%u{stroke:%s;stroke-width:%g}",
                             i, ccmod_timeline_classes[i].color, ccmod_timeline_classes[i].width);
    report_svg_begin(stream, WIDTH, page.bottom + BOTTOM, timeline->title, style);
    report_svg_text(stream, LEFT, 20, "start", "title", timeline->title);
    draw_legend(&page);
    report_axis_draw_below(stream, &page.time, page.bottom, TOP, page.unit);
    /* as many labels as fit */
    for (size_t i = 0; i < timeline->processors; i += every) {
        char name[32];

        snprintf(name, sizeof(name), "rank %zu", i);
        report_svg_text(stream, LEFT - 8, height_of(&page, (uint32_t)i) + 4, "end", "", name);
    }
    for (size_t i = 0; i < timeline->interval_count; i++)
        draw_interval(&page, &timeline->intervals[i]);
    /* draw lines with much contention on top */
    for (unsigned class = 0; class < TIMELINE_CLASSES; class ++) {
        for (size_t i = 0; i < timeline->arrow_count; i++) {
            if (ccmod_timeline_class_of(timeline->arrows[i].contention) == class)
                draw_arrow(&page, &timeline->arrows[i]);
        }
    }
    report_svg_end(stream);
    return CCMOD_OK;
}

static const ccmod_timeline_form svg = {
    .name = "svg",
    .help = "a picture",
    .write = write_svg,
};

enum { NAME_BYTES = 32 };

static void write_end(const timeline_arrow *arrow, size_t number, bool start, report_events *events)
{
    int64_t inside = arrow->end_ns - arrow->start_ns > 1 ? 1 : 0;

    report_events_arrow(events, start ? arrow->source : arrow->destination, "message", number,
                        start,
                        (uint64_t)(start ? arrow->start_ns + inside : arrow->end_ns - inside));
    report_events_count(events, "message", arrow->message);
    report_events_count(events, "bytes", arrow->size_bytes);
    report_events_number(events, "contention", arrow->contention);
    report_events_count(events, "line", arrow->line);
    report_events_close(events);
}

static ccmod_status write_perfetto(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    report_events events;
    char name[NAME_BYTES];

    (void)error;
    report_events_head(stream);
    events = report_events_begin(stream);
    report_events_name_process(&events, timeline->title);
    for (size_t i = 0; i < timeline->processors; i++) {
        snprintf(name, sizeof(name), "rank %zu", i);
        report_events_name_track(&events, i, name);
    }
    for (size_t i = 0; i < timeline->interval_count; i++) {
        const timeline_interval *interval = &timeline->intervals[i];
        const char *activity = ccmod_timeline_activity_name(interval->activity);

        report_events_slice(&events, interval->processor, activity, activity,
                            (uint64_t)interval->since_ns, (uint64_t)interval->until_ns);
        if (interval->line > 0)
            report_events_count(&events, "line", interval->line);
        report_events_close(&events);
    }
    for (size_t i = 0; i < timeline->arrow_count; i++) {
        write_end(&timeline->arrows[i], i, true, &events);
        write_end(&timeline->arrows[i], i, false, &events);
    }
    report_events_end(&events);
    return CCMOD_OK;
}

static const ccmod_timeline_form perfetto = {
    .name = "perfetto",
    .help = "Chrome's trace format, for ui.perfetto.dev",
    .write = write_perfetto,
};

const ccmod_timeline_form *const ccmod_timeline_forms[] = {
    &perfetto,
    &paje,
    &svg,
    NULL,
};
