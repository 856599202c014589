/* Replace a file as a whole: temporary name in the same directory, fsync, rename. A process that is
 * killed meanwhile leaves the last complete document. */
#include "base/output.h"

#include <errno.h>
#include <limits.h>
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

static cb_status write_error(const char *path, const cb_output_use *use, int cause)
{
    cb_error("cannot write %s to '%s': %s; %s, or name another file with %s", use->what, path,
             strerror(cause), remedy(cause), use->option);
    return CB_ERROR_SYSTEM;
}

/* The directory of a path; the caller frees it. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Links */

static char *refuse(const char *path, const cb_output_use *use, const char *why)
{
    cb_error("cannot write %s to '%s': %s; name a file with %s%s", use->what, path, why,
             use->option, use->instead != NULL ? use->instead : "");
    return NULL;
}

/* Whether another user may have put this entry there to be followed or filled: it is in a sticky
 * folder where all may write, and neither this process's user nor the folder's owner owns it. */
static bool is_planted(const char *path, const struct stat *entry)
{
    const mode_t shared = S_ISVTX | S_IWOTH;
    char *folder = folder_of(path);
    struct stat status;
    const bool known = folder != NULL && stat(folder, &status) == 0;

    free(folder);
    return !known || ((status.st_mode & shared) == shared && entry->st_uid != geteuid() &&
                      entry->st_uid != status.st_uid);
}

/* Where a link leads, relative to what `path` is relative to; NULL with errno set. */
static char *follow(const char *path)
{
    char leads[PATH_MAX], *folder, *target = NULL;
    const ssize_t length = readlink(path, leads, sizeof(leads) - 1);

    if (length < 0)
        return NULL;
    leads[length] = '\0';
    if (leads[0] == '/')
        return strdup(leads);
    folder = folder_of(path);
    if (folder != NULL && asprintf(&target, "%s/%s", folder, leads) < 0)
        target = NULL;
    free(folder);
    return target;
}

char *cb_output_target(const char *path, const cb_output_use *use)
{
    enum { LINKS_MOST = 40 }; /* as the kernel */
    char *target = strdup(path);

    for (int links = 0; target != NULL; links++) {
        struct stat status;
        char *next = NULL;

        errno = ENOENT;
        if (*path == '\0' || lstat(target, &status) != 0) {
            if (*path != '\0' && (errno == ENOENT || errno == ENOTDIR))
                return target; /* a new file; a missing directory is found when it is written */
        } else if (is_planted(target, &status)) {
            free(target);
            return refuse(path, use, "it belongs to another user, in a folder where all may write");
        } else if (S_ISREG(status.st_mode)) {
            return target;
        } else if (!S_ISLNK(status.st_mode)) {
            free(target);
            return refuse(path, use, "it is no regular file and cannot be replaced");
        } else if (links == LINKS_MOST) {
            errno = ELOOP;
        } else {
            next = follow(target);
        }
        if (next == NULL)
            write_error(path, use, errno);
        free(target);
        target = next;
    }
    return target;
}

bool cb_output_is_same(const char *one, const char *other)
{
    struct stat first, second;
    char *folders[2];
    bool same;

    if (stat(one, &first) == 0)
        return stat(other, &second) == 0 && first.st_dev == second.st_dev &&
               first.st_ino == second.st_ino;
    folders[0] = folder_of(one);
    folders[1] = folder_of(other);
    same = folders[0] != NULL && folders[1] != NULL && stat(folders[0], &first) == 0 &&
           stat(folders[1], &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino && strcmp(name_of(one), name_of(other)) == 0;
    free(folders[0]);
    free(folders[1]);
    return same;
}

/* Replacing */

/* The permissions of the file that is replaced, or those of any new file. The group's are kept only
 * together with the group. */
static mode_t permissions(const char *target, int descriptor)
{
    struct stat old;
    mode_t mask;

    if (lstat(target, &old) == 0 && S_ISREG(old.st_mode)) {
        const mode_t mode = old.st_mode & 0777;

        return fchown(descriptor, (uid_t)-1, old.st_gid) == 0 ? mode
                                                              : mode & (0707 | (mode & 07) << 3);
    }
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* mkstemp makes a file that did not exist, readable by its owner only. */
static FILE *open_temporary(const char *target, char *name)
{
    const int descriptor = mkstemps(name, 4);
    FILE *stream;
    int cause;

    if (descriptor < 0)
        return NULL;
    stream =
        fchmod(descriptor, permissions(target, descriptor)) == 0 ? fdopen(descriptor, "w") : NULL;
    if (stream == NULL) {
        cause = errno;
        close(descriptor);
        unlink(name);
        errno = cause;
    }
    return stream;
}

cb_status cb_output_begin(const char *target, const cb_output_use *use, cb_output *out)
{
    char *folder = folder_of(target);
    int cause = ENOMEM;

    *out = (cb_output){.target = target, .use = use};
    if (folder != NULL && asprintf(&out->temporary, "%s/combench-XXXXXX.tmp", folder) >= 0) {
        out->stream = open_temporary(target, out->temporary);
        cause = errno;
    }
    free(folder);
    if (out->stream != NULL)
        return CB_OK;
    free(out->temporary);
    return write_error(target, use, cause);
}

cb_status cb_output_end(cb_output *output, bool keep)
{
    int cause = 0;

    if (ferror(output->stream))
        cause = errno != 0 ? errno : EIO;
    else if (keep && (fflush(output->stream) != 0 || fsync(fileno(output->stream)) != 0))
        cause = errno;
    if (fclose(output->stream) != 0 && cause == 0)
        cause = errno;
    if (keep && cause == 0 && rename(output->temporary, output->target) != 0)
        cause = errno;
    if (!keep || cause != 0)
        unlink(output->temporary);
    free(output->temporary);
    return !keep || cause == 0 ? CB_OK : write_error(output->target, output->use, cause);
}

cb_status cb_output_replace(const char *target, const cb_output_use *use,
                            void (*write)(FILE *stream, void *context), void *context)
{
    cb_output output;

    CB_TRY(cb_output_begin(target, use, &output));
    errno = 0;
    write(output.stream, context);
    return cb_output_end(&output, true);
}

cb_status cb_output_check(const char *target, const cb_output_use *use)
{
    cb_output output;

    CB_TRY(cb_output_begin(target, use, &output));
    return cb_output_end(&output, false);
}
