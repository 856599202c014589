/* The space-time diagram as a picture: a band for each rank, coloured by activity, and a line for
 * each message from its sender at its start to its receiver at its end, the darker and thicker the
 * more it was held up by contention. */
#include "model/observers/timeline.h"

#include <math.h>

#include "report/svg.h"

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

/* Where things go. */
typedef struct {
    const ccmod_timeline *timeline;
    FILE *stream;
    double pitch, band; /* between ranks; height of a rank's band */
    double bottom;
    report_axis time;
    const char *unit;
} svg_page;

/* What the axis counts. */
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

/* The middle of a rank's band. */
static double height_of(const svg_page *page, uint32_t processor)
{
    return TOP + page->pitch * ((double)processor + 0.5);
}

static void write_style(char *style, size_t bytes)
{
    size_t used = 0;

    for (uint32_t i = 0; i < TIMELINE_ACTIVITIES && used < bytes; i++)
        used += (size_t)snprintf(style + used, bytes - used,
                                 ".a%u{fill:%s;stroke:#444;stroke-width:%s}", i,
                                 ccmod_timeline_colors[i], i == TIMELINE_IDLE ? "0.5" : "0.3");
    for (unsigned i = 0; i < TIMELINE_CLASSES && used < bytes; i++)
        used += (size_t)snprintf(style + used, bytes - used, ".m%u{stroke:%s;stroke-width:%g}", i,
                                 ccmod_timeline_classes[i].color, ccmod_timeline_classes[i].width);
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

/* As many as fit one above the other. */
static void draw_ranks(const svg_page *page)
{
    size_t every = (size_t)ceil(label_pitch / page->pitch);

    for (size_t i = 0; i < page->timeline->processors; i += every) {
        char name[32];

        snprintf(name, sizeof(name), "rank %zu", i);
        report_svg_text(page->stream, LEFT - 8, height_of(page, (uint32_t)i) + 4, "end", "", name);
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

/* From edge to edge of the bands; a message to itself does not exist. */
static void draw_arrow(const svg_page *page, const timeline_arrow *arrow)
{
    double down = arrow->destination > arrow->source ? page->band / 2 : -page->band / 2;
    char class[8];

    snprintf(class, sizeof(class), "m%u", ccmod_timeline_class_of(arrow->contention));
    report_svg_line(page->stream, place(page, arrow->start_ns),
                    height_of(page, arrow->source) + down, place(page, arrow->end_ns),
                    height_of(page, arrow->destination) - down, class);
}

static ccmod_status write_form(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    svg_page page = lay_out(timeline, stream);
    char style[1024];

    (void)error;
    write_style(style, sizeof(style));
    report_svg_begin(stream, WIDTH, page.bottom + BOTTOM, timeline->title, style);
    report_svg_text(stream, LEFT, 20, "start", "title", timeline->title);
    draw_legend(&page);
    report_axis_draw_below(stream, &page.time, page.bottom, TOP, page.unit);
    draw_ranks(&page);
    for (size_t i = 0; i < timeline->interval_count; i++)
        draw_interval(&page, &timeline->intervals[i]);
    /* lines of much contention lie above those of little */
    for (unsigned class = 0; class < TIMELINE_CLASSES; class ++) {
        for (size_t i = 0; i < timeline->arrow_count; i++) {
            if (ccmod_timeline_class_of(timeline->arrows[i].contention) == class)
                draw_arrow(&page, &timeline->arrows[i]);
        }
    }
    report_svg_end(stream);
    return CCMOD_OK;
}

const ccmod_timeline_form ccmod_timeline_svg = {
    .name = "svg",
    .help = "a picture",
    .write = write_form,
};
