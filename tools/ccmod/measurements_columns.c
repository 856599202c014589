#include "tools/ccmod/measurements_columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"

enum { LINE_BYTES = 1024, QUOTED = 60, LARGEST_COUNT = 1000000 };

static const char blanks[] = " \t\r\n,;";

bool measurements_add(measurements *found, double bytes, double time_us)
{
    ccmod_point *points = cb_grow(found->points, found->count, &found->room, sizeof(*points));

    if (points == NULL)
        return false;
    found->points = points;
    found->points[found->count++] = (ccmod_point){bytes, time_us};
    return true;
}

void measurements_close(measurements *found)
{
    free(found->points);
    found->points = NULL;
}

static ccmod_status report_word(ccmod_error *error, const char *name, size_t line, const char *word,
                                const char *problem)
{
    return ccmod_fail(error, CCMOD_ERROR_USAGE, name, line, "'%.*s': %s", (int)QUOTED, word,
                      problem);
}

static ccmod_status read_line(char *text, const char *name, size_t line, bool round_trips,
                              measurements *out, ccmod_error *error)
{
    char *rest, why[CB_WHY_BYTES];
    const char *size, *time, *more;
    uint64_t bytes;
    double time_us;

    text[strcspn(text, "#")] = '\0';
    size = strtok_r(text, blanks, &rest);
    if (size == NULL)
        return CCMOD_OK;
    time = strtok_r(NULL, blanks, &rest);
    if (time == NULL)
        return report_word(error, name, line, size,
                           "no time follows this size; write BYTES and MICROSECONDS");
    more = strtok_r(NULL, blanks, &rest);
    if (more != NULL)
        return report_word(error, name, line, more,
                           "a third column; write only BYTES and MICROSECONDS");
    if (!cb_parse_size(size, 0, UINT64_C(1) << 53, &bytes, why))
        return report_word(error, name, line, size, why);
    if (!cb_parse_real(time, 0, 1e15, NULL, &time_us, why))
        return report_word(error, name, line, time, why);
    if (!(time_us > 0))
        return report_word(error, name, line, time,
                           "a time must be above 0; remove the measurement");
    if (out->count == LARGEST_COUNT)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, name, line,
                          "more than %d measurements; give the medians of each size",
                          LARGEST_COUNT);
    if (measurements_add(out, (double)bytes, round_trips ? time_us / 2 : time_us))
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, name, line,
                      "out of memory for the measurements; give fewer");
}

ccmod_status measurements_read_columns(FILE *stream, const char *name, bool round_trips,
                                       measurements *out, ccmod_error *error)
{
    char text[LINE_BYTES];
    size_t line = 0;

    while (text[0] = '\0', fgets(text, sizeof(text), stream) != NULL) {
        size_t length = strlen(text);

        line++;
        if (length == 0 || (text[length - 1] != '\n' && !feof(stream)))
            return ccmod_fail(error, CCMOD_ERROR_USAGE, name, line,
                              "a zero byte, or more than %d characters: not text of two columns; "
                              "name a result of cb_oneway, or a text of sizes and times",
                              LINE_BYTES - 2);
        CCMOD_TRY(read_line(text, name, line, round_trips, out, error));
    }
    if (ferror(stream))
        return ccmod_fail(error, CCMOD_ERROR_SYSTEM, name, 0,
                          "cannot read the measurements: %s; name a file that can be read",
                          strerror(errno));
    return CCMOD_OK;
}
