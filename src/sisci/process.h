/* Which process an object belongs to, and whether it still runs. A process id is
 * used again; together with the time at which the process was started it is unique. */
#ifndef SISCI_PROCESS_H
#define SISCI_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t pid;
    uint64_t start_ticks;   /* since the host was started */
    uint64_t pid_namespace; /* its inode; 0: not known */
} sisci_process;

/* The calling process; start_ticks is 0 where /proc cannot be read. */
sisci_process sisci_process_self(void);

/* Whether a process runs. One that has ended and was not yet waited for does not; one of another
 * pid namespace cannot be seen and counts as running. About 20 us. */
bool sisci_process_alive(const sisci_process *process);

bool sisci_process_same(const sisci_process *one, const sisci_process *other);

#endif
