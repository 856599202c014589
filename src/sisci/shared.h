/* Locks in shared memory, which outlive the processes that hold them. */
#ifndef SISCI_SHARED_H
#define SISCI_SHARED_H

#include <pthread.h>
#include <stdbool.h>

/* False: out of resources. */
bool sisci_shared_mutex_initialise(pthread_mutex_t *mutex);

/* Lock, whether or not a process has ended while it held the lock: what is protected is changed in
 * steps of which each leaves it consistent. */
void sisci_shared_lock(pthread_mutex_t *mutex);
void sisci_shared_unlock(pthread_mutex_t *mutex);

#endif
