/* The library's thread: sleeps until the bell of this process rings, finds out what has happened to
 * its resources, and calls back. While there are other processes to watch it also looks after them
 * from time to time, since one that is killed rings no bell. */
#include "sisci/library.h"
#include "sisci/peer.h"

/* Call back for the first resource that has something; false: none has. The lists may be others
 * afterwards, so the search begins anew each time. */
static bool deliver_one(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (r->class->poll != NULL && !r->cancelled && r->class->poll(r)) {
                r->class->deliver(r);
                return true;
            }
    return false;
}

static void *run(void *unused)
{
    (void)unused;
    sisci_lock();
    while (!sisci_shm.stopping) {
        struct timespec until;
        const struct timespec *watch = NULL;

        if (deliver_one())
            continue;
        if (sisci_peers_exist())
            watch = sisci_deadline(SISCI_WATCH_MS, &until);
        sisci_unlock();
        sisci_presence_wait(watch);
        sisci_lock();
    }
    sisci_unlock();
    return NULL;
}

bool sisci_thread_start(void)
{
    sisci_shm.thread_runs = sisci_thread_create(&sisci_shm.thread, run);
    return sisci_shm.thread_runs;
}

void sisci_thread_stop(void)
{
    sisci_presence_ring();
    sisci_unlock();
    pthread_join(sisci_shm.thread, NULL);
    sisci_lock();
    sisci_shm.thread_runs = false; /* another thread may get its id */
}
