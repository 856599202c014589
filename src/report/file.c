/* Replace a file as a whole: temporary name in the same directory, fsync, rename. A process that is
 * killed meanwhile leaves the last complete document. */
#include "report/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static const char *remedy(int cause)
{
    static const struct {
        int cause;
        const char *text;
    } remedies[] = {
        {ENOSPC, "free some space on that file system"},
        {EDQUOT, "free some space within the quota"},
        {EFBIG, "raise the limit on the size of files (ulimit -f)"},
        {EACCES, "get write permission for its directory"},
        {EROFS, "remount the file system for writing"},
        {ENOENT, "make its directory first"},
        {ENOTDIR, "make its directory first"},
    };

    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (remedies[i].cause == cause)
            return remedies[i].text;
    }
    return "check that file system";
}

static cb_status report_write_error(const char *path, const report_file_use *use, int cause)
{
    cb_error("cannot write %s to '%s': %s; %s, or name another file with %s", use->what, path,
             strerror(cause), remedy(cause), use->option);
    return CB_ERROR_SYSTEM;
}

/* mkstemp makes the file readable by its owner only; a result gets the permissions of any new file.
 */
static FILE *open_temporary(char *name)
{
    mode_t mask = umask(0);
    FILE *stream;
    int descriptor, cause;

    umask(mask);
    descriptor = mkstemp(name);
    if (descriptor < 0)
        return NULL;
    stream = fchmod(descriptor, 0666 & ~mask) == 0 ? fdopen(descriptor, "w") : NULL;
    if (stream == NULL) {
        cause = errno;
        close(descriptor);
        unlink(name);
        errno = cause;
    }
    return stream;
}

/* Returns 0, or the errno of the first failure. `write` may leave a cause in errno, so it is
 * cleared before. */
static int fill(FILE *stream, void (*write)(FILE *stream, void *context), void *context)
{
    int cause = 0;

    errno = 0;
    write(stream, context);
    if (ferror(stream) || fflush(stream) != 0 || fsync(fileno(stream)) != 0)
        cause = errno != 0 ? errno : EIO;
    if (fclose(stream) != 0 && cause == 0)
        cause = errno;
    return cause;
}

cb_status report_file_replace(const char *path, const report_file_use *use,
                              void (*write)(FILE *stream, void *context), void *context)
{
    char *temporary = NULL;
    FILE *stream;
    int cause;

    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return report_write_error(path, use, ENOMEM);
    stream = open_temporary(temporary);
    if (stream == NULL) {
        cause = errno;
    } else {
        cause = fill(stream, write, context);
        if (cause == 0 && rename(temporary, path) != 0)
            cause = errno;
        if (cause != 0)
            unlink(temporary);
    }
    free(temporary);
    return cause == 0 ? CB_OK : report_write_error(path, use, cause);
}

cb_status report_file_check(const char *path, const report_file_use *use)
{
    char *temporary = NULL;
    FILE *stream;
    int cause;

    if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
        return report_write_error(path, use, ENOMEM);
    stream = open_temporary(temporary);
    cause = stream == NULL ? errno : 0;
    if (stream != NULL) {
        fclose(stream);
        unlink(temporary);
    }
    free(temporary);
    return cause == 0 ? CB_OK : report_write_error(path, use, cause);
}

char *report_file_target(const char *path, const report_file_use *use)
{
    struct stat status;
    char *target;

    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        cb_error("cannot write %s to '%s': it is no regular file and %s cannot replace "
                 "it; name a file with %s%s",
                 use->what, path, use->what, use->option, use->instead != NULL ? use->instead : "");
        return NULL;
    }
    target = realpath(path, NULL);
    if (target == NULL)
        target = strdup(path);
    if (target == NULL)
        report_write_error(path, use, ENOMEM);
    return target;
}
