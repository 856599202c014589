/* Defaults, parsing and visiting of a table of options. getopt_long finds the option and its
 * argument; this file finds out what exactly is wrong, which getopt_long does not report. */
#include "base/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/units.h"

enum {
    REASON_BYTES = 512, /* holds CB_WHY_BYTES and a list of choices or options */
    VALUE_SHOWN = 64,   /* length of a quoted value, so that the reason after it stays visible */
    FIRST_CODE = 256    /* getopt's code of row 0: above all characters, which short options use */
};

/* State of parsing. */
typedef struct {
    const cb_option_table *table;
    void *parameters;
    bool *given;
    const cb_option **action;
} parse_job;

typedef bool (*field_parser)(const cb_option *row, const char *text, void *field, char *reason);

/* Append to the reason; text that does not fit is cut off. */
__attribute__((format(printf, 2, 3))) static void append(char *reason, const char *format, ...)
{
    size_t used = strlen(reason);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason + used, REASON_BYTES - used, format, arguments);
    va_end(arguments);
}

static uint64_t whole_limit(double limit)
{
    if (!(limit > 0))
        return 0;
    return limit >= 0x1p64 ? UINT64_MAX : (uint64_t)limit;
}

static bool parse_flag(const cb_option *row, const char *text, void *field, char *reason)
{
    (void)row;
    (void)text;
    (void)reason;
    *(bool *)field = true;
    return true;
}

static bool parse_count(const cb_option *row, const char *text, void *field, char *reason)
{
    return cb_parse_count(text, whole_limit(row->minimum), whole_limit(row->maximum), field,
                          reason);
}

static bool parse_size(const cb_option *row, const char *text, void *field, char *reason)
{
    return cb_parse_size(text, whole_limit(row->minimum), whole_limit(row->maximum), field, reason);
}

static bool parse_real(const cb_option *row, const char *text, void *field, char *reason)
{
    return cb_parse_real(text, row->minimum, row->maximum, row->unit, field, reason);
}

static bool parse_text(const cb_option *row, const char *text, void *field, char *reason)
{
    if (text[0] == '\0') {
        append(reason, "empty; give %s, or leave the option out", row->argument);
        return false;
    }
    *(const char **)field = text;
    return true;
}

static bool parse_choice(const cb_option *row, const char *text, void *field, char *reason)
{
    const char *const *choice = row->choices;

    while (*choice != NULL && strcmp(*choice, text) != 0)
        choice++;
    if (*choice != NULL) {
        *(const char **)field = *choice;
        return true;
    }
    append(reason, "not a choice; use ");
    for (choice = row->choices; *choice != NULL; choice++) {
        const char *separator = choice == row->choices ? "" : choice[1] != NULL ? ", " : " or ";

        append(reason, "%s%s", separator, *choice);
    }
    return false;
}

/* Free the list of an earlier occurrence of the option, or of the default. */
static void replace_list(cb_list *field, cb_list list)
{
    cb_list_free(field);
    *field = list;
}

static bool parse_size_list(const cb_option *row, const char *text, void *field, char *reason)
{
    cb_list list;

    if (!cb_parse_size_list(text, whole_limit(row->minimum), whole_limit(row->maximum), &list,
                            reason))
        return false;
    replace_list(field, list);
    return true;
}

static bool parse_count_list(const cb_option *row, const char *text, void *field, char *reason)
{
    cb_list list;

    if (!cb_parse_count_list(text, whole_limit(row->minimum), whole_limit(row->maximum), row->unit,
                             &list, reason))
        return false;
    replace_list(field, list);
    return true;
}

static const struct {
    field_parser parse;
    size_t bytes; /* of the field */
    bool argument;
    bool number; /* minimum and maximum apply */
} kinds[] = {
    [CB_OPTION_FLAG] = {parse_flag, sizeof(bool), false, false},
    [CB_OPTION_COUNT] = {parse_count, sizeof(uint64_t), true, true},
    [CB_OPTION_SIZE] = {parse_size, sizeof(uint64_t), true, true},
    [CB_OPTION_REAL] = {parse_real, sizeof(double), true, true},
    [CB_OPTION_TEXT] = {parse_text, sizeof(const char *), true, false},
    [CB_OPTION_CHOICE] = {parse_choice, sizeof(const char *), true, false},
    [CB_OPTION_SIZE_LIST] = {parse_size_list, sizeof(cb_list), true, true},
    [CB_OPTION_COUNT_LIST] = {parse_count_list, sizeof(cb_list), true, true},
    [CB_OPTION_OPERAND] = {parse_text, sizeof(const char *), true, false},
    [CB_OPTION_ACTION] = {NULL, 0, false, false},
};

