/* --help and the manual page of a table of options. Both have the same words in the same order and
 * differ in layout and troff escapes; one writer wraps the lines of both. */
#include "base/options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

enum { PAGE_COLUMNS = 80, WORD_BYTES = 256, HELP_INDENT = 26, FACT_BYTES = 96 };

/* Wraps words into lines. A word may come in several pieces; a blank ends it. */
typedef struct {
    FILE *stream;
    bool manual;   /* troff output */
    size_t indent; /* empty columns at the left */
    size_t column; /* current column; 0 at the start of a line */
    size_t length; /* of the unfinished word */
    char word[WORD_BYTES];
} text_writer;

/* Escape what troff would interpret, or print as a typographic character that cannot be pasted into
 * a shell. */
static const char *troff_escape(char character)
{
    static const struct {
        char character;
        const char *escape;
    } escapes[] = {{'-', "\\-"},   {'\\', "\\e"},  {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        if (escapes[i].character == character)
            return escapes[i].escape;
    }
    return NULL;
}

static void put_character(const text_writer *writer, char character)
{
    const char *escape = writer->manual ? troff_escape(character) : NULL;

    if (escape != NULL)
        fputs(escape, writer->stream);
    else
        fputc(character, writer->stream);
}

static void end_line(text_writer *writer)
{
    if (writer->column > 0)
        fputc('\n', writer->stream);
    writer->column = 0;
}

static void fill_to(text_writer *writer, size_t column)
{
    for (; writer->column < column; writer->column++)
        fputc(' ', writer->stream);
}

static void end_word(text_writer *writer)
{
    if (writer->length == 0)
        return;
    if (writer->column > writer->indent) {
        if (writer->column + 1 + writer->length >= PAGE_COLUMNS)
            end_line(writer);
        else
            fill_to(writer, writer->column + 1);
    }
    fill_to(writer, writer->indent);
    /* a full stop at the start of a line would be a troff request */
    if (writer->manual && writer->column == 0 && writer->word[0] == '.')
        fputs("\\&", writer->stream);
    for (size_t i = 0; i < writer->length; i++)
        put_character(writer, writer->word[i]);
    writer->column += writer->length;
    writer->length = 0;
}

static void put_characters(text_writer *writer, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool blank = text[i] == ' ' || text[i] == '\n';

        if (blank || writer->length == WORD_BYTES)
            end_word(writer);
        if (!blank)
            writer->word[writer->length++] = text[i];
    }
}

static void put_text(text_writer *writer, const char *text)
{
    put_characters(writer, text, strlen(text));
}

static void end_paragraph(text_writer *writer)
{
    end_word(writer);
    end_line(writer);
}

/* "a\n\nb": each paragraph but the first comes after `separator`. */
static void put_paragraphs(text_writer *writer, const char *text, const char *separator)
{
    const char *end;

    while ((end = strstr(text, "\n\n")) != NULL) {
        put_characters(writer, text, (size_t)(end - text));
        end_paragraph(writer);
        fputs(separator, writer->stream);
        text = end + 2;
    }
    put_text(writer, text);
    end_paragraph(writer);
}

static void format_whole(const cb_option *row, double value, char *text)
{
    bool size = row->type == CB_OPTION_SIZE || row->type == CB_OPTION_SIZE_LIST;

    if (size)
        cb_format_size((uint64_t)value, text);
    else
        snprintf(text, 24, "%" PRIu64, (uint64_t)value);
}

/* "1 to 64", "1 or more", or empty if any whole number is allowed. */
static void describe_wholes(const cb_option *row, const char *each, char *fact)
{
    const char *blank = row->unit != NULL ? " " : "";
    const char *unit = row->unit != NULL ? row->unit : "";
    char minimum[24];
    char maximum[24];

    format_whole(row, row->minimum, minimum);
    if (row->maximum < 0x1p64) {
        format_whole(row, row->maximum, maximum);
        snprintf(fact, FACT_BYTES, "%s%s to %s%s%s", each, minimum, maximum, blank, unit);
    } else if (row->minimum > 0) {
        snprintf(fact, FACT_BYTES, "%s%s%s%s or more", each, minimum, blank, unit);
    }
}

static void describe_whole(const cb_option *row, char *fact)
{
    describe_wholes(row, "", fact);
}

static void describe_list(const cb_option *row, char *fact)
{
    describe_wholes(row, "each ", fact);
}

static void describe_real(const cb_option *row, char *fact)
{
    const char *blank = row->unit != NULL ? " " : "";
    const char *unit = row->unit != NULL ? row->unit : "";

    if (isfinite(row->maximum))
        snprintf(fact, FACT_BYTES, "%g to %g%s%s", row->minimum, row->maximum, blank, unit);
    else
        snprintf(fact, FACT_BYTES, "%g%s%s or more", row->minimum, blank, unit);
}

/* The range of a number, by type of option. */
static void (*const describe_range[])(const cb_option *row, char *fact) = {
    [CB_OPTION_COUNT] = describe_whole,     [CB_OPTION_SIZE] = describe_whole,
    [CB_OPTION_REAL] = describe_real,       [CB_OPTION_SIZE_LIST] = describe_list,
    [CB_OPTION_COUNT_LIST] = describe_list, [CB_OPTION_ACTION] = NULL,
};

/* Facts follow the help in one parenthesis: (1 to 64; default 8). */
static void open_fact(text_writer *writer, bool *any)
{
    put_text(writer, *any ? "; " : " (");
    *any = true;
}

static void put_choices(text_writer *writer, const char *const *choices)
{
    for (const char *const *choice = choices; *choice != NULL; choice++) {
        if (choice != choices)
            put_text(writer, choice[1] != NULL ? ", " : " or ");
        put_text(writer, *choice);
    }
}

