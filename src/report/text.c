/* The text form: made to be read. Rows are written as they come; those that agree in how they were
 * measured make a block, with what they have in common in its title. */
#include "report/form.h"

#include <string.h>

#include "report/destinations.h"
#include "report/figure.h"
#include "report/settings.h"

/* A row has two marks at most, but for one that went in pieces, or of a loop that is saturated. */
enum { LINE_COLUMNS = 110, GAP = 2, MARKS_WIDTH = 3 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const report_phrase platform_phrases[] = {
    {"", "environment.hosts.0.cpu", ""}, {"", "environment.hosts.0.cores", " cores"},
    {"", "environment.hosts.0.os", ""},  {"", "environment.hosts.0.kernel", ""},
    {"", "environment.mpi", ""},
};

static const report_phrase quality_phrases[] = {
    {"clock ", "environment.clock.source", ""},
    {"resolution ", "environment.clock.resolution_ns", " ns"},
    {"a reading ", "environment.clock.cost_ns", " ns"},
    {"TICK1 ", "environment.clock.tick1_ns", " ns"},
    {"TICK2 off by ", "environment.clock.tick2_error_pct", " %"},
    {"noise ", "environment.noise.stolen_pct", " % of the time"},
    {"in gaps above ", "environment.noise.quantum_us", " us"},
};

static const report_phrase timeline_phrases[] = {
    {"timeline of ", "timeline.events", " events"},
    {"noting cost ", "timeline.cost_pct", " % of an event's time"},
    {"in single trials from ", "timeline.cost_least_pct", " %"},
    {"to ", "timeline.cost_most_pct", " %"},
    {"notes dropped ", "timeline.notes_dropped", ""},
    {"caution: ", "timeline.caution", ""},
};

static const report_phrase fit_subject[] = {
    {"fit of ", "figure", ""},         {"", "mode", ""},
    {"", "processors", " processors"}, {"from ", "from_bytes", " bytes"},
    {"to ", "to_bytes", " bytes"},
};

static const report_phrase fit_values[] = {
    {"overhead ", "overhead_us", " us"},
    {"r_inf ", "r_inf_MBps", " MB/s"},
    {"n_half ", "n_half_bytes", " bytes"},
    {"pi0 ", "pi0_Hz", " /s"},
    {"rms residual ", "rms_residual_us", " us"},
    {"", "caution", ""},
    {"none: ", "refusal", ""},
};

static const report_phrase fit_maximum[] = {
    {"maximum ", "maximum_MBps", " MB/s"},
    {"at ", "maximum_at_bytes", " bytes"},
    {"a processor ", "maximum_per_processor_MBps", " MB/s"},
    {"and of r_inf ", "r_inf_per_processor_MBps", " MB/s"},
};

static bool is_set(const json_t *value)
{
    return json_is_true(value);
}

static bool is_supervisor(const json_t *value)
{
    return json_is_string(value) && strcmp(json_string_value(value), "supervisor") == 0;
}

static bool is_not_precision(const json_t *value)
{
    return json_is_string(value) && strcmp(json_string_value(value), "precision") != 0;
}

/* In per cent; a rate that is carried is kept to 1 %. */
static bool is_off(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) > 1;
}

static bool is_there(const json_t *value)
{
    return value != NULL;
}

/* What a row is marked with at its end, and why. Farms have no computing task, and a row that is
 * saturated, disturbed or beside such a task has no precision to reach: it has two of the others at
 * the most.
 */
static const struct {
    char mark;
    const char *key;
    bool (*applies)(const json_t *value);
    const char *meaning;
} marks[] = {
    {'*', "oversubscribed", is_set, "oversubscribed: more busy ranks than cores on a host"},
    {'/', "piece_bytes", is_there, "sent in pieces, which the receiver puts together by a copy"},
    {'!', "saturated", is_set, "saturated: the rate that is offered cannot be carried"},
    {'^', "limited_by", is_supervisor,
     "the supervisor could not issue the events in time: it is "
     "the limit, and not the farm"},
    {'?', "generator_error_pct", is_off,
     "events were issued more than 1 % off their schedule, but not later and later: the run was "
     "disturbed"},
    {'>', "slowdown_computing_at_least", is_there,
     "too little was computed for a figure: slowed down at least so much, no more of it left"},
    {'~', "stopped_by", is_not_precision, "the precision asked for was not reached in --max-time"},
};

