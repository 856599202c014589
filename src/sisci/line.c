/* Lines of interrupts. A trigger is a semaphore's post: in reach of whoever waits without any
 * thread in between. */
#include "sisci/line.h"

#include <errno.h>
#include <stdlib.h>

#include "sisci/constants.h"
#include "sisci/sisci_api.h"

/* Where numbers begin that nobody has chosen. */
static const unsigned first_free_number = 0x10000;

static sci_error_t error_of(sisci_object_status status)
{
    switch (status) {
    case SISCI_OBJECT_OK:
        return SCI_ERR_OK;
    case SISCI_OBJECT_EXISTS:
        return SCI_ERR_INTNO_USED;
    case SISCI_OBJECT_NO_ROOM:
        return SCI_ERR_NOSPC;
    default:
        return SCI_ERR_SYSTEM;
    }
}

static sisci_object_status create_object(const sisci_line_form *form, unsigned number,
                                         bool has_callback, sisci_object *object)
{
    sisci_name name = sisci_name_numbered(sisci_shm.job, sisci_shm.node, form->kind, number);
    sisci_object_status status =
        sisci_object_create(&name, form->kind, &sisci_shm.self, form->bytes, object);
    sisci_line *line;

    if (status != SISCI_OBJECT_OK)
        return status;
    line = sisci_line_of(object);
    line->node = sisci_shm.node;
    line->has_callback = has_callback;
    if (sem_init(&line->pending, 1, 0) != 0 ||
        (form->initialise != NULL && !form->initialise(line))) {
        sisci_object_unlink(&name);
        sisci_object_close(object);
        return SISCI_OBJECT_SYSTEM;
    }
    sisci_object_publish(object);
    sisci_object_close_file(object);
    return SISCI_OBJECT_OK;
}

static sci_error_t create_numbered(const sisci_line_form *form, unsigned flags, unsigned *number,
                                   sisci_local_line *line)
{
    bool fixed = (flags & FLAG_FIXED_INTNO) != 0;
    bool has_callback = (flags & FLAG_USE_CALLBACK) != 0;
    unsigned candidate = fixed ? *number : first_free_number;
    sisci_object_status status;
    int lock;

    if (!sisci_registry_lock(&lock))
        return SCI_ERR_SYSTEM;
    status = create_object(form, candidate, has_callback, &line->object);
    while (status == SISCI_OBJECT_EXISTS && !fixed)
        status = create_object(form, ++candidate, has_callback, &line->object);
    sisci_registry_unlock(lock);
    if (status == SISCI_OBJECT_OK)
        *number = candidate;
    return error_of(status);
}

static sci_error_t open_line(const sisci_line_form *form, unsigned node, unsigned number,
                             sisci_remote_line *line)
{
    sisci_name name = sisci_name_numbered(sisci_shm.job, node, form->kind, number);

    switch (sisci_object_open(&name, &line->object)) {
    case SISCI_OBJECT_OK:
        break;
    case SISCI_OBJECT_ABSENT:
        return SCI_ERR_NO_SUCH_INTNO;
    default:
        return SCI_ERR_SYSTEM;
    }
    if (sisci_process_alive(&line->object.head->owner))
        line->owner = sisci_peer_acquire(sisci_shm.job, node, &line->object.head->owner);
    sisci_object_close_file(&line->object);
    if (line->owner != NULL)
        return SCI_ERR_OK;
    sisci_object_close(&line->object);
    return SCI_ERR_NO_SUCH_INTNO;
}

static sisci_local_line *local_of(sisci_resource *resource)
{
    return (sisci_local_line *)resource; /* its first member */
}

static bool poll_line(sisci_resource *resource)
{
    const sisci_local_line *line = local_of(resource);
    sisci_line *shared = sisci_line_of(&line->object);

    if (line->callback == NULL)
        return false;
    return line->form->has_come != NULL ? line->form->has_come(shared)
                                        : line->called != atomic_load(&shared->triggers);
}

static void deliver(sisci_resource *resource)
{
    sisci_local_line *line = local_of(resource);

    line->called++;
    if (line->form->call(line) == SCI_CALLBACK_CANCEL)
        line->callback = NULL;
}

static void cancel(sisci_resource *resource)
{
    for (unsigned i = 0; i < resource->waiters; i++)
        sem_post(&sisci_line_of(&local_of(resource)->object)->pending);
}

static void withdraw(sisci_resource *resource)
{
    const sisci_object *object = &local_of(resource)->object;
    int lock;

    atomic_store(&sisci_line_of(object)->removed, 1);
    if (!sisci_registry_lock(&lock))
        return;
    sisci_object_unlink(&object->name);
    sisci_registry_unlock(lock);
}

static void release_local(sisci_resource *resource)
{
    sisci_object_close(&local_of(resource)->object);
    free(resource);
}

static const sisci_class local_class = {.poll = poll_line,
                                        .deliver = deliver,
                                        .cancel = cancel,
                                        .withdraw = withdraw,
                                        .release = release_local};

static void release_remote(sisci_resource *resource)
{
    sisci_remote_line *line = (sisci_remote_line *)resource; /* its first member */

    sisci_peer_release(line->owner);
    sisci_object_close(&line->object);
    free(line);
}

static const sisci_class remote_class = {.release = release_remote};