static void put_default(text_writer *writer, const cb_option *row)
{
    size_t length = strlen(row->default_text);
    char last = length > 0 ? row->default_text[length - 1] : '\0';

    put_text(writer, "default ");
    put_text(writer, row->default_text);
    if (row->unit != NULL && last >= '0' && last <= '9') {
        put_text(writer, " ");
        put_text(writer, row->unit);
    }
}

/* The entry of a row, without its name. */
static void put_entry(text_writer *writer, const cb_option *row)
{
    char range[FACT_BYTES] = "";
    bool any = false;

    put_text(writer, row->help);
    if (describe_range[row->type] != NULL)
        describe_range[row->type](row, range);
    if (range[0] != '\0') {
        open_fact(writer, &any);
        put_text(writer, range);
    }
    if (row->type == CB_OPTION_CHOICE) {
        open_fact(writer, &any);
        put_choices(writer, row->choices);
    }
    if (row->default_text != NULL) {
        open_fact(writer, &any);
        put_default(writer, row);
    }
    put_text(writer, any ? ")" : "");
    if (writer->manual && row->more != NULL) {
        put_text(writer, ". ");
        put_text(writer, row->more);
    }
    end_paragraph(writer);
}

static void put_help_option(FILE *stream, const cb_option *row)
{
    text_writer writer = {.stream = stream, .indent = HELP_INDENT};
    const char *blank = row->argument != NULL ? " " : "";
    const char *argument = row->argument != NULL ? row->argument : "";
    int printed = row->type == CB_OPTION_OPERAND
                      ? fprintf(stream, "  %s", argument)
                      : fprintf(stream, "  --%s%s%s", row->name, blank, argument);

    writer.column = printed > 0 ? (size_t)printed : 0;
    if (writer.column + 2 > HELP_INDENT)
        end_line(&writer);
    put_entry(&writer, row);
}

static void put_help_status(FILE *stream, const char *status, const char *meaning)
{
    text_writer writer = {.stream = stream, .indent = 6};
    int printed = fprintf(stream, "  %s", status);

    writer.column = printed > 0 ? (size_t)printed : 0;
    put_text(&writer, meaning);
    end_paragraph(&writer);
}

/* Print in the font of that letter. */
static void put_in_font(const text_writer *writer, char font, const char *text)
{
    fprintf(writer->stream, "\\f%c", font);
    for (const char *at = text; *at != '\0'; at++)
        put_character(writer, *at);
    fputs("\\fR", writer->stream);
}

static void put_manual_option(FILE *stream, const cb_option *row)
{
    text_writer writer = {.stream = stream, .manual = true};
    bool operand = row->type == CB_OPTION_OPERAND;
    char name[WORD_BYTES];

    fputs(".TP\n", stream);
    snprintf(name, sizeof(name), "--%s", row->name);
    if (!operand)
        put_in_font(&writer, 'B', name);
    if (!operand && row->argument != NULL)
        fputc(' ', stream);
    if (row->argument != NULL)
        put_in_font(&writer, 'I', row->argument);
    fputc('\n', stream);
    put_entry(&writer, row);
}

static void put_manual_status(FILE *stream, const char *status, const char *meaning)
{
    text_writer writer = {.stream = stream, .manual = true};

    fprintf(stream, ".TP\n\\fB%s\\fR\n", status);
    put_text(&writer, meaning);
    end_paragraph(&writer);
}

static void put_options(const cb_option_table *table, FILE *stream,
                        void (*put_option)(FILE *stream, const cb_option *row))
{
    for (size_t i = 0; i < table->option_count; i++) {
        if (cb_option_applies(table, &table->options[i]))
            put_option(stream, &table->options[i]);
    }
}

static void put_statuses(const cb_option_table *table, FILE *stream,
                         void (*put_status)(FILE *stream, const char *status, const char *meaning))
{
    for (const char *const *pair = table->exit_statuses; *pair != NULL; pair += 2)
        put_status(stream, pair[0], pair[1]);
}

/* .TH takes the name in capitals. */
static void put_title(const cb_option_table *table, const char *version, const char *date,
                      FILE *stream)
{
    fputs(".TH ", stream);
    for (const char *at = table->program; *at != '\0'; at++)
        fputc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, stream);
    fprintf(stream, " 1 \"%s\" \"combench %s\" \"User Commands\"\n", date, version);
}

void cb_options_help(const cb_option_table *table, FILE *stream)
{
    text_writer writer = {.stream = stream};

    fprintf(stream, "Usage: %s\n\n", table->synopsis);
    put_text(&writer, table->program);
    put_text(&writer, ": ");
    put_text(&writer, table->summary);
    end_paragraph(&writer);
    fputc('\n', stream);
    put_paragraphs(&writer, table->description, "\n");
    fputs("\nOptions:\n", stream);
    put_options(table, stream, put_help_option);
    fputs("\nExit status:\n", stream);
    put_statuses(table, stream, put_help_status);
}

void cb_options_manual(const cb_option_table *table, const char *version, const char *date,
                       FILE *stream)
{
    text_writer writer = {.stream = stream, .manual = true};

    put_title(table, version, date, stream);
    fputs(".SH NAME\n", stream);
    put_text(&writer, table->program);
    put_text(&writer, " - ");
    put_text(&writer, table->summary);
    end_paragraph(&writer);
    fputs(".SH SYNOPSIS\n", stream);
    put_text(&writer, table->synopsis);
    end_paragraph(&writer);
    fputs(".SH DESCRIPTION\n", stream);
    put_paragraphs(&writer, table->description, ".PP\n");
    fputs(".SH OPTIONS\n", stream);
    put_options(table, stream, put_manual_option);
    fputs(".SH \"EXIT STATUS\"\n", stream);
    put_statuses(table, stream, put_manual_status);
}