static void begin_text(report_writer *writer, json_t *document)
{
    const json_t *environment = json_object_get(document, "environment");
    size_t hosts = json_array_size(json_object_get(environment, "hosts"));

    fprintf(writer->stream, "%s %s over %s: %s\n",
            json_string_value(json_object_get(document, "id")),
            json_string_value(json_object_get(document, "benchmark")),
            json_string_value(json_object_get(document, "technology")), writer->title);
    if (hosts > 0)
        fprintf(writer->stream, "%zu %s: ", hosts, hosts == 1 ? "host" : "hosts, the first");
    if (report_write_phrases(writer->stream, document, platform_phrases, COUNT(platform_phrases)))
        fputc('\n', writer->stream);
    report_write_settings(writer->stream, document, LINE_COLUMNS);
}

/* "mode pingpong, touch all, wait auto, in effect spin" */
static void make_title(const json_t *row, char title[REPORT_TITLE_BYTES])
{
    size_t used = 0;

    title[0] = '\0';
    for (report_leaf leaf = report_leaf_first(); report_leaf_valid(&leaf);
         report_leaf_next(&leaf)) {
        json_t *value = report_leaf_value(&leaf, row);

        if (json_is_string(value) && report_leaf_column(&leaf)->place == COLUMN_TITLE &&
            used < REPORT_TITLE_BYTES)
            used += (size_t)snprintf(title + used, REPORT_TITLE_BYTES - used, "%s%s %s",
                                     used > 0 ? ", " : "", report_leaf_face(&leaf)->head,
                                     json_string_value(value));
        json_decref(value);
    }
}

static uint64_t columns_of(const json_t *row)
{
    uint64_t columns = 0;

    for (size_t i = 0; i < report_column_count; i++) {
        if (report_columns[i].place == COLUMN_CELL && json_object_get(row, report_columns[i].key))
            columns |= UINT64_C(1) << i;
    }
    return columns;
}

static int cell_width(const report_leaf *leaf)
{
    const report_face *face = report_leaf_face(leaf);
    size_t head = strlen(face->head), unit = strlen(face->unit);
    int least = (int)(head > unit ? head : unit);

    return GAP + (face->width > least ? face->width : least);
}

static int line_width(const report_block *block)
{
    int width = MARKS_WIDTH;

    for (size_t i = 0; i < block->leaf_count; i++)
        width += cell_width(&block->leaves[i]);
    return width;
}

static void drop_least_important(report_block *block)
{
    size_t victim = 0;

    for (size_t i = 1; i < block->leaf_count; i++) {
        if (report_leaf_face(&block->leaves[i])->rank >
            report_leaf_face(&block->leaves[victim])->rank)
            victim = i;
    }
    block->leaf_count--;
    memmove(&block->leaves[victim], &block->leaves[victim + 1],
            (block->leaf_count - victim) * sizeof(block->leaves[0]));
}

static bool has(const json_t *row, const report_leaf *leaf)
{
    json_t *value = report_leaf_value(leaf, row);

    json_decref(value);
    return value != NULL;
}

static void choose_leaves(report_block *block, const json_t *row)
{
    block->leaf_count = 0;
    for (report_leaf leaf = report_leaf_first(); report_leaf_valid(&leaf);
         report_leaf_next(&leaf)) {
        bool wanted = block->columns >> leaf.column & 1;

        if (wanted && report_leaf_face(&leaf)->head != NULL &&
            (!report_leaf_part(&leaf)->optional || has(row, &leaf)) &&
            block->leaf_count < REPORT_BLOCK_LEAVES)
            block->leaves[block->leaf_count++] = leaf;
    }
    while (line_width(block) > LINE_COLUMNS && block->leaf_count > 1)
        drop_least_important(block);
}

