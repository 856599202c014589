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

static bool is_set(const report_row *row, report_column column)
{
    return report_row_flag(row, column, "");
}

static bool is_supervisor(const report_row *row, report_column column)
{
    const char *text = report_row_text(row, column, "");

    return text != NULL && strcmp(text, "supervisor") == 0;
}

static bool is_not_precision(const report_row *row, report_column column)
{
    const char *text = report_row_text(row, column, "");

    return text != NULL && strcmp(text, "precision") != 0;
}

/* In per cent; a rate that is carried is kept to 1 %. */
static bool is_off(const report_row *row, report_column column)
{
    return report_row_number(row, column, "") > 1;
}

/* What a row is marked with at its end, and why. Farms have no computing task, and a row that is
 * saturated, disturbed or beside such a task has no precision to reach: it has two of the others at
 * the most.
 */
static const struct {
    char mark;
    report_column column;
    bool (*applies)(const report_row *row, report_column column);
    const char *meaning;
} marks[] = {
    {'*', REPORT_OVERSUBSCRIBED, is_set, "oversubscribed: more busy ranks than cores on a host"},
    {'/', REPORT_PIECE_BYTES, report_row_has,
     "sent in pieces, which the receiver puts together by a copy"},
    {'!', REPORT_SATURATED, is_set, "saturated: the rate that is offered cannot be carried"},
    {'^', REPORT_LIMITED_BY, is_supervisor,
     "the supervisor could not issue the events in time: it is "
     "the limit, and not the farm"},
    {'?', REPORT_GENERATOR_ERROR_PCT, is_off,
     "events were issued more than 1 % off their schedule, but not later and later: the run was "
     "disturbed"},
    {'>', REPORT_SLOWDOWN_COMPUTING_AT_LEAST, report_row_has,
     "too little was computed for a figure: slowed down at least so much, no more of it left"},
    {'~', REPORT_STOPPED_BY, is_not_precision,
     "the precision asked for was not reached in --max-time"},
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
    report_write_settings(writer->stream, document, writer->parameters, LINE_COLUMNS);
}

/* "mode pingpong, touch all, wait auto, in effect spin" */
static void make_title(const report_row *row, char title[REPORT_TITLE_BYTES])
{
    size_t used = 0;

    title[0] = '\0';
    for (report_column column = 0; column < REPORT_COLUMNS; column++) {
        if (report_columns[column].place != REPORT_TITLE)
            continue;
        for (const report_cell *cell = report_cells_of(column); cell->path != NULL; cell++) {
            const char *text = report_row_text(row, column, cell->path);

            if (text != NULL && used < REPORT_TITLE_BYTES)
                used += (size_t)snprintf(title + used, REPORT_TITLE_BYTES - used, "%s%s %s",
                                         used > 0 ? ", " : "",
                                         report_heading_of(column, cell)->head, text);
        }
    }
}

static bool has_cell(const report_row *row, const report_block_cell *cell)
{
    json_t *value = report_row_cell(row, cell->column, cell->cell);

    json_decref(value);
    return value != NULL;
}

static const report_heading *heading_of(const report_block_cell *cell)
{
    return report_heading_of(cell->column, cell->cell);
}

/* What stands below the head: the unit of the column where the heading says nothing else. */
static const char *below_of(const report_block_cell *cell)
{
    const char *below = heading_of(cell)->below, *unit = report_columns[cell->column].unit;

    if (below == NULL)
        below = unit;
    return below != NULL ? below : "";
}

static int cell_width(const report_block_cell *cell)
{
    const report_heading *heading = heading_of(cell);
    size_t head = strlen(heading->head), below = strlen(below_of(cell));
    int least = (int)(head > below ? head : below);

    return GAP + (heading->width > least ? heading->width : least);
}

