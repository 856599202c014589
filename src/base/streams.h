/* The standard streams towards whoever started the program: a launcher that reads them when it can,
 * or a shell that has closed some. */
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

/* Give each standard descriptor that is closed to something that refuses what is written to or read
 * from it, by EBADF. Else the next file or connection would get its number, and what goes to
 * standard output or error would end up in there. To be called first of all. */
void cb_streams_hold_closed(void);

/* Wait until all that was written to `descriptor`, a pipe, has been read, or `patience_ns` are
 * over. False where something is left. True at once where it is no pipe, or its reader has gone. */
bool cb_streams_await_reader(int descriptor, uint64_t patience_ns);

#endif
