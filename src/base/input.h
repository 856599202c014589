/* Files that are read: no devices, which may have no end, and of pipes no more than a limit. A byte
 * order mark (UTF-8), with which some editors begin a text, is skipped. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdint.h>
#include <stdio.h>

enum { CB_INPUT_WHY_BYTES = 160 };

/* Of a pipe; a file may be of any length. */
#define CB_INPUT_LARGEST_TRACE_BYTES (UINT64_C(1) << 30)
#define CB_INPUT_LARGEST_TABLE_BYTES (UINT64_C(64) << 20)

/* Open `path` for reading: a file as it is, and of a pipe a copy in memory of all that it gives, up
 * to `largest_bytes`. The descriptor is the caller's; -1 with errno set, and the cause in
 * `why` (of CB_INPUT_WHY_BYTES): EINVAL for a device, EFBIG for a pipe that gives more.
 */
int cb_input_open(const char *path, uint64_t largest_bytes, char *why);

/* As cb_input_open, of a descriptor that is open: standard input, which may be a terminal. What
 * comes back is another descriptor. */
int cb_input_of(int descriptor, uint64_t largest_bytes, char *why);

/* As cb_input_open, as a stream; NULL in place of -1. */
FILE *cb_input_stream(const char *path, uint64_t largest_bytes, char *why);

/* As rewind(3), to the text after a mark. */
void cb_input_rewind(FILE *stream);

/* The bytes of the mark at the beginning of a text that was read or mapped from its first byte. */
size_t cb_input_mark_bytes(const char *text, size_t bytes);

#endif
