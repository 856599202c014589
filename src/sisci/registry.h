/* The registry of shared objects: named POSIX shared memory, mode 0600, each with a head that names
 * the owning process. Objects are created and removed under one lock per user, so that objects of
 * ended processes are reclaimed without a race.
 *
 * A name is /sisci-shm.UID.JOB.NODE.KIND.NUMBER[.PID.SERIAL], by which processes of a user and job
 * find each other. The number is that of the segment or interrupt (8 hexadecimal digits), or of the
 * process (decimal). */
#ifndef SISCI_REGISTRY_H
#define SISCI_REGISTRY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies a process uniquely: ids are reused, but not with the same start time. */
typedef struct {
    int64_t pid;
    uint64_t start_ticks;   /* since the host's boot */
    uint64_t pid_namespace; /* its inode; 0: unknown */
} sisci_process;

/* The calling process; start_ticks is 0 if /proc cannot be read. */
sisci_process sisci_process_self(void);

/* Whether a process runs. A zombie does not; a process of another pid namespace is invisible and
 * counts as running. About 20 us. */
bool sisci_process_alive(const sisci_process *process);

bool sisci_process_same(const sisci_process *one, const sisci_process *other);

enum {
    SISCI_NAME_BYTES = 192,     /* below NAME_MAX, including the final zero */
    SISCI_JOB_BYTES = 65,       /* of a job's name, including the final zero */
    SISCI_CONTROL_BYTES = 65536 /* offset of the data in an object, after its control block */
};

/* The letter of the kind in the name. */
typedef enum {
    SISCI_KIND_PROCESS = 'p',
    SISCI_KIND_SEGMENT = 's',
    SISCI_KIND_MEMBER = 'm', /* a segment that is a member of a multicast group */
    SISCI_KIND_GROUP = 'g',  /* memory shared by all members of a group */
    SISCI_KIND_PRIVATE = 'l',
    SISCI_KIND_INTERRUPT = 'i',
    SISCI_KIND_DATA_INTERRUPT = 'd'
} sisci_kind;

typedef struct {
    char text[SISCI_NAME_BYTES];
} sisci_name;

/* Whether it is a valid name of a job: 1 to 64 letters, digits, '_' and '-'. */
bool sisci_job_is_valid(const char *job);

/* The prefix of all names of this user. */
sisci_name sisci_name_user(void);

/* The beginning of all names of a job of this user. */
sisci_name sisci_name_job(const char *job);

/* The file whose lock serialises creation and removal. */
sisci_name sisci_name_lock(void);

/* The name of a SEGMENT, GROUP, INTERRUPT or DATA_INTERRUPT with that number. */
sisci_name sisci_name_numbered(const char *job, unsigned node, sisci_kind kind, unsigned number);

/* The name of a MEMBER or PRIVATE segment, of which several may have the same number; `serial` is
 * unique within the process. */
sisci_name sisci_name_of_process(const char *job, unsigned node, sisci_kind kind, unsigned number,
                                 const sisci_process *process, unsigned serial);

/* The prefix of the names of all members of a group. */
sisci_name sisci_name_members(const char *job, unsigned node, unsigned number);

/* The same, for the group whose memory has the name `group`. */
sisci_name sisci_name_members_of(const sisci_name *group);

/* The presence of a process, and the prefix of the names of all processes of a node. */
sisci_name sisci_name_process(const char *job, unsigned node, const sisci_process *process);
sisci_name sisci_name_processes(const char *job, unsigned node);

bool sisci_name_begins(const char *name, const sisci_name *beginning);

/* The kind in a full name; 0 for the lock and for other names. */
sisci_kind sisci_name_kind(const sisci_name *name);

typedef struct {
    sisci_name *names;
    size_t count;
} sisci_names;

/* All names with this prefix, sorted; false: out of memory, or /dev/shm cannot be read (see errno).
 */
