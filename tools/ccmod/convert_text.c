#include "tools/ccmod/convert_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { QUOTED = 60 };

static const char blanks[] = " \t\r\n";

/* Reading */

FILE *convert_open(const char *path, ccmod_error *error)
{
    FILE *stream = fopen(path, "re");

    if (stream == NULL)
        ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                   "cannot read '%.200s': %s; name a file that can be read", path, strerror(errno));
    return stream;
}

bool convert_text_next(convert_text *text, ccmod_status *status)
{
    size_t length;

    *status = CCMOD_OK;
    text->text[0] = '\0';
    if (fgets(text->text, sizeof(text->text), text->stream) == NULL) {
        if (ferror(text->stream))
            *status = ccmod_fail(text->error, CCMOD_ERROR_SYSTEM, text->name, 0,
                                 "cannot read: %s; name a file that can be read", strerror(errno));
        return false;
    }
    text->line++;
    length = strlen(text->text);
    if (length > 0 && (text->text[length - 1] == '\n' || feof(text->stream)))
        return true;
    *status = ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                         "a zero byte, or more than %d characters: this is no text of this form; "
                         "name another file, or another form with --from",
                         CONVERT_LINE_BYTES - 2);
    return false;
}

char *convert_text_first(convert_text *text)
{
    return strtok_r(text->text, blanks, &text->rest);
}

char *convert_text_word(convert_text *text)
{
    return strtok_r(NULL, blanks, &text->rest);
}

ccmod_status convert_text_refuse(const convert_text *text, const char *word, const char *problem)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line, "'%.*s': %s",
                      (int)QUOTED, word, problem);
}

static ccmod_status refuse_missing(const convert_text *text, const char *what)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                      "the %s is missing at the end of the line; write it there", what);
}

static ccmod_status refuse_number(const convert_text *text, const char *word, const char *what,
                                  const char *why)
{
    return ccmod_fail(text->error, CCMOD_ERROR_USAGE, text->name, text->line,
                      "'%.*s' is no %s: %s; write another", (int)QUOTED, word, what, why);
}

ccmod_status convert_text_count(const convert_text *text, const char *word, const char *what,
                                uint64_t largest, uint64_t *value)
{
    char why[CB_WHY_BYTES];

    if (word == NULL)
        return refuse_missing(text, what);
    return cb_parse_count(word, 0, largest, value, why) ? CCMOD_OK
                                                        : refuse_number(text, word, what, why);
}

ccmod_status convert_text_real(const convert_text *text, const char *word, const char *what,
                               double largest, double *value)
{
    char why[CB_WHY_BYTES];

    if (word == NULL)
        return refuse_missing(text, what);
    return cb_parse_real(word, 0, largest, NULL, value, why) ? CCMOD_OK
                                                             : refuse_number(text, word, what, why);
}

/* Writing */

ccmod_status convert_walk_next(convert_walk *walk, uint32_t rank, ccmod_record *record,
                               ccmod_error *error)
{
    CCMOD_TRY(walk->workload->next(walk->workload, rank, record, error));
    if (record->kind == CCMOD_END)
        return CCMOD_OK;
    if (walk->left == 0)
        return convert_walk_refuse(walk, record,
                                   "with its loops unrolled the trace has more records than "
                                   "--records allows; allow more, or shorten its loops",
                                   error);
    walk->left--;
    return CCMOD_OK;
}

ccmod_status convert_walk_refuse(const convert_walk *walk, const ccmod_record *record,
                                 const char *problem, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_USAGE, walk->workload->name, record->line, "%s", problem);
}

void convert_write_number(FILE *stream, double value)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (!(strtod(text, NULL) < value) && !(strtod(text, NULL) > value))
            break;
    }
    fputs(text, stream);
}
