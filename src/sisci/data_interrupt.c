/* Interrupts that carry data: each trigger puts a message into a ring in the object, and then
 * triggers the line. Whether there is a message is what the ring says: a trigger only wakes, since
 * a process may be killed after it has put a message and before it triggers. */
#include <string.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/line.h"
#include "sisci/shared.h"
#include "sisci/sisci_api.h"

enum { MESSAGES = 48, MESSAGE_BYTES = 1024 };

typedef struct {
    uint32_t length;
    unsigned char data[MESSAGE_BYTES];
} message;

typedef struct {
    sisci_line line;
    pthread_mutex_t lock;
    uint32_t first, count;
    message messages[MESSAGES];
} data_line;

_Static_assert(sizeof(data_line) <= SISCI_CONTROL_BYTES, "the whole of it is mapped");

struct sci_local_data_interrupt {
    sisci_local_line line;
};

struct sci_remote_data_interrupt {
    sisci_remote_line line;
};

static data_line *data_line_of(const sisci_object *object)
{
    return (data_line *)object->head;
}

static bool initialise(sisci_line *line)
{
    return sisci_shared_mutex_initialise(&((data_line *)line)->lock);
}

static bool has_come(sisci_line *line)
{
    data_line *data = (data_line *)line; /* its first member */
    bool any;

    sisci_shared_lock(&data->lock);
    any = data->count > 0;
    sisci_shared_unlock(&data->lock);
    return any;
}

/* Take the oldest message into `data` of *length bytes; SCI_ERR_OUT_OF_RANGE leaves it. False:
 * there is none. */
static bool take_message(data_line *line, void *data, unsigned *length, sci_error_t *error)
{
    const message *oldest;
    bool any, fits;

    sisci_shared_lock(&line->lock);
    oldest = &line->messages[line->first];
    any = line->count > 0;
    fits = any && oldest->length <= *length;
    if (any)
        *length = oldest->length;
    if (fits) {
        memcpy(data, oldest->data, oldest->length);
        line->first = (line->first + 1) % MESSAGES;
        line->count--;
    }
    sisci_shared_unlock(&line->lock);
    *error = fits ? SCI_ERR_OK : SCI_ERR_OUT_OF_RANGE;
    return any;
}

static sci_error_t put_message(data_line *line, const void *data, unsigned length)
{
    bool full;

    sisci_shared_lock(&line->lock);
    full = line->count == MESSAGES;
    if (!full) {
        message *next = &line->messages[(line->first + line->count) % MESSAGES];

        next->length = length;
        if (length > 0)
            memcpy(next->data, data, length);
        line->count++;
    }
    sisci_shared_unlock(&line->lock);
    return full ? SCI_ERR_OVERFLOW : SCI_ERR_OK;
}

static sci_callback_action_t call(sisci_local_line *line)
{
    sci_cb_data_interrupt_t callback = (sci_cb_data_interrupt_t)line->callback;
    sci_callback_action_t action;
    unsigned char data[MESSAGE_BYTES];
    unsigned length = sizeof(data);
    sci_error_t error;

    if (!take_message(data_line_of(&line->object), data, &length, &error))
        return SCI_CALLBACK_CONTINUE;
    sisci_callback_begin(&line->resource);
    action = callback(line->argument, (sci_local_data_interrupt_t)line, data, length, SCI_ERR_OK);
    sisci_callback_end(&line->resource);
    return action;
}

static const sisci_line_form form = {.kind = SISCI_KIND_DATA_INTERRUPT,
                                     .bytes = sizeof(data_line),
                                     .initialise = initialise,
                                     .has_come = has_come,
                                     .call = call};