static sci_error_t check_create(const sisci_line_request *request)
{
    sci_error_t error =
        sisci_check_flags(request->flags, FLAG_USE_CALLBACK | FLAG_FIXED_INTNO | FLAG_COUNTING_INT,
                          FLAG_SHARED_INT | FLAG_BROADCAST);

    if (error != SCI_ERR_OK)
        return error;
    if (request->sd == NULL || request->result == NULL || request->number == NULL ||
        ((request->flags & FLAG_USE_CALLBACK) != 0 && request->callback == NULL))
        return SCI_ERR_ILLEGAL_PARAMETER;
    return sisci_check_adapter(request->adapter);
}

sisci_local_line *sisci_line_create(const sisci_line_form *form, const sisci_line_request *request,
                                    sci_error_t *error)
{
    sisci_local_line *line;

    *error = check_create(request);
    if (*error != SCI_ERR_OK)
        return NULL;
    line = calloc(1, sizeof(*line));
    if (line == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return NULL;
    }
    line->form = form;
    line->callback = (request->flags & FLAG_USE_CALLBACK) != 0 ? request->callback : NULL;
    line->argument = request->argument;
    sisci_lock();
    *error = create_numbered(form, request->flags, request->number, line);
    if (*error == SCI_ERR_OK)
        sisci_resource_add(&line->resource, &local_class, request->sd);
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        return line;
    free(line);
    return NULL;
}

static sci_error_t remove_line(sisci_local_line *line)
{
    if (sisci_is_callback_of(&line->resource))
        return SCI_ERR_BUSY;
    sisci_resource_retire(&line->resource);
    sisci_resource_destroy(&line->resource);
    return SCI_ERR_OK;
}

void sisci_line_remove(sisci_local_line *line, unsigned flags, sci_error_t *error)
{
    *error = line == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = remove_line(line);
    sisci_unlock();
}

static sci_error_t check_connect(sisci_line_target *target)
{
    sci_error_t error = sisci_check_flags(target->flags, 0, FLAG_BROADCAST);

    if (error != SCI_ERR_OK)
        return error;
    if (target->sd == NULL || target->result == NULL)
        return SCI_ERR_ILLEGAL_PARAMETER;
    error = sisci_check_adapter(target->adapter);
    return error == SCI_ERR_OK ? sisci_check_node(&target->node) : error;
}

sisci_remote_line *sisci_line_connect(const sisci_line_form *form, sisci_line_target target,
                                      sci_error_t *error)
{
    sisci_remote_line *line;

    *error = check_connect(&target);
    if (*error != SCI_ERR_OK)
        return NULL;
    line = calloc(1, sizeof(*line));
    if (line == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return NULL;
    }
    sisci_lock();
    *error = open_line(form, target.node, target.number, line);
    if (*error == SCI_ERR_OK)
        sisci_resource_add(&line->resource, &remote_class, target.sd);
    else if (*error == SCI_ERR_NO_SUCH_INTNO && !sisci_node_exists(sisci_shm.job, target.node))
        *error = SCI_ERR_NO_SUCH_NODEID;
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        return line;
    free(line);
    return NULL;
}

void sisci_line_disconnect(sisci_remote_line *line, unsigned flags, sci_error_t *error)
{
    *error = line == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    sisci_resource_destroy(&line->resource);
    sisci_unlock();
}

static sci_error_t take_trigger(sem_t *pending, const struct timespec *until)
{
    int outcome;

    do
        outcome =
            until != NULL ? sem_clockwait(pending, CLOCK_MONOTONIC, until) : sem_wait(pending);
    while (outcome != 0 && errno == EINTR);
    return outcome == 0 ? SCI_ERR_OK : SCI_ERR_TIMEOUT;
}

sci_error_t sisci_line_may_wait(const sisci_local_line *line)
{
    if (sisci_line_of(&line->object)->has_callback)
        return SCI_ERR_ILLEGAL_OPERATION;
    return line->resource.cancelled ? SCI_ERR_CANCELLED : SCI_ERR_OK;
}

sci_error_t sisci_line_wait(sisci_local_line *line, const struct timespec *until)
{
    sci_error_t error = sisci_line_may_wait(line);

    if (error != SCI_ERR_OK)
        return error;
    line->resource.waiters++;
    sisci_unlock();
    error = take_trigger(&sisci_line_of(&line->object)->pending, until);
    sisci_lock();
    if (line->resource.cancelled)
        error = SCI_ERR_CANCELLED;
    line->resource.waiters--;
    sisci_notify();
    return error;
}

void sisci_line_forget(const sisci_local_line *line)
{
    sem_trywait(&sisci_line_of(&line->object)->pending);
}

bool sisci_line_is_open(const sisci_remote_line *line)
{
    return !atomic_load(&sisci_line_of(&line->object)->removed) &&
           !sisci_peer_has_ended(line->owner);
}

void sisci_line_trigger(const sisci_remote_line *line)
{
    sisci_line *shared = sisci_line_of(&line->object);

    atomic_fetch_add(&shared->triggers, 1);
    if (shared->has_callback)
        sisci_peer_ring(line->owner);
    else
        sem_post(&shared->pending);
}

void sisci_line_put_back(const sisci_local_line *line)
{
    sem_post(&sisci_line_of(&line->object)->pending);
}
