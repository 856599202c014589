/* The registry of shared objects: named pieces of POSIX shared memory, mode 0600, each with a head
 * that says whose it is. Creation and removal happen under one lock for each user, so that an
 * object whose owner has ended can be reclaimed without a race. */
#ifndef SISCI_OBJECTS_H
#define SISCI_OBJECTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sisci/names.h"
#include "sisci/process.h"

/* The data of an object starts there; less is its control block. */
enum { SISCI_CONTROL_BYTES = 65536 };

typedef struct {
    _Atomic uint32_t ready; /* written last: the object is complete */
    uint32_t kind;
    sisci_process owner;
    uint64_t bytes;
} sisci_object_head;

/* An object that is open in this process. */
typedef struct {
    sisci_name name;
    int file;                /* -1: not open */
    size_t bytes;            /* of the whole object */
    sisci_object_head *head; /* its control block, mapped */
} sisci_object;

typedef enum {
    SISCI_OBJECT_OK,
    SISCI_OBJECT_EXISTS,  /* one of a live process has the name */
    SISCI_OBJECT_ABSENT,  /* there is none, or none that is complete */
    SISCI_OBJECT_NO_ROOM, /* of shared memory */
    SISCI_OBJECT_SYSTEM   /* see errno */
} sisci_object_status;

/* Lock and unlock the registry; the calling process must not hold it already. False: see errno. */
bool sisci_registry_lock(int *lock);
void sisci_registry_unlock(int lock);

/* Create a zeroed object of `bytes`, all of it placed in memory by this call, and map its control
 * block; one whose owner has ended is replaced. The registry is locked. The caller fills the
 * control block and then publishes it, under the same lock. */
sisci_object_status sisci_object_create(const sisci_name *name, sisci_kind kind,
                                        const sisci_process *owner, size_t bytes,
                                        sisci_object *object);
void sisci_object_publish(sisci_object *object);

/* Open a published object, whether or not its owner lives. Needs no lock. */
sisci_object_status sisci_object_open(const sisci_name *name, sisci_object *object);

/* Map `size` bytes of its data from `offset`, both multiples of a page; NULL: see errno. `flags`
 * are those of mmap(2) beside MAP_SHARED, `where` the address it is for. */
void *sisci_object_map(const sisci_object *object, size_t offset, size_t size, int protection,
                       int flags, void *where);

/* Close the file of an object whose data are not mapped any more, to save descriptors. */
void sisci_object_close_file(sisci_object *object);

/* Unmap the control block and close; idempotent. The name stays. */
void sisci_object_close(sisci_object *object);

/* Remove a name. The registry is locked. */
void sisci_object_unlink(const sisci_name *name);

typedef struct {
    sisci_name *names;
    size_t count;
} sisci_names;

/* All names that begin so, sorted; false: out of memory, or /dev/shm cannot be read (see errno). */
bool sisci_names_list(const sisci_name *beginning, sisci_names *names);
void sisci_names_free(sisci_names *names);

/* Whether the object of that name serves nobody: its owner has ended, it was left half made, or it
 * is the memory of a group without members. The registry is locked. */
bool sisci_object_is_stale(const sisci_name *name);

/* Find the stale ones of a list: first the presences of processes that have ended, which gives how
 * many and sets all of `stale`, then all others. In this order one who dies meanwhile keeps his
 * presence, so that what of his was looked at before is found by the next. The registry is locked.
 */
size_t sisci_objects_find_dead(const sisci_names *all, bool *stale);
void sisci_objects_find_stale(const sisci_names *all, bool *stale);

/* Remove the stale objects of this user, if a process of this user was killed; gives how many. With
 * nobody killed it costs a look at each process. The registry is locked. */
size_t sisci_objects_sweep(void);

#endif
