/* The registry of shared objects (shm_open(3)). POSIX cannot list them; on Linux they are the files
 * of /dev/shm. The lock is a record lock (fcntl), which is released when its process ends and is
 * not inherited by children. No part of a name contains a dot, so that a prefix that ends in a dot
 * matches whole parts only. */
#include "sisci/registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char folder[] = "/dev/shm";
static const uint32_t complete =
    0x53495331; /* a magic number; changes with the layout of any object */

/* Processes in /proc (proc(5)): /proc/PID/stat has the state, the number of threads and the start
 * time; the inode of /proc/self/ns/pid identifies the namespace of an id. */
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
    if (length < 0 && errno == ESRCH) { /* the process ended after the open */
        close(file);
        return STAT_ABSENT;
    }
    close(file);
    if (length <= 0)
        return STAT_UNREADABLE;
    text[length] = '\0';
    /* The program's name is in parentheses and may contain any character, so fields are counted
     * from the last closing one. */
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
    /* A process whose first thread has ended while others run looks like a zombie. */
    return (found.state != 'Z' && found.state != 'X') || found.threads > 1;
}

bool sisci_process_same(const sisci_process *one, const sisci_process *other)
{
    return one->pid == other->pid && one->start_ticks == other->start_ticks &&
           one->pid_namespace == other->pid_namespace;
}

__attribute__((format(printf, 1, 2))) static sisci_name name_format(const char *format, ...)
{
    sisci_name name;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name.text, sizeof(name.text), format, arguments);
    va_end(arguments);
    return name;
}

