/* The text of a trace: a file is mapped and read once from front to end; if it cannot be mapped (a
 * pipe, standard input) it is read into memory. */
#include <ccmod/workload.h>

#include <stdbool.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16 };

typedef struct {
    char *text;
    size_t bytes, room;
    bool mapped;
} file_contents;

static bool map(int descriptor, file_contents *out)
{
    struct stat status;
    void *text;

    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return false;
    text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (text == MAP_FAILED)
        return false;
    (void)madvise(text, (size_t)status.st_size, MADV_SEQUENTIAL);
    *out = (file_contents){.text = text, .bytes = (size_t)status.st_size, .mapped = true};
    return true;
}

/* False with the cause in errno. */
static bool read_all(int descriptor, file_contents *out)
{
    ssize_t got;

    do {
        char *wider = out->text;

        if (out->room - out->bytes < CHUNK_BYTES) {
            out->room = 2 * out->room + CHUNK_BYTES;
            wider = realloc(out->text, out->room);
        }
        if (wider == NULL)
            return false;
        out->text = wider;
        got = read(descriptor, out->text + out->bytes, out->room - out->bytes);
        if (got > 0)
            out->bytes += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return got == 0;
}

static ccmod_status refuse(const char *path, int cause, ccmod_error *error)
{
    return ccmod_fail(error, cause == ENOMEM ? CCMOD_ERROR_MEMORY : CCMOD_ERROR_SYSTEM, NULL, 0,
                      "cannot read the trace '%.200s': %s; name a file that can be read, or - for "
                      "standard input",
                      path, strerror(cause));
}

ccmod_status ccmod_trace_open(const char *path, ccmod_trace **out, ccmod_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    file_contents contents = {0};
    ccmod_status status;

    if (descriptor < 0)
        return refuse(path, errno, error);
    if (map(descriptor, &contents) || read_all(descriptor, &contents))
        status = ccmod_trace_parse(standard ? "standard input" : path, contents.text,
                                   contents.bytes, out, error);
    else
        status = refuse(path, errno, error);
    if (contents.mapped)
        munmap(contents.text, contents.bytes);
    else
        free(contents.text);
    if (!standard)
        close(descriptor);
    return status;
}
