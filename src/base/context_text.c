/* A text is made fit for libconfuse before it sees it. Version 3.3 counts a line too many for every
 * comment, and takes a comment, a brace and in places a string that are not closed for closed ones;
 * then a message would name the wrong line, or none would come at all. */
#include "base/context_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char *at, *end;
    long line;
    size_t depth;   /* of braces */
    long open_line; /* of the outermost brace that is open */
    char *why;
} scanner;

__attribute__((format(printf, 3, 4))) static bool fail(scanner *scan, long line, const char *format,
                                                       ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(scan->why, CONTEXT_WHY_BYTES, format, arguments);
    va_end(arguments);
    scan->line = line;
    return false;
}

static bool begins(const scanner *scan, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static void pass(scanner *scan)
{
    scan->line += *scan->at == '\n';
    scan->at++;
}

static void blank(scanner *scan)
{
    if (*scan->at != '\n')
        *scan->at = ' ';
    pass(scan);
}

static bool blank_line(scanner *scan)
{
    while (scan->at < scan->end && *scan->at != '\n')
        blank(scan);
    return true;
}

static bool blank_comment(scanner *scan)
{
    long opened = scan->line;

    blank(scan);
    blank(scan);
    while (scan->at < scan->end && !begins(scan, "*/"))
        blank(scan);
    if (scan->at == scan->end)
        return fail(scan, opened, "the comment that begins here has no end; close it by */");
    blank(scan);
    blank(scan);
    return true;
}

/* ${NAME} stands for a variable of the environment, and what is in it means nothing else. */
static bool pass_variable(scanner *scan)
{
    const char *closed = memchr(scan->at, '}', (size_t)(scan->end - scan->at));

    while (closed != NULL && scan->at < closed)
        pass(scan);
    pass(scan);
    return true;
}

static bool pass_string(scanner *scan)
{
    const char quote = *scan->at;
    long opened = scan->line;

    pass(scan);
    while (scan->at < scan->end && *scan->at != quote) {
        if (quote == '"' && begins(scan, "${")) {
            pass_variable(scan);
            continue;
        }
        if (*scan->at == '\\' && scan->at + 1 < scan->end)
            pass(scan);
        pass(scan);
    }
    if (scan->at == scan->end)
        return fail(scan, opened, "the string that begins here has no end; close it by %c", quote);
    pass(scan);
    return true;
}

static bool pass_brace(scanner *scan)
{
    if (*scan->at == '{' && scan->depth++ == 0)
        scan->open_line = scan->line;
    if (*scan->at == '}' && scan->depth-- == 0)
        return fail(scan, scan->line, "this } closes nothing; take it away");
    pass(scan);
    return true;
}

/* A slash within a word, as in a path, begins no comment of one line. */
static bool starts_word(const scanner *scan, const char *text)
{
    return scan->at == text || strchr(" \t\n\r={}()+,\"'", scan->at[-1]) != NULL;
}

static bool step(scanner *scan, const char *text)
{
    const char character = *scan->at;

    if (character == '#' || (begins(scan, "//") && starts_word(scan, text)))
        return blank_line(scan);
    if (begins(scan, "/*"))
        return blank_comment(scan);
    if (character == '"' || character == '\'')
        return pass_string(scan);
    if (begins(scan, "${"))
        return pass_variable(scan);
    if (character == '{' || character == '}')
        return pass_brace(scan);
    if (character == '*' || ((unsigned char)character < ' ' && strchr("\t\n\r", character) == NULL))
        return fail(scan, scan->line,
                    "the character with the code %d has no meaning here; take it "
                    "away, or write the value in quotes",
                    (unsigned char)character);
    pass(scan);
    return true;
}

bool cb_context_blank(char *text, size_t bytes, long *line, char why[CONTEXT_WHY_BYTES])
{
    scanner scan = {.at = text, .end = text + bytes, .line = 1, .why = why};
    bool fit = memchr(text, '\0', bytes) == NULL ||
               fail(&scan, 1, "there is a byte 0, so this is no text; write it anew");

    while (fit && scan.at < scan.end)
        fit = step(&scan, text);
    if (fit && scan.depth > 0)
        fit = fail(&scan, scan.open_line, "the { here is not closed; close it by }");
    *line = scan.line;
    return fit;
}