bool sisci_job_is_valid(const char *job)
{
    size_t length = strlen(job);

    return length > 0 && length < SISCI_JOB_BYTES &&
           strspn(job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

sisci_name sisci_name_user(void)
{
    return name_format("/sisci-shm.%lu.", (unsigned long)geteuid());
}

sisci_name sisci_name_job(const char *job)
{
    return name_format("%s%s.", sisci_name_user().text, job);
}

sisci_name sisci_name_lock(void)
{
    return name_format("%slock", sisci_name_user().text);
}

sisci_name sisci_name_numbered(const char *job, unsigned node, sisci_kind kind, unsigned number)
{
    return name_format("%s%s.%u.%c.%08x", sisci_name_user().text, job, node, (char)kind, number);
}

sisci_name sisci_name_of_process(const char *job, unsigned node, sisci_kind kind, unsigned number,
                                 const sisci_process *process, unsigned serial)
{
    return name_format("%s.%" PRId64 ".%u", sisci_name_numbered(job, node, kind, number).text,
                       process->pid, serial);
}

sisci_name sisci_name_members(const char *job, unsigned node, unsigned number)
{
    return name_format("%s.", sisci_name_numbered(job, node, SISCI_KIND_MEMBER, number).text);
}

sisci_name sisci_name_process(const char *job, unsigned node, const sisci_process *process)
{
    return name_format("%s%" PRId64, sisci_name_processes(job, node).text, process->pid);
}

sisci_name sisci_name_processes(const char *job, unsigned node)
{
    return name_format("%s%s.%u.%c.", sisci_name_user().text, job, node, (char)SISCI_KIND_PROCESS);
}

bool sisci_name_begins(const char *name, const sisci_name *beginning)
{
    return strncmp(name, beginning->text, strlen(beginning->text)) == 0;
}

/* The letter of the kind in a name, the third part after the user's prefix; NULL: not such a name.
 */
static const char *kind_of(const sisci_name *name)
{
    sisci_name user = sisci_name_user();
    const char *at = name->text;

    if (!sisci_name_begins(at, &user))
        return NULL;
    at += strlen(user.text);
    for (int part = 0; part < 2; part++) {
        at = strchr(at, '.');
        if (at == NULL)
            return NULL;
        at++;
    }
    return at[0] != '\0' && at[1] == '.' ? at : NULL;
}

sisci_kind sisci_name_kind(const sisci_name *name)
{
    const char *kind = kind_of(name);

    return kind != NULL && strchr("psmglid", *kind) != NULL ? (sisci_kind)*kind : (sisci_kind)0;
}

sisci_name sisci_name_members_of(const sisci_name *group)
{
    const char *kind = kind_of(group);

    if (kind == NULL)
        return name_format("%s", group->text);
    return name_format("%.*s%c%s.", (int)(kind - group->text), group->text, (char)SISCI_KIND_MEMBER,
                       kind + 1);
}

static int by_text(const void *one, const void *other)
{
    return strcmp(((const sisci_name *)one)->text, ((const sisci_name *)other)->text);
}

bool sisci_names_list(const sisci_name *beginning, sisci_names *names)
{
    DIR *files = opendir(folder);
    bool listed = files != NULL;

    *names = (sisci_names){0};
    while (listed) {
        struct dirent *entry = readdir(files);
        char text[sizeof(entry->d_name) + 1];
        sisci_name *grown;

        if (entry == NULL)
            break;
        snprintf(text, sizeof(text), "/%s", entry->d_name);
        if (strlen(text) >= SISCI_NAME_BYTES || !sisci_name_begins(text, beginning))
            continue;
        grown = realloc(names->names, (names->count + 1) * sizeof(*grown));
        listed = grown != NULL;
        if (listed) {
            names->names = grown;
            memcpy(grown[names->count++].text, text, strlen(text) + 1);
        }
    }
    if (files != NULL)
        closedir(files);
    if (!listed)
        sisci_names_free(names);
    else if (names->count > 0)
        qsort(names->names, names->count, sizeof(*names->names), by_text);
    return listed;
}

void sisci_names_free(sisci_names *names)
{
    free(names->names);
    *names = (sisci_names){0};
}

/* The lock file must belong to this user, since another user could hold the lock forever, and must
 * still have its name once it is locked: sisci-shm-clean may remove it while others wait. */
bool sisci_registry_lock(int *lock)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    sisci_name name = sisci_name_lock();

    for (;;) {
        int file = shm_open(name.text, O_RDWR | O_CREAT, 0600);
        struct stat status;
        int outcome;

        if (file < 0)
            return false;
        outcome = fstat(file, &status);
        if (outcome == 0 && status.st_uid != geteuid()) {
            errno = EACCES;
            outcome = -1;
        }
        if (outcome == 0)
            do
                outcome = fcntl(file, F_SETLKW, &whole);
            while (outcome != 0 && errno == EINTR);
        if (outcome != 0) {
            int error = errno;

            close(file);
            errno = error;
            return false;
        }
        if (fstat(file, &status) == 0 && status.st_nlink > 0) {
            *lock = file;
            return true;
        }
        close(file);
    }
}

void sisci_registry_unlock(int lock)
{
    close(lock);
}

void sisci_registry_explain(int error, char *text, size_t bytes)
{
    const sisci_name name = sisci_name_lock();
    char path[sizeof(folder) + SISCI_NAME_BYTES];
    struct stat status;
    int used;

    snprintf(path, sizeof(path), "%s%s", folder, name.text);
    used = snprintf(text, bytes, "cannot lock %s: %s", path, strerror(error));
    if (used < 0 || (size_t)used >= bytes)
        return;
    if (lstat(path, &status) != 0)
        snprintf(text + used, bytes - (size_t)used, "; make %s writable for this user", folder);
    else if (status.st_uid != geteuid())
        snprintf(text + used, bytes - (size_t)used,
                 "; it belongs to user %lu: remove it as that user or as root",
                 (unsigned long)status.st_uid);
    else
        snprintf(text + used, bytes - (size_t)used, "; %sremove it",
                 S_ISREG(status.st_mode) ? "" : "it is no regular file: ");
}

static sisci_object_status status_of(int error)
{
    switch (error) {
    case ENOENT:
        return SISCI_OBJECT_ABSENT;
    case EEXIST:
        return SISCI_OBJECT_EXISTS;
    case ENOSPC:
    case EFBIG:
    case ENOMEM:
        return SISCI_OBJECT_NO_ROOM;
    default:
        return SISCI_OBJECT_SYSTEM;
    }
}

static sisci_object_head *map_control(int file, size_t bytes)
{
    size_t length = bytes < SISCI_CONTROL_BYTES ? bytes : SISCI_CONTROL_BYTES;
    void *control = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return control != MAP_FAILED ? control : NULL;
}

/* Whether this process is ending: what it creates now would stay. */
static atomic_bool abandoned;

sisci_object_status sisci_object_create(const sisci_name *name, sisci_kind kind,
                                        const sisci_process *owner, size_t bytes,
                                        sisci_object *object)
{
    sisci_object_head *head = NULL;
    int file = shm_open(name->text, O_RDWR | O_CREAT | O_EXCL, 0600);
    int error;

    if (file < 0 && errno == EEXIST && sisci_object_is_stale(name)) {
        sisci_object_unlink(name);
        file = shm_open(name->text, O_RDWR | O_CREAT | O_EXCL, 0600);
    }
    *object = (sisci_object){.name = *name, .file = file, .bytes = bytes};
    if (file < 0)
        return status_of(errno);
    /* Unlike ftruncate, allocates the memory now: lack of memory is an error here instead of SIGBUS
     * at a later store, and the pages are local to the calling thread. */
    do
        error = posix_fallocate(file, 0, (off_t)bytes);
    while (error == EINTR);
    if (error == 0) {
        head = map_control(file, bytes);
        error = errno;
    }
    if (head == NULL) {
        sisci_object_unlink(name);
        sisci_object_close(object);
        errno = error;
        return status_of(error);
    }
    head->kind = kind;
    head->owner = *owner;
    head->bytes = bytes;
    object->head = head;
    /* The sweep of sisci_objects_abandon() did not see an object that had no owner then. */
    if (atomic_load(&abandoned)) {
        sisci_object_unlink(name);
        sisci_object_close(object);
        return SISCI_OBJECT_ENDING;
    }
    return SISCI_OBJECT_OK;
}

void sisci_object_publish(sisci_object *object)
{
    /* Pairs with the acquire in sisci_object_open. */
    atomic_store_explicit(&object->head->ready, complete, memory_order_release);
}

/* Open and map an object of this user, complete or not. */
static sisci_object_status open_any(const sisci_name *name, sisci_object *object)
{
    struct stat status;

    *object = (sisci_object){.name = *name, .file = shm_open(name->text, O_RDWR, 0)};
    if (object->file < 0)
        return status_of(errno);
    if (fstat(object->file, &status) != 0 || status.st_uid != geteuid() ||
        (size_t)status.st_size < sizeof(sisci_object_head)) {
        sisci_object_close(object);
        return SISCI_OBJECT_ABSENT;
    }
    object->bytes = (size_t)status.st_size;
    object->head = map_control(object->file, object->bytes);
    if (object->head == NULL) {
        int error = errno;

        sisci_object_close(object);
        errno = error;
        return SISCI_OBJECT_SYSTEM;
    }
    return SISCI_OBJECT_OK;
}

static uint32_t readiness(const sisci_object *object)
{
    return atomic_load_explicit(&object->head->ready, memory_order_acquire);
}

sisci_object_status sisci_object_open(const sisci_name *name, sisci_object *object)
{
    sisci_object_status status = open_any(name, object);

    if (status == SISCI_OBJECT_OK &&
        (readiness(object) != complete || object->head->bytes != object->bytes)) {
        sisci_object_close(object);
        return SISCI_OBJECT_ABSENT;
    }
    return status;
}

void *sisci_object_map(const sisci_object *object, size_t offset, size_t size, int protection,
                       int flags, void *where)
{
    void *memory = mmap(where, size, protection, MAP_SHARED | flags, object->file,
                        (off_t)(SISCI_CONTROL_BYTES + offset));

    return memory != MAP_FAILED ? memory : NULL;
}

void sisci_object_close_file(sisci_object *object)
{
    if (object->file >= 0)
        close(object->file);
    object->file = -1;
}

void sisci_object_close(sisci_object *object)
{
    if (object->head != NULL)
        munmap(object->head,
               object->bytes < SISCI_CONTROL_BYTES ? object->bytes : SISCI_CONTROL_BYTES);
    object->head = NULL;
    sisci_object_close_file(object);
}

void sisci_object_unlink(const sisci_name *name)
{
    shm_unlink(name->text);
}

static bool group_has_members(const sisci_name *group)
{
    sisci_name beginning = sisci_name_members_of(group);
    sisci_names members;
    bool found = false;

    if (!sisci_names_list(&beginning, &members))
        return true; /* unknown: keep it */
    for (size_t i = 0; i < members.count && !found; i++)
        found = !sisci_object_is_stale(&members.names[i]);
    sisci_names_free(&members);
    return found;
}

bool sisci_object_is_stale(const sisci_name *name)
{
    sisci_object object;
    bool stale;

    if (sisci_name_kind(name) == SISCI_KIND_GROUP)
        return !group_has_members(name);
    if (sisci_name_kind(name) == 0)
        return false;
    switch (open_any(name, &object)) {
    case SISCI_OBJECT_OK:
        break;
    case SISCI_OBJECT_ABSENT: /* its creator ended while it held the registry's lock */
        return true;
    default:
        return false;
    }
    /* The head is the same in all versions, so the owner is known. */
    stale = readiness(&object) == 0 || !sisci_process_alive(&object.head->owner);
    sisci_object_close(&object);
    return stale;
}

static bool is_presence(const sisci_name *name)
{
    return sisci_name_kind(name) == SISCI_KIND_PROCESS;
}

size_t sisci_objects_find_dead(const sisci_names *all, bool *stale)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        stale[i] = is_presence(&all->names[i]) && sisci_object_is_stale(&all->names[i]);
        count += stale[i];
    }
    return count;
}