static bool is_list(const cb_option *row)
{
    return row->type == CB_OPTION_SIZE_LIST || row->type == CB_OPTION_COUNT_LIST;
}

static void *field_of(const cb_option *row, void *parameters)
{
    return (char *)parameters + row->offset;
}

/* Find the row of a name. Several rows may share a name if they apply to different programs: prefer
 * the one that applies to this program, else take the first. */
static const cb_option *row_named(const cb_option_table *table, const char *name)
{
    const cb_option *first = NULL;

    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        if (strcmp(row->name, name) != 0)
            continue;
        if (cb_option_applies(table, row))
            return row;
        if (first == NULL)
            first = row;
    }
    return first;
}

/* The error in the row itself, or NULL. */
static const char *mistake_in(const cb_option_table *table, const cb_option *row)
{
    bool argument = kinds[row->type].argument;
    bool number = kinds[row->type].number;
    const struct {
        bool broken;
        const char *text;
    } rules[] = {
        {row->help == NULL, "it has no help"},
        {argument != (row->argument != NULL),
         "it must name its argument just where its type takes one"},
        {!argument && row->default_text != NULL, "it takes no argument and has a default"},
        {number && !(row->minimum < row->maximum), "its minimum is not below its maximum"},
        {row->type == CB_OPTION_CHOICE && row->choices == NULL, "it has no choices"},
        {row_named(table, row->name) != row, "another row with a meaning has its name"},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].broken)
            return rules[i].text;
    }
    return NULL;
}

static cb_status set_default(const cb_option_table *table, const cb_option *row, void *field)
{
    const char *mistake = mistake_in(table, row);
    char reason[REASON_BYTES] = "";

    if (mistake == NULL && row->default_text != NULL &&
        !kinds[row->type].parse(row, row->default_text, field, reason))
        mistake = reason;
    if (mistake == NULL)
        return CB_OK;
    cb_error("option table of %s, row --%s, default '%s': %s; fix the row", table->program,
             row->name, row->default_text != NULL ? row->default_text : "", mistake);
    return CB_ERROR_USAGE;
}

static cb_status refuse_meaningless(const parse_job *job, const cb_option *row)
{
    const cb_option_table *table = job->table;
    char owners[REASON_BYTES];

    if (table->name_owners != NULL) {
        table->name_owners(table, row->name, owners, sizeof(owners));
        cb_error("--%s has no meaning for %s; leave it out, or run what takes it: %s", row->name,
                 table->program, owners);
    } else {
        cb_error("--%s has no meaning for %s; leave it out", row->name, table->program);
    }
    return CB_ERROR_USAGE;
}

static cb_status refuse_value(const cb_option *row, const char *value, const char *reason)
{
    const char *dashes = row->type == CB_OPTION_OPERAND ? "" : "--";
    const char *cut = strlen(value) > VALUE_SHOWN ? "..." : "";

    cb_error("%s%s '%.*s%s': %s", dashes, row->name, VALUE_SHOWN, value, cut, reason);
    return CB_ERROR_USAGE;
}

static cb_status refuse_argument(const cb_option *row, const char *word)
{
    if (kinds[row->type].argument)
        cb_error("--%s needs an argument; write --%s=%s", row->name, row->name, row->argument);
    else
        cb_error("%.*s: --%s takes no argument; write only --%s", VALUE_SHOWN, word, row->name,
                 row->name);
    return CB_ERROR_USAGE;
}

/* The row of the operand, or NULL. */
static const cb_option *operand_row(const cb_option_table *table)
{
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        if (row->type == CB_OPTION_OPERAND && cb_option_applies(table, row))
            return row;
    }
    return NULL;
}

