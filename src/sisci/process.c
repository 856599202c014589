/* Processes as /proc shows them (proc(5)): /proc/PID/stat has the state, the number of threads and
 * the start time; the inode of /proc/self/ns/pid says which namespace an id belongs to. */
#include "sisci/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char state;
    long threads;
    uint64_t start_ticks;
} process_stat;

typedef enum { STAT_READ, STAT_ABSENT, STAT_UNREADABLE } stat_outcome;

static stat_outcome read_stat(int64_t pid, process_stat *found)
{
    char path[64], text[1024];
    const char *name_end;
    ssize_t length;
    int file;

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? STAT_ABSENT : STAT_UNREADABLE;
    length = read(file, text, sizeof(text) - 1);
    if (length < 0 && errno == ESRCH) { /* it ended after the open */
        close(file);
        return STAT_ABSENT;
    }
    close(file);
    if (length <= 0)
        return STAT_UNREADABLE;
    text[length] = '\0';
    /* The name of the program stands in parentheses and may contain any character, so the fields
     * are counted from the last closing one. */
    name_end = strrchr(text, ')');
    if (name_end == NULL ||
        sscanf(name_end + 1,
               " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %*s "
               "%" SCNu64,
               &found->state, &found->threads, &found->start_ticks) != 3)
        return STAT_UNREADABLE;
    return STAT_READ;
}

static uint64_t own_pid_namespace(void)
{
    struct stat status;

    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

sisci_process sisci_process_self(void)
{
    process_stat found = {0};
    int64_t pid = getpid();

    if (read_stat(pid, &found) != STAT_READ)
        found.start_ticks = 0;
    return (sisci_process){
        .pid = pid, .start_ticks = found.start_ticks, .pid_namespace = own_pid_namespace()};
}

bool sisci_process_alive(const sisci_process *process)
{
    uint64_t pid_namespace = own_pid_namespace();
    process_stat found;

    if (pid_namespace == 0 || process->pid_namespace != pid_namespace)
        return true;
    switch (read_stat(process->pid, &found)) {
    case STAT_ABSENT:
        return false;
    case STAT_UNREADABLE:
        return true;
    case STAT_READ:
        break;
    }
    if (found.start_ticks != process->start_ticks)
        return false;
    /* A first thread that has ended while others run looks like a process that has. */
    return (found.state != 'Z' && found.state != 'X') || found.threads > 1;
}

bool sisci_process_same(const sisci_process *one, const sisci_process *other)
{
    return one->pid == other->pid && one->start_ticks == other->start_ticks &&
           one->pid_namespace == other->pid_namespace;
}
