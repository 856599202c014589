/* Messages to stderr: "PROGRAM: [rank R: ]LEVEL: TEXT". stdout carries results only.
 *
 * An error text says what was attempted, on what, the cause, and what to change. It can be reported
 * from any depth without passing a context: program name and rank belong to the process, and the
 * last error to the thread. Where several ranks are one process, each has a cb_log_context, which
 * whoever switches between them selects. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

typedef enum { CB_LOG_ERROR, CB_LOG_WARNING, CB_LOG_NOTE } cb_log_level;

enum { CB_LAST_ERROR_BYTES = 512 };

/* Who logs. */
typedef struct {
    const char *program;
    int rank; /* negative: not printed */
    int silent;
} cb_log_identity;

/* What was logged last. */
typedef struct {
    char text[CB_LAST_ERROR_BYTES];
    bool is_new;
} cb_log_error;

/* Both, of a rank that is not a process. Start with those of the process: cb_log_context_begin. */
typedef struct {
    cb_log_identity identity;
    cb_log_error error;
} cb_log_context;

void cb_log_context_begin(cb_log_context *out);

/* From here on this thread logs as `context`, which has to live until another is selected; NULL: as
 * the process. Returns what was selected before. */
cb_log_context *cb_log_select(cb_log_context *context);

/* Set the program's name (kept by reference) and the rank; a negative rank is not printed. */
void cb_log_identify(const char *program, int rank);

/* Suppress all messages, because they would repeat those of rank 0. */
void cb_log_silence(int silent);

/* Log one line; the newline is added. One write(2), so that lines of several ranks do not mix. */
void cb_log(cb_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of the last error that this thread, or its context, has logged, without the prefix and
 * cut at CB_LAST_ERROR_BYTES; also if messages are suppressed. Empty: none. It is valid until the
 * next error. */
const char *cb_last_error(void);

/* The same, but NULL if this function has already returned it. */
const char *cb_new_error(void);

/* Replace control characters of a text of `length` bytes, which may quote a file, and bytes that
 * are not UTF-8: they must neither break the line nor reach the terminal. */
void cb_make_printable(char *text, size_t length);

#define cb_error(...) cb_log(CB_LOG_ERROR, __VA_ARGS__)
#define cb_warning(...) cb_log(CB_LOG_WARNING, __VA_ARGS__)
#define cb_note(...) cb_log(CB_LOG_NOTE, __VA_ARGS__)

/* Standard streams */

/* Open /dev/null in a mode that fails with EBADF on every closed standard descriptor. Otherwise the
 * next file or connection would get its number and receive the program's output. Call this first in
 * main. */
void cb_streams_hold_closed(void);

/* From here on standard output is for results: what libraries print there (logs,
 * settings) goes to standard error. Call this before they start. */
void cb_streams_keep_output(void);

/* The stream of results: standard output, or what it was before cb_streams_keep_output. */
FILE *cb_streams_output(void);

/* Flush a stream of standard output. CB_ERROR_SYSTEM, logged, if something was not written; `what`
 * names it, and `instead` what else the user may do: ", or name one with --output". */
cb_status cb_streams_flush(FILE *stream, const char *what, const char *instead);

/* Wait until everything written to the pipe `descriptor` has been read, for at most `timeout_ns`.
 * Returns false if bytes remain unread; true at once if it is not a pipe or the reader is gone. */
bool cb_streams_await_reader(int descriptor, uint64_t timeout_ns);

/* The same for standard output and error, for at most 2 s each. Call it before MPI_Abort: MPICH's
 * launcher exits as soon as it learns of an abort and loses what it has not read by then. */
void cb_streams_drain(void);

#endif