/* Two lines: the head and below it the unit; a head without unit stands on the second. */
static void write_heads(FILE *stream, const report_block *block)
{
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < block->leaf_count; i++) {
            const report_face *face = report_leaf_face(&block->leaves[i]);
            const char *const with_unit[] = {face->head, face->unit};
            const char *const alone[] = {"", face->head};
            const char *text = face->unit[0] != '\0' ? with_unit[line] : alone[line];

            fprintf(stream, "%*s", cell_width(&block->leaves[i]), text);
        }
        fputc('\n', stream);
    }
}

/* A row that has what the block has no column for begins a new one, even with the same title:
 * nothing that was measured is hidden by what came first. */
static void open_block(report_writer *writer, const json_t *row)
{
    report_block *block = &writer->block;
    uint64_t columns = columns_of(row);
    char title[REPORT_TITLE_BYTES];

    make_title(row, title);
    if (block->columns != 0 && strcmp(title, block->title) == 0 && (columns & ~block->columns) == 0)
        return;
    memcpy(block->title, title, sizeof(block->title));
    block->columns = columns;
    choose_leaves(block, row);
    fprintf(writer->stream, "\n%s%s", block->title, block->title[0] != '\0' ? "\n" : "");
    write_heads(writer->stream, block);
}

static void write_marks(report_writer *writer, const json_t *row)
{
    const char *space = " ";

    for (size_t i = 0; i < COUNT(marks); i++) {
        if (!marks[i].applies(json_object_get(row, marks[i].key)))
            continue;
        fprintf(writer->stream, "%s%c", space, marks[i].mark);
        writer->block.marks |= 1u << i;
        space = "";
    }
    fputc('\n', writer->stream);
}

/* A figure that is longer than its column has room for still keeps apart from the one before. */
static void write_cell(FILE *stream, const report_leaf *leaf, const json_t *row)
{
    json_t *value = report_leaf_value(leaf, row);
    char text[REPORT_FIGURE_BYTES];
    int width = cell_width(leaf);

    report_format_cell(value, report_leaf_face(leaf)->whole, text);
    fprintf(stream, "%s%*s", strlen(text) < (size_t)width ? "" : " ", width, text);
    json_decref(value);
}

static void row_text(report_writer *writer, const json_t *row)
{
    const report_block *block = &writer->block;

    open_block(writer, row);
    for (size_t i = 0; i < block->leaf_count; i++)
        write_cell(writer->stream, &block->leaves[i], row);
    write_marks(writer, row);
    report_write_slow_destinations(writer->stream, row);
}

/* Fits stand below the rows that they were made from; what comes after needs heads again. */
static void fit_text(report_writer *writer, const json_t *fit)
{
    writer->block.columns = 0;
    report_write_phrases(writer->stream, fit, fit_subject, COUNT(fit_subject));
    fputs("\n    ", writer->stream);
    report_write_phrases(writer->stream, fit, fit_values, COUNT(fit_values));
    fputc('\n', writer->stream);
    if (json_object_get(fit, "maximum_MBps") == NULL)
        return;
    fputs("    ", writer->stream);
    report_write_phrases(writer->stream, fit, fit_maximum, COUNT(fit_maximum));
    fputc('\n', writer->stream);
}

static void skipped_text(report_writer *writer, const json_t *skipped)
{
    fprintf(writer->stream, "skipped %s: %s\n", json_string_value(json_object_get(skipped, "what")),
            json_string_value(json_object_get(skipped, "reason")));
}

static void end_text(report_writer *writer, json_t *document)
{
    static const report_phrase incomplete[] = {{"incomplete: ", "reason", ""}};

    fputc('\n', writer->stream);
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (writer->block.marks >> i & 1)
            fprintf(writer->stream, "%c %s\n", marks[i].mark, marks[i].meaning);
    }
    if (report_write_phrases(writer->stream, document, timeline_phrases, COUNT(timeline_phrases)))
        fputc('\n', writer->stream);
    if (report_write_phrases(writer->stream, document, quality_phrases, COUNT(quality_phrases)))
        fputc('\n', writer->stream);
    if (report_write_phrases(writer->stream, document, incomplete, COUNT(incomplete)))
        fputc('\n', writer->stream);
}

const report_form report_form_text = {
    .name = "text",
    .begin = begin_text,
    .element = {[REPORT_ROW] = row_text, [REPORT_FIT] = fit_text, [REPORT_SKIPPED] = skipped_text},
    .end = end_text,
};
