/* Interrupts with data. Each trigger puts a message into a ring in the object and then triggers the
 * interrupt. Only the ring tells whether there is a message; a trigger only wakes up, since a
 * process may be killed between the two steps. */
#include <string.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

enum { MESSAGES = 48, MESSAGE_BYTES = 1024 };

typedef struct {
    uint32_t length;
    unsigned char data[MESSAGE_BYTES];
} message;

typedef struct {
    sisci_interrupt base;
    pthread_mutex_t lock;
    uint32_t first, count;
    message messages[MESSAGES];
} message_ring;

_Static_assert(sizeof(message_ring) <= SISCI_CONTROL_BYTES, "the whole of it is mapped");

struct sci_local_data_interrupt {
    sisci_local_interrupt base;
};

struct sci_remote_data_interrupt {
    sisci_remote_interrupt base;
};

static message_ring *ring_of(const sisci_object *object)
{
    return (message_ring *)object->head;
}

static bool initialise_ring(sisci_interrupt *interrupt)
{
    return sisci_shared_mutex_initialise(&((message_ring *)interrupt)->lock);
}

static bool has_message(sisci_interrupt *interrupt)
{
    message_ring *ring = (message_ring *)interrupt; /* its first member */
    bool any;

    sisci_shared_lock(&ring->lock);
    any = ring->count > 0;
    sisci_shared_unlock(&ring->lock);
    return any;
}

/* Take the oldest message, of *length bytes, into `data`; SCI_ERR_OUT_OF_RANGE leaves it in the
 * ring. False: no message. */
static bool take_message(message_ring *ring, void *data, unsigned *length, sci_error_t *error)
{
    const message *oldest;
    bool any, fits;

    sisci_shared_lock(&ring->lock);
    oldest = &ring->messages[ring->first];
    any = ring->count > 0;
    fits = any && oldest->length <= *length;
    if (any)
        *length = oldest->length;
    if (fits) {
        memcpy(data, oldest->data, oldest->length);
        ring->first = (ring->first + 1) % MESSAGES;
        ring->count--;
    }
    sisci_shared_unlock(&ring->lock);
    *error = fits ? SCI_ERR_OK : SCI_ERR_OUT_OF_RANGE;
    return any;
}

static sci_callback_action_t call_back(sisci_local_interrupt *interrupt)
{
    sci_cb_data_interrupt_t callback = (sci_cb_data_interrupt_t)interrupt->callback;
    sci_callback_action_t action;
    unsigned char data[MESSAGE_BYTES];
    unsigned length = sizeof(data);
    sci_error_t error;

    if (!take_message(ring_of(&interrupt->object), data, &length, &error))
        return SCI_CALLBACK_CONTINUE;
    sisci_callback_begin(&interrupt->resource);
    action = callback(interrupt->argument, (sci_local_data_interrupt_t)interrupt, data, length,
                      SCI_ERR_OK);
    sisci_callback_end(&interrupt->resource);
    return action;
}

static const sisci_interrupt_form form = {.kind = SISCI_KIND_DATA_INTERRUPT,
                                          .bytes = sizeof(message_ring),
                                          .initialise = initialise_ring,
                                          .has_come = has_message,
                                          .call = call_back};

void SCICreateDataInterrupt(sci_desc_t sd, sci_local_data_interrupt_t *interrupt,
                            unsigned int localAdapterNo, unsigned int *interruptNo,
                            sci_cb_data_interrupt_t callback, void *callbackArg, unsigned int flags,
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
        *interrupt = (sci_local_data_interrupt_t)made;
}
SISCI_EXPORT(SCICreateDataInterrupt);

void SCIRemoveDataInterrupt(sci_local_data_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error)
{
    sisci_interrupt_remove((sisci_local_interrupt *)interrupt, flags, error);
}
SISCI_EXPORT(SCIRemoveDataInterrupt);

/* Triggers are taken one at a time, since the messages of some may have been taken already. */
void SCIWaitForDataInterrupt(sci_local_data_interrupt_t interrupt, void *data, unsigned int *length,
                             unsigned int timeout, unsigned int flags, sci_error_t *error)
{
    sisci_local_interrupt *base = (sisci_local_interrupt *)interrupt; /* its first member */
    const struct timespec *until;
    struct timespec buffer;
    message_ring *ring;
    sci_error_t taken;

    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (interrupt == NULL || data == NULL || length == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    ring = ring_of(&base->object);
    until = sisci_deadline(timeout, &buffer);
    *error = sisci_interrupt_may_wait(base);
    if (*error == SCI_ERR_OK && take_message(ring, data, length, &taken)) {
        if (taken == SCI_ERR_OK)
            sisci_interrupt_forget(base);
        *error = taken;
        goto unlock;
    }
    do
        *error = sisci_interrupt_wait(base, until);
    while (*error == SCI_ERR_OK && !take_message(ring, data, length, &taken));
    if (*error == SCI_ERR_OK && taken != SCI_ERR_OK) {
        sisci_interrupt_put_back(base);
        *error = taken;
    }

unlock:
    sisci_unlock();
}
SISCI_EXPORT(SCIWaitForDataInterrupt);

void SCIConnectDataInterrupt(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt,
                             unsigned int nodeId, unsigned int localAdapterNo,
                             unsigned int interruptNo, unsigned int timeout, unsigned int flags,
                             sci_error_t *error)
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
        *interrupt = (sci_remote_data_interrupt_t)made;
}
SISCI_EXPORT(SCIConnectDataInterrupt);

void SCIDisconnectDataInterrupt(sci_remote_data_interrupt_t interrupt, unsigned int flags,
                                sci_error_t *error)
{
    sisci_interrupt_disconnect((sisci_remote_interrupt *)interrupt, flags, error);
}
SISCI_EXPORT(SCIDisconnectDataInterrupt);

void SCITriggerDataInterrupt(sci_remote_data_interrupt_t interrupt, void *data, unsigned int length,
                             unsigned int flags, sci_error_t *error)
{
    message_ring *ring;
    bool full;

    *error = sisci_check_flags(flags, 0, FLAG_BROADCAST);
    if (*error == SCI_ERR_OK && (interrupt == NULL || (data == NULL && length > 0)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK && length > MESSAGE_BYTES)
        *error = SCI_ERR_OUT_OF_RANGE;
    if (*error == SCI_ERR_OK && !sisci_interrupt_is_open(&interrupt->base))
        *error = SCI_ERR_NOT_CONNECTED;
    if (*error != SCI_ERR_OK)
        return;
    ring = ring_of(&interrupt->base.object);
    sisci_shared_lock(&ring->lock);
    full = ring->count == MESSAGES;
    if (!full) {
        message *next = &ring->messages[(ring->first + ring->count) % MESSAGES];

        next->length = length;
        if (length > 0)
            memcpy(next->data, data, length);
        ring->count++;
    }
    sisci_shared_unlock(&ring->lock);
    if (full)
        *error = SCI_ERR_OVERFLOW;
    else
        sisci_interrupt_trigger(&interrupt->base);
}
SISCI_EXPORT(SCITriggerDataInterrupt);
