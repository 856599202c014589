/* Presences and peers. The end of a process is detected in /proc, which costs about 20 us; so the
 * first process that checks after SISCI_WATCH_MS writes the result into the presence, where all
 * others read it. */
#include "sisci/peer.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>

typedef struct {
    sisci_object_head head;
    sem_t bell;
    _Atomic uint64_t looked_ns; /* CLOCK_MONOTONIC, of the last check */
    _Atomic uint32_t ended;
    _Atomic uint32_t removed; /* no thread waits for the bell any more; the process may still run */
} presence;

struct sisci_peer {
    sisci_peer *next;
    sisci_object object;
    presence *presence;
    unsigned references;
};

static sisci_object own = {.file = -1};
static sisci_peer *peers;
static sisci_peer
    *volatile inherited; /* the parent's, after fork(): kept reachable for leak checkers */

static presence *presence_of(const sisci_object *object)
{
    return (presence *)object->head;
}

sisci_object_status sisci_presence_create(const char *job, unsigned node, const sisci_process *self)
{
    sisci_name name = sisci_name_process(job, node, self);
    sisci_object_status status =
        sisci_object_create(&name, SISCI_KIND_PROCESS, self, sizeof(presence), &own);

    if (status != SISCI_OBJECT_OK)
        return status;
    sem_init(&presence_of(&own)->bell, 1, 0);
    sisci_object_publish(&own);
    sisci_object_close_file(&own);
    return SISCI_OBJECT_OK;
}

void sisci_presence_withdraw(void)
{
    atomic_store(&presence_of(&own)->removed, 1);
    sisci_object_unlink(&own.name);
}

void sisci_presence_close(void)
{
    sisci_object_close(&own);
}

/* Several rings before the thread waits count as one. */
void sisci_presence_wait(const struct timespec *until)
{
    sem_t *bell = &presence_of(&own)->bell;
    int outcome;

    do
        outcome = until != NULL ? sem_clockwait(bell, CLOCK_MONOTONIC, until) : sem_wait(bell);
    while (outcome != 0 && errno == EINTR);
    while (sem_trywait(bell) == 0)
        continue;
}

static void ring(presence *whose)
{
    sem_post(&whose->bell); /* fails only when 2^31 rings are pending */
}

void sisci_presence_ring(void)
{
    ring(presence_of(&own));
}

bool sisci_node_exists(const char *job, unsigned node)
{
    sisci_name beginning = sisci_name_processes(job, node);
    sisci_names present;
    bool found = false;

    if (!sisci_names_list(&beginning, &present))
        return false;
    for (size_t i = 0; i < present.count && !found; i++) {
        sisci_object object;

        if (sisci_object_open(&present.names[i], &object) == SISCI_OBJECT_OK) {
            found = sisci_process_alive(&object.head->owner);
            sisci_object_close(&object);
        }
    }
    sisci_names_free(&present);
    return found;
}

/* The presence of a process; NULL: absent, or it belongs to another process with that id. */
static sisci_peer *open_peer(const sisci_name *name, const sisci_process *process)
{
    sisci_peer *peer = calloc(1, sizeof(*peer));

    if (peer == NULL)
        return NULL;
    if (sisci_object_open(name, &peer->object) != SISCI_OBJECT_OK) {
        free(peer);
        return NULL;
    }
    if (!sisci_process_same(&peer->object.head->owner, process)) {
        sisci_object_close(&peer->object);
        free(peer);
        return NULL;
    }
    sisci_object_close_file(&peer->object);
    peer->presence = presence_of(&peer->object);
    peer->next = peers;
    peers = peer;
    return peer;
}

sisci_peer *sisci_peer_acquire(const char *job, unsigned node, const sisci_process *process)
{
    sisci_name name = sisci_name_process(job, node, process);
    sisci_peer *peer = peers;

    while (peer != NULL && (atomic_load(&peer->presence->removed) ||
                            !sisci_process_same(&peer->object.head->owner, process)))
        peer = peer->next;
    if (peer == NULL)
        peer = open_peer(&name, process);
    if (peer != NULL)
        peer->references++;
    return peer;
}

void sisci_peer_release(sisci_peer *peer)
{
    if (peer == NULL || --peer->references > 0)
        return;
    for (sisci_peer **link = &peers; *link != NULL; link = &(*link)->next)
        if (*link == peer) {
            *link = peer->next;
            break;
        }
    sisci_object_close(&peer->object);
    free(peer);
}

bool sisci_peer_has_ended(sisci_peer *peer)
{
    presence *shared = peer->presence;
    struct timespec time;
    uint64_t now, looked;

    if (atomic_load_explicit(&shared->ended, memory_order_relaxed))
        return true;
    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    looked = atomic_load_explicit(&shared->looked_ns, memory_order_relaxed);
    if (now - looked < SISCI_WATCH_MS * UINT64_C(1000000) ||
        !atomic_compare_exchange_strong(&shared->looked_ns, &looked, now))
        return false;
    if (sisci_process_alive(&shared->head.owner))
        return false;
    atomic_store(&shared->ended, 1);
    return true;
}

void sisci_peer_ring(sisci_peer *peer)
{
    ring(peer->presence);
}

bool sisci_peers_exist(void)
{
    return peers != NULL;
}

void sisci_peers_forget(void)
{
    inherited = peers;
    peers = NULL;
    own = (sisci_object){.file = -1};
}
