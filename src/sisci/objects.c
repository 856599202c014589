/* The registry of shared objects, by shm_open(3). POSIX has no way to list them: on Linux they are
 * the files of /dev/shm. The lock is a record lock (fcntl), which ends with its process and is not
 * handed to children. */
#include "sisci/objects.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "/dev/shm";
static const uint32_t complete = 0x53495331; /* changes with the layout of any object */

static int lock_file(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int outcome;

    do
        outcome = fcntl(file, F_SETLKW, &whole);
    while (outcome != 0 && errno == EINTR);
    return outcome;
}

/* One that another user has put there might be held for ever. */
static bool is_own(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0)
        return false;
    if (status.st_uid == geteuid())
        return true;
    errno = EACCES;
    return false;
}

/* Not if it was removed between the opening and the locking. */
static bool has_name(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && status.st_nlink > 0;
}

bool sisci_registry_lock(int *lock)
{
    sisci_name name = sisci_name_lock();

    for (;;) {
        int file = shm_open(name.text, O_RDWR | O_CREAT, 0600);

        if (file < 0)
            return false;
        if (!is_own(file) || lock_file(file) != 0) {
            int error = errno;

            close(file);
            errno = error;
            return false;
        }
        if (has_name(file)) {
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

/* Unlike ftruncate this takes the memory at once: what does not fit is an error here and not SIGBUS
 * at some later store, and the pages lie near the calling thread. */
static int allocate(int file, size_t bytes)
{
    int error;

    do
        error = posix_fallocate(file, 0, (off_t)bytes);
    while (error == EINTR);
    return error;
}

static sisci_object_head *map_control(int file, size_t bytes)
{
    size_t length = bytes < SISCI_CONTROL_BYTES ? bytes : SISCI_CONTROL_BYTES;
    void *control = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return control != MAP_FAILED ? control : NULL;
}

static int open_new(const sisci_name *name)
{
    int file = shm_open(name->text, O_RDWR | O_CREAT | O_EXCL, 0600);

    if (file < 0 && errno == EEXIST && sisci_object_is_stale(name)) {
        sisci_object_unlink(name);
        file = shm_open(name->text, O_RDWR | O_CREAT | O_EXCL, 0600);
    }
    return file;
}

sisci_object_status sisci_object_create(const sisci_name *name, sisci_kind kind,
                                        const sisci_process *owner, size_t bytes,
                                        sisci_object *object)
{
    sisci_object_head *head = NULL;
    int error;

    *object = (sisci_object){.name = *name, .file = open_new(name), .bytes = bytes};
    if (object->file < 0)
        return status_of(errno);
    error = allocate(object->file, bytes);
    if (error == 0) {
        head = map_control(object->file, bytes);
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

static bool is_complete(const sisci_object *object)
{
    return readiness(object) == complete && object->head->bytes == object->bytes;
}

sisci_object_status sisci_object_open(const sisci_name *name, sisci_object *object)
{
    sisci_object_status status = open_any(name, object);

    if (status == SISCI_OBJECT_OK && !is_complete(object)) {
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

static int by_text(const void *one, const void *other)
{
    return strcmp(((const sisci_name *)one)->text, ((const sisci_name *)other)->text);
}

static bool append(sisci_names *names, const char *text)
{
    sisci_name *grown = realloc(names->names, (names->count + 1) * sizeof(*grown));

    if (grown == NULL)
        return false;
    names->names = grown;
    snprintf(grown[names->count++].text, sizeof(grown->text), "%s", text);
    return true;
}

bool sisci_names_list(const sisci_name *beginning, sisci_names *names)
{
    DIR *files = opendir(folder);
    bool listed = files != NULL;

    *names = (sisci_names){0};
    while (listed) {
        struct dirent *entry = readdir(files);
        char text[sizeof(entry->d_name) + 1];

        if (entry == NULL)
            break;
        snprintf(text, sizeof(text), "/%s", entry->d_name);
        if (strlen(text) < SISCI_NAME_BYTES && sisci_name_begins(text, beginning))
            listed = append(names, text);
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

static bool group_has_members(const sisci_name *group)
{
    sisci_name beginning = sisci_name_members_of(group);
    sisci_names members;
    bool found = false;

    if (!sisci_names_list(&beginning, &members))
        return true; /* not known: leave it */
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
    case SISCI_OBJECT_ABSENT: /* cut short by the end of its maker, since the registry is locked */
        return true;
    default:
        return false;
    }
    /* Another version's object has the same head, so its owner can be told. */
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

/* The presences go last: while one is there, whoever sweeps next knows that there is work. */
static size_t sweep(const sisci_names *all, bool *stale)
{
    size_t removed;

    if (sisci_objects_find_dead(all, stale) == 0)
        return 0;
    sisci_objects_find_stale(all, stale);
    removed = remove_stale(all, stale, false);
    return removed + remove_stale(all, stale, true);
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
    if (stale != NULL)
        removed = sweep(&all, stale);
    free(stale);
    sisci_names_free(&all);
    return removed;
}