bool sisci_names_list(const sisci_name *beginning, sisci_names *names);
void sisci_names_free(sisci_names *names);

/* Lock and unlock the registry; the calling process must not hold the lock. False: see errno. */
bool sisci_registry_lock(int *lock);
void sisci_registry_unlock(int lock);

/* Why sisci_registry_lock failed with this errno, and what to do: a clause for a message. */
void sisci_registry_explain(int error, char *text, size_t bytes);

typedef struct {
    _Atomic uint32_t ready; /* written last: the object is complete */
    uint32_t kind;
    sisci_process owner;
    uint64_t bytes;
} sisci_object_head;

/* An object opened by this process. */
typedef struct {
    sisci_name name;
    int file;                /* -1: not open */
    size_t bytes;            /* of the whole object */
    sisci_object_head *head; /* its control block, mapped */
} sisci_object;

typedef enum {
    SISCI_OBJECT_OK,
    SISCI_OBJECT_EXISTS,  /* an object of a running process has the name */
    SISCI_OBJECT_ABSENT,  /* no complete object has the name */
    SISCI_OBJECT_NO_ROOM, /* out of shared memory */
    SISCI_OBJECT_ENDING,  /* this process was abandoned and creates nothing more */
    SISCI_OBJECT_SYSTEM   /* see errno */
} sisci_object_status;

/* Create a zeroed object of `bytes`, allocate all its memory, and map its control block; an object
 * of an ended process is replaced. The registry is locked. The caller fills the control block and
 * publishes the object under the same lock. */
sisci_object_status sisci_object_create(const sisci_name *name, sisci_kind kind,
                                        const sisci_process *owner, size_t bytes,
                                        sisci_object *object);
void sisci_object_publish(sisci_object *object);

/* Open a published object, whether or not its owner runs. Needs no lock. */
sisci_object_status sisci_object_open(const sisci_name *name, sisci_object *object);

/* Map `size` bytes of its data from `offset`, both multiples of a page; NULL: see errno. `flags`
 * are added to MAP_SHARED, `where` is the requested address, both as in mmap(2). */
void *sisci_object_map(const sisci_object *object, size_t offset, size_t size, int protection,
                       int flags, void *where);

/* Close the file of an object whose data will not be mapped again, to save descriptors. */
void sisci_object_close_file(sisci_object *object);

/* Unmap the control block and close; may be repeated. The name stays. */
void sisci_object_close(sisci_object *object);

/* Remove a name. The registry is locked. */
void sisci_object_unlink(const sisci_name *name);

/* Whether the object of that name is unused: its owner has ended, it is incomplete, or it is the
 * memory of a group without members. The registry is locked. */
bool sisci_object_is_stale(const sisci_name *name);

/* Find the stale names of a list: first the presences of ended processes, whose number it returns
 * and which sets all of `stale`, then all others. If a process dies in between, its presence is
 * kept, so that the next search finds the objects that this one missed. The registry is locked. */
size_t sisci_objects_find_dead(const sisci_names *all, bool *stale);
void sisci_objects_find_stale(const sisci_names *all, bool *stale);

/* Remove the stale objects of this user if one of the user's processes was killed; returns their
 * number. Otherwise it costs one check per process. The registry is locked. */
size_t sisci_objects_sweep(void);

/* Remove the names of all objects of this process that begin so, without the lock; what is mapped
 * stays, and later creations fail. `owner` NULL: it has none so far. Async-signal-safe. */
void sisci_objects_abandon(const sisci_name *beginning, const sisci_process *owner);

/* A mutex in an object, for all processes that map it. False: out of resources. */
bool sisci_shared_mutex_initialise(pthread_mutex_t *mutex);

/* Lock, even if a process ended while it held the lock: every step of a change leaves the protected
 * data consistent. */
void sisci_shared_lock(pthread_mutex_t *mutex);
void sisci_shared_unlock(pthread_mutex_t *mutex);

#endif
