/* Interrupts. A trigger posts a semaphore, which wakes a waiting thread directly. The second part
 * has the functions for interrupts without data. */
#include <errno.h>
#include <stdlib.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

/* Automatically chosen numbers start here. */
static const unsigned first_free_number = 0x10000;

static sisci_object_status create_object(const sisci_interrupt_form *form, unsigned number,
                                         bool has_callback, sisci_object *object)
{
    sisci_name name = sisci_name_numbered(sisci_shm.job, sisci_shm.node, form->kind, number);
    sisci_object_status status =
        sisci_object_create(&name, form->kind, &sisci_shm.self, form->bytes, object);
    sisci_interrupt *interrupt;

    if (status != SISCI_OBJECT_OK)
        return status;
    interrupt = sisci_interrupt_of(object);
    interrupt->node = sisci_shm.node;
    interrupt->has_callback = has_callback;
    if (sem_init(&interrupt->pending, 1, 0) != 0 ||
        (form->initialise != NULL && !form->initialise(interrupt))) {
        sisci_object_unlink(&name);
        sisci_object_close(object);
        return SISCI_OBJECT_SYSTEM;
    }
    sisci_object_publish(object);
    sisci_object_close_file(object);
    return SISCI_OBJECT_OK;
}

static sci_error_t create_numbered(const sisci_interrupt_form *form, unsigned flags,
                                   unsigned *number, sisci_local_interrupt *interrupt)
{
    bool fixed = (flags & FLAG_FIXED_INTNO) != 0;
    bool has_callback = (flags & FLAG_USE_CALLBACK) != 0;
    unsigned candidate = fixed ? *number : first_free_number;
    sisci_object_status status;
    int lock;

    if (!sisci_registry_lock(&lock))
        return SCI_ERR_SYSTEM;
    status = create_object(form, candidate, has_callback, &interrupt->object);
    while (status == SISCI_OBJECT_EXISTS && !fixed)
        status = create_object(form, ++candidate, has_callback, &interrupt->object);
    sisci_registry_unlock(lock);
    switch (status) {
    case SISCI_OBJECT_OK:
        *number = candidate;
        return SCI_ERR_OK;
    case SISCI_OBJECT_EXISTS:
        return SCI_ERR_INTNO_USED;
    case SISCI_OBJECT_NO_ROOM:
        return SCI_ERR_NOSPC;
    case SISCI_OBJECT_ENDING:
        return SCI_ERR_CANCELLED;
    default:
        return SCI_ERR_SYSTEM;
    }
}

static sci_error_t open_remote(const sisci_interrupt_form *form, unsigned node, unsigned number,
                               sisci_remote_interrupt *interrupt)
{
    sisci_name name = sisci_name_numbered(sisci_shm.job, node, form->kind, number);

    switch (sisci_object_open(&name, &interrupt->object)) {
    case SISCI_OBJECT_OK:
        break;
    case SISCI_OBJECT_ABSENT:
        return SCI_ERR_NO_SUCH_INTNO;
    default:
        return SCI_ERR_SYSTEM;
    }
    if (sisci_process_alive(&interrupt->object.head->owner))
        interrupt->owner = sisci_peer_acquire(sisci_shm.job, node, &interrupt->object.head->owner);
    sisci_object_close_file(&interrupt->object);
    if (interrupt->owner != NULL)
        return SCI_ERR_OK;
    sisci_object_close(&interrupt->object);
    return SCI_ERR_NO_SUCH_INTNO;
}

static sisci_local_interrupt *local_of(sisci_resource *resource)
{
    return (sisci_local_interrupt *)resource; /* its first member */
}

static bool poll_interrupt(sisci_resource *resource)
{
    const sisci_local_interrupt *interrupt = local_of(resource);
    sisci_interrupt *shared = sisci_interrupt_of(&interrupt->object);

    if (interrupt->callback == NULL)
        return false;
    return interrupt->form->has_come != NULL ? interrupt->form->has_come(shared)
                                             : interrupt->called != atomic_load(&shared->triggers);
}

static void deliver_trigger(sisci_resource *resource)
{
    sisci_local_interrupt *interrupt = local_of(resource);

    interrupt->called++;
    if (interrupt->form->call(interrupt) == SCI_CALLBACK_CANCEL)
        interrupt->callback = NULL;
}

static void cancel_waits(sisci_resource *resource)
{
    for (unsigned i = 0; i < resource->waiters; i++)
        sem_post(&sisci_interrupt_of(&local_of(resource)->object)->pending);
}

