/* Messages to stderr: "PROGRAM: [rank R: ]LEVEL: TEXT". stdout carries results alone.
 *
 * An error text says what was attempted, on what, the cause, and what to change. The identity
 * (program, rank) is process-wide and set once by main: an error must be reportable from any
 * depth without a context being handed down for it alone. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { CB_LOG_ERROR, CB_LOG_WARNING, CB_LOG_NOTE } cb_log_level;

/* Set the program's name (kept by reference) and the rank; a negative rank is not printed. */
void cb_log_identify(const char *program, int rank);

/* Suppress all messages of this process: a rank whose messages would only repeat the first's. */
void cb_log_silence(int silent);

/* One line; a newline is added. Written with one write(2), so that lines of ranks do not mix. */
void cb_log(cb_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define cb_error(...) cb_log(CB_LOG_ERROR, __VA_ARGS__)
#define cb_warning(...) cb_log(CB_LOG_WARNING, __VA_ARGS__)
#define cb_note(...) cb_log(CB_LOG_NOTE, __VA_ARGS__)

/* The standard streams towards what started the program: a launcher that reads them when it can, or
 * a shell that has closed some. */

/* Give each standard descriptor that is closed to something that refuses what is written to or read
 * from it, by EBADF. Else the next file or connection would get its number, and what goes to
 * standard output or error would end up in there. To be called first of all. */
void cb_streams_hold_closed(void);

/* Wait until all that was written to `descriptor`, a pipe, has been read, or `patience_ns` are
 * over. False where something is left. True at once where it is no pipe, or its reader has gone. */
bool cb_streams_await_reader(int descriptor, uint64_t patience_ns);

#endif
