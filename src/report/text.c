/* The text form, for readers. Rows are written as they are added. Consecutive rows with the same
 * conditions form a block, whose title shows the common conditions. */
#include "report/forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/marks.h"
#include "report/values.h"
#include "stats/stats.h"

/* Usually a row has at most two marks. Rows with losses may have four, and end two columns later:
 * no column is left out of all tables for them. */
enum { LINE_COLUMNS = 110, GAP = 2, MARKS_WIDTH = 3, FIGURE_BYTES = 64 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A value of a document with text before and after; nothing is written if it is absent. */
typedef struct {
    const char *before, *path, *after;
} phrase;

/* Numbers: as many digits as a measurement supports */

/* Three significant digits, but all digits from 1000 on: 0.312, 12.3, 1234. */
static void format_real(double value, char text[FIGURE_BYTES])
{
    const char *exponent_text;
    int exponent, decimals;

    /* Uses the exponent after rounding to three digits: 9.996 becomes 10.0. */
    snprintf(text, FIGURE_BYTES, "%.2e", value);
    exponent_text = strchr(text, 'e');
    exponent = exponent_text != NULL ? (int)strtol(exponent_text + 1, NULL, 10) : 0;
    decimals = exponent >= 2 ? 0 : 2 - exponent;
    if (value == 0.0)
        snprintf(text, FIGURE_BYTES, "0");
    else if (decimals <= 6)
        snprintf(text, FIGURE_BYTES, "%.*f", decimals, value);
    else
        snprintf(text, FIGURE_BYTES, "%.0e", value);
}

/* A number as a cell: all digits if `whole`, else as format_real; "-" if absent. */
static void format_number(const json_t *value, bool whole, char text[FIGURE_BYTES])
{
    if (!json_is_number(value))
        snprintf(text, FIGURE_BYTES, "-");
    else if (whole)
        snprintf(text, FIGURE_BYTES, "%.0f", json_number_value(value));
    else
        format_real(json_number_value(value), text);
}

/* Write the phrases whose value is present, separated by ", ". Returns their number. */
static size_t write_phrases(FILE *stream, const json_t *root, const phrase *phrases, size_t count)
{
    size_t written = 0;

    for (size_t i = 0; i < count; i++) {
        const json_t *value = report_path_get(root, phrases[i].path);
        char number[FIGURE_BYTES];

        if (value == NULL)
            continue;
        format_number(value, json_is_integer(value), number);
        fprintf(stream, "%s%s%s%s", written++ > 0 ? ", " : "", phrases[i].before,
                json_is_string(value) ? json_string_value(value) : number, phrases[i].after);
    }
    return written;
}

/* Slow destinations of a farm, which a figure over all destinations hides */

static const json_t *median_of(const json_t *destination)
{
    return json_object_get(json_object_get(destination, "latency_us"), "p50");
}

/* The median over the destinations; 0 if there are too few. */
static double usual_us(const json_t *destinations)
{
    size_t count = json_array_size(destinations), known = 0;
    double *medians = malloc(count * sizeof(*medians) + 1), usual = 0;

    if (medians == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *median = median_of(json_array_get(destinations, i));

        if (json_is_number(median))
            medians[known++] = json_number_value(median);
    }
    if (known > 1)
        usual = stats_summarize(medians, known).median;
    free(medians);
    return usual;
}

/* A line for each destination whose median latency exceeds twice the median of all. */
static void write_slow_destinations(FILE *stream, const json_t *destinations)
{
    static const phrase phrases[] = {
        {"rank ", "rank", ""},
        {"latency p50 ", "latency_us.p50", " us"},
        {"p99 ", "latency_us.p99", " us"},
        {"in flight ", "in_flight_mean", " in the mean"},
        {"at most ", "in_flight_most", ""},
    };
    double usual = usual_us(destinations);

    for (size_t i = 0; usual > 0 && i < json_array_size(destinations); i++) {
        const json_t *one = json_array_get(destinations, i);
        char text[FIGURE_BYTES];

        if (json_number_value(median_of(one)) <= 2 * usual)
            continue;
        fputs("    slow destination: ", stream);
        write_phrases(stream, one, phrases, COUNT(phrases));
        format_real(usual, text);
        fprintf(stream, "; half of all destinations have p50 of %s us or less\n", text);
    }
}

/* Below the row of a found rate: the result of the trials at and around it, and whether the run in
 * the row was saturated. */
static void write_found_rate(FILE *stream, const report_row *row)
{
    static const phrase phrases[] = {
        {"    found rate: ", "value", " Hz held the deadline"},
        {" in ", "held", ""},
        {" of ", "repeats", " trials"},
        {"; ", "interval.0", " Hz in all"},
        {", ", "interval.1", " Hz in none"},
    };

    if (!report_row_has(row, REPORT_FOUND_HZ))
        return;
    for (size_t i = 0; i < COUNT(phrases); i++)
        write_phrases(stream, row->values[REPORT_FOUND_HZ], &phrases[i], 1);
    if (report_row_has(row, REPORT_SATURATED) && report_row_flag(row, REPORT_SATURATED, ""))
        fputs("; the additional run shown in the row was saturated", stream);
    fputc('\n', stream);
}

/* Rows */

static bool has_mean(const report_row *row)
{
    for (report_column column = 0; column < REPORT_COLUMNS; column++)
        if (report_columns[column].type == REPORT_TYPE_SUMMARY &&
            !isnan(report_row_number(row, column, "mean")))
            return true;
    return false;
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
    if (has_mean(row) && used < REPORT_TITLE_BYTES)
        snprintf(title + used, REPORT_TITLE_BYTES - used, ", times are means");
}

static const report_heading *heading_of(const report_block_cell *cell)
{
    return report_heading_of(cell->column, cell->cell);
}

/* The second line of a heading: the column's unit unless the heading has its own. */
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

/* Choose the cells of a block that fit into a line; those of the highest rank are left out. */
static void choose_cells(report_block *block, const report_row *row)
{
    int width = MARKS_WIDTH;

    block->cell_count = 0;
    for (report_column column = 0; column < REPORT_COLUMNS; column++) {
        if (!block->columns[column])
            continue;
        for (const report_cell *cell = report_cells_of(column); cell->path != NULL; cell++) {
            const report_block_cell next = {column, cell};

            if (heading_of(&next)->head == NULL || block->cell_count == REPORT_BLOCK_CELLS)
                continue;
            /* An optional cell is a member of the value, never a derived one. */
            if (cell->optional && isnan(report_row_number(row, column, cell->path)))
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

/* Two lines: heading and unit; a heading without unit is on the second line. */
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

/* A row with a value for which the block has no column starts a new block, even with the same
 * title, so that no value is hidden. */
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
    size_t mark_count;
    const report_mark *marks = report_marks(&mark_count);

    open_block(writer, row);
    for (size_t i = 0; i < block->cell_count; i++) {
        const report_block_cell *cell = &block->cells[i];
        json_t *value = report_row_cell(row, cell->column, cell->cell);
        char text[FIGURE_BYTES];
        int width = cell_width(cell);

        /* A number too long for its column is still separated by a blank. */
        format_number(value, heading_of(cell)->whole, text);
        fprintf(stream, "%s%*s", strlen(text) < (size_t)width ? "" : " ", width, text);
        json_decref(value);
    }
    for (size_t i = 0; i < mark_count; i++) {
        if (!report_mark_applies(&marks[i], row))
            continue;
        fprintf(stream, "%s%c", space, marks[i].sign);
        block->marks |= 1u << i;
        space = "";
    }
    fputc('\n', stream);
    write_found_rate(stream, row);
    write_slow_destinations(stream, row->values[REPORT_PER_DESTINATION]);
}

/* Text around the rows */

/* Parameters of the technology and where they come from, in as many lines as needed. Only values
 * equal in all ranks are shown. */
static void write_parameters(const report_writer *writer, const json_t *environment)
{
    const cb_parameter_set *parameters = writer->parameters;
    const json_t *settings = json_object_get(environment, "technology_settings");
    const char *source = json_string_value(json_object_get(settings, "made_from"));
    const char *separator = "";
    size_t used;

    if (source == NULL || parameters == NULL)
        return;
    used = (size_t)fprintf(writer->stream, "settings made from the %s:", source);
    for (size_t i = 0; i < parameters->count; i++) {
        const cb_parameter *row = &parameters->rows[i];
        const json_t *value = json_object_get(settings, row->name);
        char text[320];
        int length;

        if (json_is_string(value))
            length = snprintf(text, sizeof(text), " %s %s", row->name, json_string_value(value));
        else if (json_is_boolean(value))
            length = snprintf(text, sizeof(text), " %s %s", row->name,
                              json_is_true(value) ? "true" : "false");
        else if (json_is_number(value))
            length = snprintf(text, sizeof(text), " %s %.0f%s", row->name, json_number_value(value),
                              row->kind == CB_PARAMETER_SIZE ? " bytes" : "");
        else
            continue;
        /* The separator belongs to the line of the parameter before it. */
        if (used + (size_t)length + 1 > LINE_COLUMNS) {
            fprintf(writer->stream, "%s\n   %s", separator, text);
            used = 3;
        } else {
            fprintf(writer->stream, "%s%s", separator, text);
        }
        used += (size_t)length + 1;
        separator = ",";
    }
    fputc('\n', writer->stream);
}

/* What the preflight has found: "preflight: eth0 is half duplex (host02 and 3 more); turn on ..."
 */
static void write_preflight(FILE *stream, const json_t *environment)
{
    const json_t *one;
    size_t index;

    json_array_foreach(json_object_get(environment, "preflight"), index, one)
    {
        const char *found = json_string_value(json_object_get(one, "found"));
        const char *remedy = json_string_value(json_object_get(one, "remedy"));
        const json_t *hosts = json_object_get(one, "hosts");
        const json_t *first = json_array_get(json_object_get(environment, "hosts"),
                                             (size_t)json_integer_value(json_array_get(hosts, 0)));
        const char *name = json_string_value(json_object_get(first, "name"));

        if (found == NULL || remedy == NULL)
            continue;
        fprintf(stream, "preflight: %s (%s", found, name != NULL ? name : "host 0");
        if (json_array_size(hosts) > 1)
            fprintf(stream, " and %zu more", json_array_size(hosts) - 1);
        fprintf(stream, "); %s\n", remedy);
    }
}

static void begin_text(report_writer *writer, json_t *document)
{
    static const phrase platform[] = {
        {"", "environment.hosts.0.cpu", ""},
        {"", "environment.hosts.0.cores", " cores"},
        {"", "environment.hosts.0.os", ""},
        {"", "environment.hosts.0.kernel", ""},
        {"", "environment.mpi", ""},
        {"model ", "parameters.model", ""},
        {"network ", "parameters.network", ""},
        {"share ", "parameters.share", ""},
    };
    const json_t *environment = json_object_get(document, "environment");
    size_t hosts = json_array_size(json_object_get(environment, "hosts"));
    const char *id = json_string_value(json_object_get(document, "id"));
    const char *name = json_string_value(json_object_get(document, "benchmark"));

    /* A benchmark outside of the collections has its name as id. */
    if (strcmp(id, name) != 0)
        fprintf(writer->stream, "%s ", id);
    fprintf(writer->stream, "%s over %s: %s\n", name,
            json_string_value(json_object_get(document, "technology")), writer->title);
    if (json_object_get(document, "source") != NULL)
        fprintf(writer->stream, "%zu ranks, not measured: ", hosts);
    else if (hosts > 0)
        fprintf(writer->stream, "%zu %s: ", hosts, hosts == 1 ? "host" : "hosts, the first");
    if (write_phrases(writer->stream, document, platform, COUNT(platform)))
        fputc('\n', writer->stream);
    write_parameters(writer, environment);
    write_preflight(writer->stream, environment);
}

/* Fits follow their rows; later rows get new headings. */
static void fit_text(report_writer *writer, const json_t *fit)
{
    static const phrase subject[] = {
        {"fit of ", "figure", ""},         {"", "mode", ""},
        {"", "processors", " processors"}, {"from ", "from_bytes", " bytes"},
        {"to ", "to_bytes", " bytes"},
    };
    static const phrase values[] = {
        {"overhead ", "overhead_us", " us"},
        {"r_inf ", "r_inf_MBps", " MB/s"},
        {"n_half ", "n_half_bytes", " bytes"},
        {"pi0 ", "pi0_Hz", " /s"},
        {"rms residual ", "rms_residual_us", " us"},
        {"", "caution", ""},
        {"none: ", "refusal", ""},
    };
    static const phrase maximum[] = {
        {"maximum ", "maximum_MBps", " MB/s"},
        {"at ", "maximum_at_bytes", " bytes"},
        {"per processor ", "maximum_per_processor_MBps", " MB/s"},
        {"r_inf per processor ", "r_inf_per_processor_MBps", " MB/s"},
    };

    writer->block.open = false;
    write_phrases(writer->stream, fit, subject, COUNT(subject));
    fputs("\n    ", writer->stream);
    write_phrases(writer->stream, fit, values, COUNT(values));
    fputc('\n', writer->stream);
    if (json_object_get(fit, "maximum_MBps") == NULL)
        return;
    fputs("    ", writer->stream);
    write_phrases(writer->stream, fit, maximum, COUNT(maximum));
    fputc('\n', writer->stream);
}

static void skipped_text(report_writer *writer, const json_t *skipped)
{
    fprintf(writer->stream, "skipped %s: %s\n", json_string_value(json_object_get(skipped, "what")),
            json_string_value(json_object_get(skipped, "reason")));
}

static void end_text(report_writer *writer, json_t *document)
{
    static const phrase timeline[] = {
        {"timeline of ", "timeline.events", " events"},
        {"recording cost ", "timeline.cost_pct", " % of an event's time"},
        {"in single trials from ", "timeline.cost_least_pct", " %"},
        {"to ", "timeline.cost_most_pct", " %"},
        {"entries dropped ", "timeline.notes_dropped", ""},
        {"caution: ", "timeline.caution", ""},
    };
    static const phrase quality[] = {
        {"clock ", "environment.clock.source", ""},
        {"resolution ", "environment.clock.resolution_ns", " ns"},
        {"reading takes ", "environment.clock.cost_ns", " ns"},
        {"TICK1 ", "environment.clock.tick1_ns", " ns"},
        {"TICK2 off by ", "environment.clock.tick2_error_pct", " %"},
        {"noise ", "environment.noise.stolen_pct", " % of the time"},
        {"in gaps above ", "environment.noise.quantum_us", " us"},
    };
    static const phrase incomplete[] = {{"incomplete: ", "reason", ""}};
    size_t mark_count;
    const report_mark *marks = report_marks(&mark_count);

    fputc('\n', writer->stream);
    for (size_t i = 0; i < mark_count; i++) {
        if (writer->block.marks >> i & 1)
            fprintf(writer->stream, "%c %s\n", marks[i].sign, marks[i].meaning);
    }
    if (write_phrases(writer->stream, document, timeline, COUNT(timeline)))
        fputc('\n', writer->stream);
    if (write_phrases(writer->stream, document, quality, COUNT(quality)))
        fputc('\n', writer->stream);
    if (write_phrases(writer->stream, document, incomplete, COUNT(incomplete)))
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