static cb_status refuse_operand(const parse_job *job, const char *word)
{
    const cb_option *operand = operand_row(job->table);

    if (operand != NULL)
        cb_error("stray operand '%.*s'; %s takes one %s, see %s --help", VALUE_SHOWN, word,
                 job->table->program, operand->argument, job->table->program);
    else
        cb_error("stray operand '%.*s'; %s takes options only, see %s --help", VALUE_SHOWN, word,
                 job->table->program, job->table->program);
    return CB_ERROR_USAGE;
}

/* Count the names that start with the `length` characters of `name`, and list them in `names`. */
static size_t find_candidates(const cb_option_table *table, const char *name, size_t length,
                              char *names)
{
    size_t count = 0;

    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        if (row->type != CB_OPTION_OPERAND && row_named(table, row->name) == row &&
            strncmp(row->name, name, length) == 0)
            append(names, "%s--%s", count++ == 0 ? "" : ", ", row->name);
    }
    return count;
}

/* Report a word that getopt_long could not parse. */
static cb_status report_bad_word(const parse_job *job, const char *word)
{
    size_t length = strcspn(word, "=");
    int shown = length < VALUE_SHOWN ? (int)length : VALUE_SHOWN;
    char names[REASON_BYTES] = "";

    if (strncmp(word, "--", 2) != 0)
        cb_error("unknown option '%.*s'; options have two dashes and a name, see %s --help", shown,
                 word, job->table->program);
    else if (length > 2 && find_candidates(job->table, word + 2, length - 2, names) > 1)
        cb_error("option '%.*s' is ambiguous; write one of %s", shown, word, names);
    else
        cb_error("unknown option '%.*s'; see %s --help", shown, word, job->table->program);
    return CB_ERROR_USAGE;
}

static cb_status take_value(const parse_job *job, const cb_option *row, const char *text)
{
    char reason[REASON_BYTES] = "";

    if (job->given != NULL)
        job->given[row - job->table->options] = true;
    if (row->type == CB_OPTION_ACTION) {
        *job->action = row;
        return CB_OK;
    }
    if (!kinds[row->type].parse(row, text, field_of(row, job->parameters), reason))
        return refuse_value(row, text, reason);
    return CB_OK;
}

/* `code` is the return value of getopt_long for `word`; if it is ':' or '?', optopt has the row. */
static cb_status take_word(const parse_job *job, int code, const char *word)
{
    bool failed = code < FIRST_CODE;
    int found = failed ? optopt : code;
    const cb_option *row;

    if (found < FIRST_CODE)
        return report_bad_word(job, word);
    row = &job->table->options[found - FIRST_CODE];
    if (!cb_option_applies(job->table, row))
        return refuse_meaningless(job, row);
    return failed ? refuse_argument(row, word) : take_value(job, row, optarg);
}

/* '+' stops at an operand, so that argv keeps its order and the next word is always argv[optind].
 * ':' distinguishes a missing argument from an unknown option. */
static cb_status take_words(const parse_job *job, int argc, char **argv, const struct option *rows)
{
    const cb_option *operand = operand_row(job->table);

    opterr = 0;
    optind = 0; /* reset getopt, in the GNU and the musl library */
    while (*job->action == NULL) {
        const char *word = argv[optind > 0 ? optind : 1];
        int code = getopt_long(argc, argv, "+:", rows, NULL);

        if (code != -1) {
            CB_TRY(take_word(job, code, word));
            continue;
        }
        if (optind >= argc)
            return CB_OK;
        if (operand == NULL)
            return refuse_operand(job, argv[optind]);
        CB_TRY(take_value(job, operand, argv[optind++]));
        operand = NULL;
    }
    return CB_OK;
}

/* All names of the project, including those that do not apply here: an abbreviation must not mean
 * different options in different programs. NULL if out of memory. */
static struct option *build_rows(const cb_option_table *table)
{
    struct option *rows = cb_allocate(table->option_count + 1, sizeof(*rows), "the options");
    size_t count = 0;

