/* The text of a trace: a file, or the copy of a pipe, is mapped and read once from front to end. */
#include <ccmod/workload.h>

#include <stdbool.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"

typedef struct {
    char *text;
    size_t bytes;
} file_contents;

/* False with the cause in errno. */
static bool map(int descriptor, file_contents *out)
{
    struct stat status;
    void *text;

    if (fstat(descriptor, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (status.st_size <= 0)
        return true;
    text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (text == MAP_FAILED)
        return false;
    (void)madvise(text, (size_t)status.st_size, MADV_SEQUENTIAL);
    *out = (file_contents){.text = text, .bytes = (size_t)status.st_size};
    return true;
}

static ccmod_status report_file(const char *path, int cause, const char *why, ccmod_error *error)
{
    const bool is_unfit = cause == EINVAL || cause == EFBIG;

    return ccmod_fail(error,
                      is_unfit          ? CCMOD_ERROR_USAGE
                      : cause == ENOMEM ? CCMOD_ERROR_MEMORY
                                        : CCMOD_ERROR_SYSTEM,
                      NULL, 0,
                      "cannot read the trace '%.200s': %s; name a file that can be read, or - for "
                      "standard input",
                      path, why);
}

ccmod_status ccmod_trace_open(const char *path, ccmod_trace **out, ccmod_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    char why[CB_INPUT_WHY_BYTES];
    const int descriptor = standard ? cb_input_of(STDIN_FILENO, CB_INPUT_LARGEST_TRACE_BYTES, why)
                                    : cb_input_open(path, CB_INPUT_LARGEST_TRACE_BYTES, why);
    file_contents contents = {.text = NULL};
    ccmod_status status;

    if (descriptor < 0)
        return report_file(path, errno, why, error);
    if (map(descriptor, &contents))
        status = ccmod_trace_parse(standard ? "standard input" : path,
                                   contents.text != NULL ? contents.text : "", contents.bytes, out,
                                   error);
    else
        status = report_file(path, errno, strerror(errno), error);
    if (contents.text != NULL)
        munmap(contents.text, contents.bytes);
    close(descriptor);
    return status;
}
