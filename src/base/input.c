/* Files that are read. The copy of a pipe is in a memfd, so that it can be mapped like a file. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16 };

static int fail(int cause, char *why)
{
    snprintf(why, CB_INPUT_WHY_BYTES, "%s", strerror(cause));
    errno = cause;
    return -1;
}

static int fail_largest(uint64_t largest_bytes, char *why)
{
    snprintf(why, CB_INPUT_WHY_BYTES,
             "it is a pipe that gave more than %" PRIu64 " MiB, which only a file may have",
             largest_bytes >> 20);
    errno = EFBIG;
    return -1;
}

static bool write_all(int descriptor, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(descriptor, data, bytes);

        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            data += written;
            bytes -= (size_t)written;
        }
    }
    return true;
}

/* All that `from` gives, into an empty file; 0 or -1. */
static int copy(int from, int to, uint64_t largest_bytes, char *why)
{
    char chunk[CHUNK_BYTES];
    uint64_t bytes = 0;
    ssize_t got;

    while ((got = read(from, chunk, sizeof(chunk))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(errno, why);
        bytes += (uint64_t)got;
        if (bytes > largest_bytes)
            return fail_largest(largest_bytes, why);
        if (!write_all(to, chunk, (size_t)got))
            return fail(errno, why);
    }
    return lseek(to, 0, SEEK_SET) == 0 ? 0 : fail(errno, why);
}

size_t cb_input_mark_bytes(const char *text, size_t bytes)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};

    return bytes >= sizeof(mark) && memcmp(text, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

/* Where the text begins. Of a directory, which has no text, reading fails later. */
static off_t begin_of_text(int descriptor)
{
    char first[4];
    const ssize_t got = pread(descriptor, first, sizeof(first), 0);

    return got > 0 ? (off_t)cb_input_mark_bytes(first, (size_t)got) : 0;
}

static int at_text(int descriptor)
{
    if (lseek(descriptor, 0, SEEK_CUR) == 0)
        (void)lseek(descriptor, begin_of_text(descriptor), SEEK_SET);
    return descriptor;
}

void cb_input_rewind(FILE *stream)
{
    rewind(stream);
    (void)fseek(stream, begin_of_text(fileno(stream)), SEEK_SET);
}

int cb_input_of(int descriptor, uint64_t largest_bytes, char *why)
{
    struct stat status;
    int input, cause;

    if (fstat(descriptor, &status) != 0)
        return fail(errno, why);
    if (S_ISREG(status.st_mode))
        input = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    else
        input = memfd_create("input", MFD_CLOEXEC);
    if (input < 0)
        return fail(errno, why);
    if (S_ISREG(status.st_mode) || copy(descriptor, input, largest_bytes, why) == 0)
        return at_text(input);
    cause = errno;
    close(input);
    errno = cause;
    return -1;
}

int cb_input_open(const char *path, uint64_t largest_bytes, char *why)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    int input, cause;

    if (descriptor < 0)
        return fail(errno, why);
    if (fstat(descriptor, &status) != 0) {
        (void)fail(errno, why);
        cause = errno;
        close(descriptor);
        errno = cause;
        return -1;
    }
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return at_text(descriptor);
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
        close(descriptor);
        snprintf(why, CB_INPUT_WHY_BYTES, "it is a device");
        errno = EINVAL;
        return -1;
    }
    input = cb_input_of(descriptor, largest_bytes, why);
    cause = errno;
    close(descriptor);
    errno = cause;
    return input;
}

FILE *cb_input_stream(const char *path, uint64_t largest_bytes, char *why)
{
    const int descriptor = cb_input_open(path, largest_bytes, why);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

    if (descriptor >= 0 && stream == NULL) {
        (void)fail(errno, why);
        close(descriptor);
    }
    return stream;
}