void SCICreateDataInterrupt(sci_desc_t sd, sci_local_data_interrupt_t *interrupt,
                            unsigned int localAdapterNo, unsigned int *interruptNo,
                            sci_cb_data_interrupt_t callback, void *callbackArg, unsigned int flags,
                            sci_error_t *error)
{
    const sisci_line_request request = {.sd = sd,
                                        .result = interrupt,
                                        .adapter = localAdapterNo,
                                        .number = interruptNo,
                                        .callback = (sisci_line_callback)callback,
                                        .argument = callbackArg,
                                        .flags = flags};
    sisci_local_line *line = sisci_line_create(&form, &request, error);

    if (line != NULL)
        *interrupt = (sci_local_data_interrupt_t)line;
}
SISCI_EXPORT(SCICreateDataInterrupt);

void SCIRemoveDataInterrupt(sci_local_data_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error)
{
    sisci_line_remove((sisci_local_line *)interrupt, flags, error);
}
SISCI_EXPORT(SCIRemoveDataInterrupt);

/* Trigger after trigger, of which some may be of messages that were taken without them. */
static sci_error_t wait_for_message(sisci_local_line *line, void *data, unsigned *length,
                                    unsigned timeout_ms)
{
    data_line *shared = data_line_of(&line->object);
    struct timespec buffer;
    const struct timespec *until = sisci_deadline(timeout_ms, &buffer);
    sci_error_t error = sisci_line_may_wait(line), taken;

    if (error == SCI_ERR_OK && take_message(shared, data, length, &error)) {
        if (error == SCI_ERR_OK)
            sisci_line_forget(line);
        return error;
    }
    do
        error = sisci_line_wait(line, until);
    while (error == SCI_ERR_OK && !take_message(shared, data, length, &taken));
    if (error == SCI_ERR_OK && taken != SCI_ERR_OK)
        sisci_line_put_back(line);
    return error == SCI_ERR_OK ? taken : error;
}

void SCIWaitForDataInterrupt(sci_local_data_interrupt_t interrupt, void *data, unsigned int *length,
                             unsigned int timeout, unsigned int flags, sci_error_t *error)
{
    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (interrupt == NULL || data == NULL || length == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = wait_for_message(&interrupt->line, data, length, timeout);
    sisci_unlock();
}
SISCI_EXPORT(SCIWaitForDataInterrupt);

void SCIConnectDataInterrupt(sci_desc_t sd, sci_remote_data_interrupt_t *interrupt,
                             unsigned int nodeId, unsigned int localAdapterNo,
                             unsigned int interruptNo, unsigned int timeout, unsigned int flags,
                             sci_error_t *error)
{
    const sisci_line_target target = {.sd = sd,
                                      .result = interrupt,
                                      .node = nodeId,
                                      .adapter = localAdapterNo,
                                      .number = interruptNo,
                                      .flags = flags};
    sisci_remote_line *line = sisci_line_connect(&form, target, error);

    (void)timeout;
    if (line != NULL)
        *interrupt = (sci_remote_data_interrupt_t)line;
}
SISCI_EXPORT(SCIConnectDataInterrupt);

void SCIDisconnectDataInterrupt(sci_remote_data_interrupt_t interrupt, unsigned int flags,
                                sci_error_t *error)
{
    sisci_line_disconnect((sisci_remote_line *)interrupt, flags, error);
}
SISCI_EXPORT(SCIDisconnectDataInterrupt);

void SCITriggerDataInterrupt(sci_remote_data_interrupt_t interrupt, void *data, unsigned int length,
                             unsigned int flags, sci_error_t *error)
{
    *error = sisci_check_flags(flags, 0, FLAG_BROADCAST);
    if (*error == SCI_ERR_OK && (interrupt == NULL || (data == NULL && length > 0)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK && length > MESSAGE_BYTES)
        *error = SCI_ERR_OUT_OF_RANGE;
    if (*error == SCI_ERR_OK && !sisci_line_is_open(&interrupt->line))
        *error = SCI_ERR_NOT_CONNECTED;
    if (*error == SCI_ERR_OK)
        *error = put_message(data_line_of(&interrupt->line.object), data, length);
    if (*error == SCI_ERR_OK)
        sisci_line_trigger(&interrupt->line);
}
SISCI_EXPORT(SCITriggerDataInterrupt);