void sisci_objects_find_stale(const sisci_names *all, bool *stale)
{
    for (size_t i = 0; i < all->count; i++)
        if (!is_presence(&all->names[i]))
            stale[i] = sisci_object_is_stale(&all->names[i]);
}

static size_t remove_stale(const sisci_names *all, const bool *stale, bool presences)
{
    size_t removed = 0;

    for (size_t i = 0; i < all->count; i++)
        if (stale[i] && is_presence(&all->names[i]) == presences) {
            sisci_object_unlink(&all->names[i]);
            removed++;
        }
    return removed;
}

size_t sisci_objects_sweep(void)
{
    sisci_name user = sisci_name_user();
    size_t removed = 0;
    sisci_names all;
    bool *stale;

    if (!sisci_names_list(&user, &all))
        return 0;
    stale = calloc(all.count + 1, sizeof(*stale));
    if (stale != NULL && sisci_objects_find_dead(&all, stale) > 0) {
        sisci_objects_find_stale(&all, stale);
        /* Remove presences last: while one exists, the next sweep knows that there is work. */
        removed = remove_stale(&all, stale, false);
        removed += remove_stale(&all, stale, true);
    }
    free(stale);
    sisci_names_free(&all);
    return removed;
}

/* An entry of a folder as the kernel gives it, getdents64(2): readdir is not async-signal-safe. */
typedef struct {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
} folder_entry;

