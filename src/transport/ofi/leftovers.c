/* What would outlast a process that ends without closing: the files of the provider shm in
 * /dev/shm. Their names are ours, so that a signal handler can remove them. */
#include "transport/ofi/internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MOST = 16, PATH_BYTES = 64 };

/* Of the open factories of this process. A row is free while its path is empty. */
static char paths[FILES_MOST][PATH_BYTES];
static atomic_bool abandoned;

bool ofi_leftovers_add(const char *name)
{
    for (size_t i = 0; i < FILES_MOST; i++)
        if (paths[i][0] == '\0') {
            snprintf(paths[i], sizeof(paths[i]), "/dev/shm/%s", name);
            return true;
        }
    return false;
}

/* A signal may have come before the file was made. */
void ofi_leftovers_made(void)
{
    if (atomic_load(&abandoned))
        ofi_abandon();
}

void ofi_leftovers_drop(const char *name)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "/dev/shm/%s", name);
    for (size_t i = 0; i < FILES_MOST; i++)
        if (strcmp(paths[i], path) == 0)
            paths[i][0] = '\0';
}

/* Async-signal-safe: a path is either complete or names no file yet. */
void ofi_abandon(void)
{
    atomic_store(&abandoned, true);
    for (size_t i = 0; i < FILES_MOST; i++)
        if (paths[i][0] != '\0')
            (void)unlink(paths[i]);
}
