/* Robust mutexes that processes share. */
#include "sisci/shared.h"

#include <errno.h>

bool sisci_shared_mutex_initialise(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    bool done;

    if (pthread_mutexattr_init(&attributes) != 0)
        return false;
    done = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
           pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
           pthread_mutex_init(mutex, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return done;
}

void sisci_shared_lock(pthread_mutex_t *mutex)
{
    if (pthread_mutex_lock(mutex) == EOWNERDEAD)
        pthread_mutex_consistent(mutex);
}

void sisci_shared_unlock(pthread_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
}