    for (size_t i = 0; rows != NULL && i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        if (row->type != CB_OPTION_OPERAND && row_named(table, row->name) == row)
            rows[count++] = (struct option){
                .name = row->name,
                .has_arg = kinds[row->type].argument ? required_argument : no_argument,
                .val = FIRST_CODE + (int)i,
            };
    }
    return rows;
}

/* Not given and without a default; a flag is never absent. */
static bool is_absent(const cb_option *row, const void *value)
{
    static const char zeros[sizeof(cb_list)];

    if (row->type == CB_OPTION_FLAG || row->default_text != NULL)
        return false;
    if (is_list(row))
        return ((const cb_list *)value)->count == 0;
    return memcmp(value, zeros, kinds[row->type].bytes) == 0;
}

cb_status cb_options_defaults(const cb_option_table *table, void *parameters)
{
    /* all fields first: rows with the same name may share a field */
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        memset(field_of(row, parameters), 0, kinds[row->type].bytes);
    }
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];
        cb_status status = CB_OK;

        if (cb_option_applies(table, row))
            status = set_default(table, row, field_of(row, parameters));
        if (status != CB_OK) {
            cb_options_free(table, parameters);
            return status;
        }
    }
    return CB_OK;
}

/* Files */

/* The text of an option that names a file; NULL: not given, or a standard stream. */
static const char *file_of(const cb_option_table *table, const cb_option *row,
                           const void *parameters)
{
    const char *path;

    if (row->file == CB_FILE_NONE || !cb_option_applies(table, row))
        return NULL;
    path = *(const char *const *)((const char *)parameters + row->offset);
    return path == NULL || strcmp(path, "-") == 0 ? NULL : path;
}

static bool names(const cb_option *row, const char *text, const char *path)
{
    const char *colon = strchr(text, ':');
    char file[PATH_MAX];

    for (size_t i = 0; row->inside != NULL && row->inside[i] != NULL; i++) {
        snprintf(file, sizeof(file), "%s/%s", text, row->inside[i]);
        if (cb_output_is_same(path, file))
            return true;
    }
    return cb_output_is_same(path, text) || (colon != NULL && cb_output_is_same(path, colon + 1));
}

static cb_status check_files(const cb_option_table *table, const void *parameters)
{
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];
        const char *path = file_of(table, row, parameters);

        for (size_t j = 0; path != NULL && row->file == CB_FILE_WRITTEN && j < table->option_count;
             j++) {
            const cb_option *other = &table->options[j];
            const char *text = j != i ? file_of(table, other, parameters) : NULL;

            if (text == NULL || !names(other, text, path))
                continue;
            cb_error("--%s '%s' would replace the file of %s%s; name another file", row->name, path,
                     other->type == CB_OPTION_OPERAND ? "" : "--", other->name);
            return CB_ERROR_USAGE;
        }
    }
    return CB_OK;
}

cb_status cb_options_parse(const cb_option_table *table, int argc, char **argv, void *parameters,
                           bool *given, const cb_option **action)
{
    const parse_job job = {table, parameters, given, action};
    struct option *rows;
    cb_status status;

    *action = NULL;
    for (size_t i = 0; given != NULL && i < table->option_count; i++)
        given[i] = false;
    if (argc < 2)
        return CB_OK;
    rows = build_rows(table);
    status = rows != NULL ? take_words(&job, argc, argv, rows) : CB_ERROR_MEMORY;
    free(rows);
    if (status == CB_OK && *action == NULL)
        status = check_files(table, parameters);
    if (status != CB_OK)
        cb_options_free(table, parameters);
    return status;
}

void cb_options_free(const cb_option_table *table, void *parameters)
{
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];

        if (is_list(row) && cb_option_applies(table, row))
            cb_list_free(field_of(row, parameters));
    }
}

void cb_options_visit(const cb_option_table *table, const void *parameters,
                      void (*visit)(const cb_option *row, const void *value, void *context),
                      void *context)
{
    for (size_t i = 0; i < table->option_count; i++) {
        const cb_option *row = &table->options[i];
        const void *value = (const char *)parameters + row->offset;

        if (row->key != NULL && cb_option_applies(table, row) && !is_absent(row, value))
            visit(row, value, context);
    }
}