static bool is_owned(int files, const char *file_name, const sisci_process *owner)
{
    int file = openat(files, file_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    sisci_object_head head;
    bool owned;

    if (file < 0)
        return false;
    owned = pread(file, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
            sisci_process_same(&head.owner, owner);
    close(file);
    return owned;
}

/* Once through the folder; whether anything was removed. */
static bool abandon_listed(int files, const sisci_name *beginning, const sisci_process *owner)
{
    _Alignas(folder_entry) char entries[4096];
    bool removed = false;
    long length;

    lseek(files, 0, SEEK_SET);
    while ((length = syscall(SYS_getdents64, files, entries, sizeof(entries))) > 0)
        for (long at = 0; at < length;) {
            const folder_entry *entry = (const folder_entry *)(const void *)(entries + at);

            at += entry->bytes;
            /* Names of objects begin with a slash. */
            if (strncmp(entry->name, beginning->text + 1, strlen(beginning->text) - 1) == 0 &&
                is_owned(files, entry->name, owner))
                removed = unlinkat(files, entry->name, 0) == 0 || removed;
        }
    return removed;
}

/* What is removed while a folder is read may hide what comes after it. */
void sisci_objects_abandon(const sisci_name *beginning, const sisci_process *owner)
{
    const int error = errno;
    int files;

    atomic_store(&abandoned, true);
    if (owner == NULL)
        return;
    files = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (files >= 0) {
        while (abandon_listed(files, beginning, owner))
            continue;
        close(files);
    }
    errno = error;
}

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
