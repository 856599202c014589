/* Streaming JSON output, for documents too large for memory.
 *
 * Members of the document and elements of its arrays have a line each; deeper values share the line
 * of their parent. */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

enum { REPORT_STREAM_DEPTH = 8 };

typedef struct {
    FILE *stream;
    unsigned depth;                    /* number of open objects and arrays */
    bool filled[REPORT_STREAM_DEPTH];  /* not empty */
    char closing[REPORT_STREAM_DEPTH]; /* closing bracket */
} report_stream;

/* Start the document, an object. Check the stream for errors at the end. */
report_stream report_stream_begin(FILE *stream);

/* `key` is NULL in an array. Nesting is limited to REPORT_STREAM_DEPTH. */
void report_stream_object(report_stream *out, const char *key);
void report_stream_array(report_stream *out, const char *key);

/* Close the innermost object or array; the end of the document adds a newline. */
void report_stream_end(report_stream *out);

/* Written with 15 digits; left out if not finite. */
void report_stream_number(report_stream *out, const char *key, double value);
/* Invalid UTF-8 is replaced; NULL is left out. */
void report_stream_text(report_stream *out, const char *key, const char *value);
void report_stream_flag(report_stream *out, const char *key, bool value);

#endif
