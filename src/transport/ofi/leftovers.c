/* What would outlast a process that ends without closing: the files of the provider shm in
 * /dev/shm, one for each rank. Their names are ours, so that a signal handler can remove them, and
 * any rank those of another that was killed. */
#include "transport/ofi/internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FACTORIES_MOST = 16, PATH_BYTES = 64, DIGITS_MOST = 10 };

/* Of the open factories of this process. A row is free while its path is empty. */
static struct {
    int ranks;
    char path[PATH_BYTES]; /* without the rank, which follows */
} all[FACTORIES_MOST];

static atomic_bool abandoned;

/* Async-signal-safe. */
static void remove_file(const char *path, int rank)
{
    char name[PATH_BYTES + DIGITS_MOST], digits[DIGITS_MOST];
    size_t length = strlen(path), count = 0;

    memcpy(name, path, length);
    do {
        digits[count++] = (char)('0' + rank % 10);
        rank /= 10;
    } while (rank > 0);
    while (count > 0)
        name[length++] = digits[--count];
    name[length] = '\0';
    (void)unlink(name);
}

static size_t row_of(const char *name)
{
    char path[PATH_BYTES];
    size_t i = 0;

    snprintf(path, sizeof(path), "/dev/shm/%s", name);
    while (i < FACTORIES_MOST && strcmp(all[i].path, path) != 0)
        i++;
    return i;
}

bool ofi_leftovers_add(const char *name, int ranks)
{
    for (size_t i = 0; i < FACTORIES_MOST; i++)
        if (all[i].path[0] == '\0') {
            all[i].ranks = ranks;
            snprintf(all[i].path, sizeof(all[i].path), "/dev/shm/%s", name);
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

void ofi_leftovers_of(const char *name, int rank)
{
    const size_t row = row_of(name);

    if (row < FACTORIES_MOST)
        remove_file(all[row].path, rank);
}

void ofi_leftovers_drop(const char *name)
{
    const size_t row = row_of(name);

    if (row < FACTORIES_MOST)
        all[row].path[0] = '\0';
}

/* Async-signal-safe: a path is either complete or names no file yet. The job ends with this
 * process, and one that was killed cannot remove its own file. */
void ofi_abandon(void)
{
    atomic_store(&abandoned, true);
    for (size_t i = 0; i < FACTORIES_MOST; i++)
        for (int rank = 0; all[i].path[0] != '\0' && rank < all[i].ranks; rank++)
            remove_file(all[i].path, rank);
}