/* Of the columns of a block the cells that a line has room for: those of the highest rank go. */
static void choose_cells(report_block *block, const report_row *row)
{
    int width = MARKS_WIDTH;

    block->cell_count = 0;
    for (report_column column = 0; column < REPORT_COLUMNS; column++) {
        if (!block->columns[column])
            continue;
        for (const report_cell *cell = report_cells_of(column); cell->path != NULL; cell++) {
            const report_block_cell next = {column, cell};

            if (heading_of(&next)->head == NULL || (cell->optional && !has_cell(row, &next)) ||
                block->cell_count == REPORT_BLOCK_CELLS)
                continue;
            block->cells[block->cell_count++] = next;
            width += cell_width(&next);
        }
    }
    while (width > LINE_COLUMNS && block->cell_count > 1) {
        size_t least = 0;

        for (size_t i = 1; i < block->cell_count; i++)
            if (heading_of(&block->cells[i])->rank > heading_of(&block->cells[least])->rank)
                least = i;
        width -= cell_width(&block->cells[least]);
        block->cell_count--;
        memmove(&block->cells[least], &block->cells[least + 1],
                (block->cell_count - least) * sizeof(block->cells[0]));
    }
}

/* Two lines: the head and below it the unit; a head without unit stands on the second. */
static void write_heads(FILE *stream, const report_block *block)
{
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < block->cell_count; i++) {
            const report_block_cell *cell = &block->cells[i];
            const char *head = heading_of(cell)->head, *below = below_of(cell);
            const char *const lines[] = {below[0] != '\0' ? head : "",
                                         below[0] != '\0' ? below : head};

            fprintf(stream, "%*s", cell_width(cell), lines[line]);
        }
        fputc('\n', stream);
    }
}

/* A row that has what the block has no column for begins a new one, even with the same title:
 * nothing that was measured is hidden by what came first. */
static bool belongs_to(const report_block *block, const report_row *row, const char *title)
{
    if (!block->open || strcmp(title, block->title) != 0)
        return false;
    for (report_column column = 0; column < REPORT_COLUMNS; column++)
        if (report_columns[column].place == REPORT_CELL && report_row_has(row, column) &&
            !block->columns[column])
            return false;
    return true;
}

static void open_block(report_writer *writer, const report_row *row)
{
    report_block *block = &writer->block;
    char title[REPORT_TITLE_BYTES];

    make_title(row, title);
    if (belongs_to(block, row, title))
        return;
    memcpy(block->title, title, sizeof(block->title));
    block->open = true;
    for (report_column column = 0; column < REPORT_COLUMNS; column++)
        block->columns[column] =
            report_columns[column].place == REPORT_CELL && report_row_has(row, column);
    choose_cells(block, row);
    fprintf(writer->stream, "\n%s%s", title, title[0] != '\0' ? "\n" : "");
    write_heads(writer->stream, block);
}

static void row_text(report_writer *writer, const report_row *row)
{
    FILE *stream = writer->stream;
    report_block *block = &writer->block;
    const char *space = " ";

    open_block(writer, row);
    for (size_t i = 0; i < block->cell_count; i++) {
        const report_block_cell *cell = &block->cells[i];
        json_t *value = report_row_cell(row, cell->column, cell->cell);
        char text[REPORT_FIGURE_BYTES];
        int width = cell_width(cell);

        /* A figure that is longer than its column has room for still keeps apart. */
        report_format_cell(value, heading_of(cell)->whole, text);
        fprintf(stream, "%s%*s", strlen(text) < (size_t)width ? "" : " ", width, text);
        json_decref(value);
    }
    for (size_t i = 0; i < COUNT(marks); i++) {
        if (!marks[i].applies(row, marks[i].column))
            continue;
        fprintf(stream, "%s%c", space, marks[i].mark);
        block->marks |= 1u << i;
        space = "";
    }
    fputc('\n', stream);
    report_write_slow_destinations(stream, row->values[REPORT_PER_DESTINATION]);
}

/* Fits stand below the rows that they were made from; what comes after needs heads again. */
static void fit_text(report_writer *writer, const json_t *fit)
{
    writer->block.open = false;
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
    .row = row_text,
    .fit = fit_text,
    .skipped = skipped_text,
    .end = end_text,
};
