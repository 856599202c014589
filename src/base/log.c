/* Messages to stderr, and handling of closed standard streams. A message is formatted on the stack
 * and written with one write(2): no stdio buffer is shared, and a pipe takes up to PIPE_BUF bytes
 * atomically. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static cb_log_identity of_process = {.program = "combench", .rank = -1};
static _Thread_local cb_log_error of_thread;
static _Thread_local cb_log_context *selected; /* in their place, or NULL */

static cb_log_identity *current_identity(void)
{
    return selected != NULL ? &selected->identity : &of_process;
}

static cb_log_error *current_error(void)
{
    return selected != NULL ? &selected->error : &of_thread;
}

static const char *const level_names[] = {
    [CB_LOG_ERROR] = "error",
    [CB_LOG_WARNING] = "warning",
    [CB_LOG_NOTE] = "note",
};

/* Number of bytes of `room` that snprintf filled when it returned `wanted`. */
static size_t filled(int wanted, size_t room)
{
    if (wanted < 0)
        return 0;
    return (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static size_t put_prefix(const cb_log_identity *who, cb_log_level level, char *line, size_t room)
{
    const char *name = level_names[level];
    int wanted;

    if (who->rank < 0)
        wanted = snprintf(line, room, "%s: %s: ", who->program, name);
    else
        wanted = snprintf(line, room, "%s: rank %d: %s: ", who->program, who->rank, name);
    return filled(wanted, room);
}

/* The bytes of a character in UTF-8, at most `room`, and its code; 0: it is none. */
static size_t decode(const unsigned char *text, size_t room, uint32_t *code)
{
    const unsigned char lead = text[0];
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t found = bytes == 1 ? lead : lead & (0x7fU >> bytes);

    if (bytes > room || (lead >= 0x80 && lead < 0xc2) || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        found = found << 6 | (text[i] & 0x3fU);
    }
    *code = found;
    return bytes;
}

/* C0, DEL, C1, and what ends a line or changes the direction of text. */
static bool is_control(uint32_t code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void cb_make_printable(char *text, size_t length)
{
    size_t bytes;

    for (size_t i = 0; i < length; i += bytes) {
        uint32_t code = 0;

        bytes = decode((const unsigned char *)text + i, length - i, &code);
        if (code == '\n' || code == '\t')
            text[i] = ' ';
        else if (bytes == 0 || is_control(code))
            memset(text + i, '?', bytes = bytes > 0 ? bytes : 1);
    }
}

void cb_log_context_begin(cb_log_context *out)
{
    *out = (cb_log_context){.identity = of_process};
}

cb_log_context *cb_log_select(cb_log_context *context)
{
    cb_log_context *before = selected;

    selected = context;
    return before;
}

void cb_log_identify(const char *program, int rank)
{
    cb_log_identity *who = current_identity();

    who->program = program;
    who->rank = rank;
}

void cb_log_silence(int silent)
{
    current_identity()->silent = silent;
}

__attribute__((format(printf, 1, 0))) static void keep_error(const char *format, va_list arguments)
{
    cb_log_error *error = current_error();
    const int wanted = vsnprintf(error->text, sizeof(error->text), format, arguments);

    cb_make_printable(error->text, filled(wanted, sizeof(error->text)));
    error->is_new = true;
}

const char *cb_last_error(void)
{
    return current_error()->text;
}

const char *cb_new_error(void)
{
    cb_log_error *error = current_error();
    const bool is_new = error->is_new;

    error->is_new = false;
    return is_new ? error->text : NULL;
}

void cb_log(cb_log_level level, const char *format, ...)
{
    const cb_log_identity *who = current_identity();
    char line[PIPE_BUF];
    const size_t room = sizeof(line) - 1; /* the last byte is kept for the newline */
    int saved_errno = errno;
    va_list arguments;
    size_t length;
    ssize_t written;
    int wanted;

    if (level == CB_LOG_ERROR) {
        va_start(arguments, format);
        keep_error(format, arguments);
        va_end(arguments);
        errno = saved_errno;
    }
    if (who->silent)
        return;
    length = put_prefix(who, level, line, room);
    va_start(arguments, format);
    wanted = vsnprintf(line + length, room - length, format, arguments);
    va_end(arguments);
    length += filled(wanted, room - length);
    if (length == room - 1)
        memcpy(line + length - 3, "...", 3);
    cb_make_printable(line, length);
    line[length] = '\n';
    /* a failure cannot be reported if stderr is gone */
    do
        written = write(STDERR_FILENO, line, length + 1);
    while (written < 0 && errno == EINTR);
    errno = saved_errno;
}

/* open returns the lowest free descriptor; all lower ones are in use by then */
void cb_streams_hold_closed(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static FILE *kept_output;

void cb_streams_keep_output(void)
{
    const int kept = fflush(stdout) == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;

    if (kept_output != NULL || kept < 0 || (kept_output = fdopen(kept, "w")) == NULL) {
        if (kept >= 0)
            close(kept);
        return; /* a closed standard output fails when it is written to */
    }
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

FILE *cb_streams_output(void)
{
    return kept_output != NULL ? kept_output : stdout;
}

cb_status cb_streams_flush(FILE *stream, const char *what, const char *instead)
{
    const int earlier = errno; /* of the write that failed, if fflush finds nothing more to write */
    int cause;

    if (fflush(stream) == 0 && !ferror(stream))
        return CB_OK;
    cause = errno != 0 ? errno : earlier != 0 ? earlier : EIO;
    cb_error("cannot write %s to standard output: %s; %s%s", what,
             cause == EBADF ? "it is closed" : strerror(cause),
             cause == ENOSPC || cause == EDQUOT
                 ? "free some space there, or redirect it to another file"
                 : "redirect it to a file",
             instead);
    return CB_ERROR_SYSTEM;
}

static bool has_reader(int descriptor)
{
    struct pollfd end = {.fd = descriptor};

    return poll(&end, 1, 0) == 0 || (end.revents & POLLERR) == 0;
}

/* On Linux, either end of a pipe reports the number of unread bytes. */
static bool has_unread(int descriptor)
{
    int unread = 0;

    return ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0;
}

bool cb_streams_await_reader(int descriptor, uint64_t timeout_ns)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const uint64_t begin_ns = cb_machine_ns();
    struct stat status;

    if (fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))
        return true;
    while (has_unread(descriptor) && has_reader(descriptor)) {
        if (cb_machine_ns() - begin_ns >= timeout_ns)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void cb_streams_drain(void)
{
    const uint64_t timeout_ns = 2000000000;

    (void)cb_streams_await_reader(fileno(cb_streams_output()), timeout_ns);
    (void)cb_streams_await_reader(STDERR_FILENO, timeout_ns);
}
