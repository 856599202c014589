/* Streaming JSON output, for documents too large to hold in memory.
 * Members of the document and elements of its arrays stand on lines of their own; what is deeper
 * stands on the line of its parent. */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

enum { REPORT_STREAM_DEPTH = 8 };

typedef struct {
    FILE *stream;
    unsigned depth;                    /* how many objects and arrays are open */
    bool filled[REPORT_STREAM_DEPTH];  /* something is in it already */
    char closing[REPORT_STREAM_DEPTH]; /* the bracket that ends it */
} report_stream;

/* The document itself, an object. Errors of writing are to be asked of the stream, once, at the
 * end.
 */
report_stream report_stream_begin(FILE *stream);

/* `key` is NULL in an array. At most REPORT_STREAM_DEPTH are open at once. */
void report_stream_object(report_stream *out, const char *key);
void report_stream_array(report_stream *out, const char *key);

/* End what was opened last; the end of the document adds a newline. */
void report_stream_end(report_stream *out);

/* Fifteen digits; left out where it is not finite. */
void report_stream_number(report_stream *out, const char *key, double value);
/* What is not UTF-8 is replaced; NULL is left out. */
void report_stream_text(report_stream *out, const char *key, const char *value);
void report_stream_flag(report_stream *out, const char *key, bool value);

#endif