static void withdraw_local(sisci_resource *resource)
{
    const sisci_object *object = &local_of(resource)->object;
    int lock;

    atomic_store(&sisci_interrupt_of(object)->removed, 1);
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

static const sisci_class local_class = {.poll = poll_interrupt,
                                        .deliver = deliver_trigger,
                                        .cancel = cancel_waits,
                                        .withdraw = withdraw_local,
                                        .release = release_local};

static void release_remote(sisci_resource *resource)
{
    sisci_remote_interrupt *interrupt = (sisci_remote_interrupt *)resource; /* its first member */

    sisci_peer_release(interrupt->owner);
    sisci_object_close(&interrupt->object);
    free(interrupt);
}

static const sisci_class remote_class = {.release = release_remote};

sisci_local_interrupt *sisci_interrupt_create(const sisci_interrupt_form *form,
                                              const sisci_interrupt_request *request,
                                              sci_error_t *error)
{
    sisci_local_interrupt *interrupt;

    *error =
        sisci_check_flags(request->flags, FLAG_USE_CALLBACK | FLAG_FIXED_INTNO | FLAG_COUNTING_INT,
                          FLAG_SHARED_INT | FLAG_BROADCAST);
    if (*error == SCI_ERR_OK &&
        (request->sd == NULL || request->result == NULL || request->number == NULL ||
         ((request->flags & FLAG_USE_CALLBACK) != 0 && request->callback == NULL)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(request->adapter);
    if (*error != SCI_ERR_OK)
        return NULL;
    interrupt = calloc(1, sizeof(*interrupt));
    if (interrupt == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return NULL;
    }
    interrupt->form = form;
    interrupt->callback = (request->flags & FLAG_USE_CALLBACK) != 0 ? request->callback : NULL;
    interrupt->argument = request->argument;
    sisci_lock();
    *error = create_numbered(form, request->flags, request->number, interrupt);
    if (*error == SCI_ERR_OK)
        sisci_resource_add(&interrupt->resource, &local_class, request->sd);
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        return interrupt;
    free(interrupt);
    return NULL;
}

void sisci_interrupt_remove(sisci_local_interrupt *interrupt, unsigned flags, sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (sisci_is_callback_of(&interrupt->resource))
        *error = SCI_ERR_BUSY;
    else {
        sisci_resource_retire(&interrupt->resource);
        sisci_resource_destroy(&interrupt->resource);
    }
    sisci_unlock();
}

sisci_remote_interrupt *sisci_interrupt_connect(const sisci_interrupt_form *form,
                                                sisci_interrupt_target target, sci_error_t *error)
{
    sisci_remote_interrupt *interrupt;

    *error = sisci_check_flags(target.flags, 0, FLAG_BROADCAST);
    if (*error == SCI_ERR_OK && (target.sd == NULL || target.result == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(target.adapter);
    if (*error == SCI_ERR_OK)
        *error = sisci_check_node(&target.node);
    if (*error != SCI_ERR_OK)
        return NULL;
    interrupt = calloc(1, sizeof(*interrupt));
    if (interrupt == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return NULL;
    }
    sisci_lock();
    *error = open_remote(form, target.node, target.number, interrupt);
    if (*error == SCI_ERR_OK)
        sisci_resource_add(&interrupt->resource, &remote_class, target.sd);
    else if (*error == SCI_ERR_NO_SUCH_INTNO && !sisci_node_exists(sisci_shm.job, target.node))
        *error = SCI_ERR_NO_SUCH_NODEID;
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        return interrupt;
    free(interrupt);
    return NULL;
}

void sisci_interrupt_disconnect(sisci_remote_interrupt *interrupt, unsigned flags,
                                sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    sisci_resource_destroy(&interrupt->resource);
    sisci_unlock();
}

sci_error_t sisci_interrupt_may_wait(const sisci_local_interrupt *interrupt)
{
    if (sisci_interrupt_of(&interrupt->object)->has_callback)
        return SCI_ERR_ILLEGAL_OPERATION;
    return interrupt->resource.cancelled ? SCI_ERR_CANCELLED : SCI_ERR_OK;
}

sci_error_t sisci_interrupt_wait(sisci_local_interrupt *interrupt, const struct timespec *until)
{
    sem_t *pending = &sisci_interrupt_of(&interrupt->object)->pending;
    sci_error_t error = sisci_interrupt_may_wait(interrupt);
    int outcome;

    if (error != SCI_ERR_OK)
        return error;
    interrupt->resource.waiters++;
    sisci_unlock();
    do
        outcome =
            until != NULL ? sem_clockwait(pending, CLOCK_MONOTONIC, until) : sem_wait(pending);
    while (outcome != 0 && errno == EINTR);
    sisci_lock();
    if (interrupt->resource.cancelled)
        error = SCI_ERR_CANCELLED;
    else if (outcome != 0)
        error = SCI_ERR_TIMEOUT;
    interrupt->resource.waiters--;
    sisci_notify();
    return error;
}

void sisci_interrupt_forget(const sisci_local_interrupt *interrupt)
{
    sem_trywait(&sisci_interrupt_of(&interrupt->object)->pending);
}

bool sisci_interrupt_is_open(const sisci_remote_interrupt *interrupt)
{
    return !atomic_load(&sisci_interrupt_of(&interrupt->object)->removed) &&
           !sisci_peer_has_ended(interrupt->owner);
}

void sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt)
{
    sisci_interrupt *shared = sisci_interrupt_of(&interrupt->object);

    atomic_fetch_add(&shared->triggers, 1);
    if (shared->has_callback)
        sisci_peer_ring(interrupt->owner);
    else
        sem_post(&shared->pending);
}

void sisci_interrupt_put_back(const sisci_local_interrupt *interrupt)
{
    sem_post(&sisci_interrupt_of(&interrupt->object)->pending);
}

struct sci_local_interrupt {
    sisci_local_interrupt base;
};

struct sci_remote_interrupt {
    sisci_remote_interrupt base;
};

static sci_callback_action_t call_back(sisci_local_interrupt *interrupt)
{
    sci_cb_interrupt_t callback = (sci_cb_interrupt_t)interrupt->callback;
    sci_callback_action_t action;

    sisci_callback_begin(&interrupt->resource);
    action = callback(interrupt->argument, (sci_local_interrupt_t)interrupt, SCI_ERR_OK);
    sisci_callback_end(&interrupt->resource);
    return action;
}

static const sisci_interrupt_form form = {
    .kind = SISCI_KIND_INTERRUPT, .bytes = sizeof(sisci_interrupt), .call = call_back};

void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t *interrupt,
                        unsigned int localAdapterNo, unsigned int *interruptNo,
                        sci_cb_interrupt_t callback, void *callbackArg, unsigned int flags,
                        sci_error_t *error)
{
    const sisci_interrupt_request request = {.sd = sd,
                                             .result = interrupt,
                                             .adapter = localAdapterNo,
                                             .number = interruptNo,
                                             .callback = (sisci_interrupt_callback)callback,
                                             .argument = callbackArg,
                                             .flags = flags};
    sisci_local_interrupt *made = sisci_interrupt_create(&form, &request, error);

    if (made != NULL)
        *interrupt = (sci_local_interrupt_t)made;
}
SISCI_EXPORT(SCICreateInterrupt);

void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t *error)
{
    sisci_interrupt_remove((sisci_local_interrupt *)interrupt, flags, error);
}
SISCI_EXPORT(SCIRemoveInterrupt);

void SCIWaitForInterrupt(sci_local_interrupt_t interrupt, unsigned int timeout, unsigned int flags,
                         sci_error_t *error)
{
    struct timespec buffer;

    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = sisci_interrupt_wait(&interrupt->base, sisci_deadline(timeout, &buffer));
    sisci_unlock();
}
SISCI_EXPORT(SCIWaitForInterrupt);

void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo,
                         unsigned int timeout, unsigned int flags, sci_error_t *error)
{
    const sisci_interrupt_target target = {.sd = sd,
                                           .result = interrupt,
                                           .node = nodeId,
                                           .adapter = localAdapterNo,
                                           .number = interruptNo,
                                           .flags = flags};
    sisci_remote_interrupt *made = sisci_interrupt_connect(&form, target, error);

    (void)timeout;
    if (made != NULL)
        *interrupt = (sci_remote_interrupt_t)made;
}
SISCI_EXPORT(SCIConnectInterrupt);

void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error)
{
    sisci_interrupt_disconnect((sisci_remote_interrupt *)interrupt, flags, error);
}
SISCI_EXPORT(SCIDisconnectInterrupt);

/* Hot. */
void SCITriggerInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && !sisci_interrupt_is_open(&interrupt->base))
        *error = SCI_ERR_NOT_CONNECTED;
    if (*error == SCI_ERR_OK)
        sisci_interrupt_trigger(&interrupt->base);
}
SISCI_EXPORT(SCITriggerInterrupt);
