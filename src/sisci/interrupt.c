/* Interrupts without data. */
#include <stdlib.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/line.h"
#include "sisci/sisci_api.h"

struct sci_local_interrupt {
    sisci_local_line line;
    sci_cb_interrupt_t callback; /* NULL: none, or none any more */
    void *argument;
};

struct sci_remote_interrupt {
    sisci_remote_line line;
};

static const sisci_line_form form = {.kind = SISCI_KIND_INTERRUPT, .bytes = sizeof(sisci_line)};

static sci_local_interrupt_t interrupt_of(sisci_resource *resource)
{
    return (sci_local_interrupt_t)resource; /* the first member of its first member */
}

static bool poll_interrupt(sisci_resource *resource)
{
    return interrupt_of(resource)->callback != NULL && sisci_line_poll(resource);
}

static void deliver(sisci_resource *resource)
{
    sci_local_interrupt_t interrupt = interrupt_of(resource);
    sci_cb_interrupt_t callback = interrupt->callback;
    sci_callback_action_t action;

    interrupt->line.called++;
    sisci_callback_begin(resource);
    action = callback(interrupt->argument, interrupt, SCI_ERR_OK);
    sisci_callback_end(resource);
    if (action == SCI_CALLBACK_CANCEL)
        interrupt->callback = NULL;
}

static void release_local(sisci_resource *resource)
{
    sci_local_interrupt_t interrupt = interrupt_of(resource);

    sisci_line_close_local(&interrupt->line);
    free(interrupt);
}

static void release_remote(sisci_resource *resource)
{
    sci_remote_interrupt_t interrupt = (sci_remote_interrupt_t)resource;

    sisci_line_close_remote(&interrupt->line);
    free(interrupt);
}

static const sisci_class local_class = {.poll = poll_interrupt,
                                        .deliver = deliver,
                                        .withdraw = sisci_line_withdraw,
                                        .release = release_local};
static const sisci_class remote_class = {.release = release_remote};

void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t *interrupt,
                        unsigned int localAdapterNo, unsigned int *interruptNo,
                        sci_cb_interrupt_t callback, void *callbackArg, unsigned int flags,
                        sci_error_t *error)
{
    sci_local_interrupt_t made;

    *error = sisci_line_check_create(sd, interrupt, localAdapterNo, interruptNo, callback != NULL,
                                     flags);
    if (*error != SCI_ERR_OK)
        return;
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    made->callback = (flags & FLAG_USE_CALLBACK) != 0 ? callback : NULL;
    made->argument = callbackArg;
    *error = sisci_line_create(sd, &form, &local_class, flags, interruptNo, &made->line);
    if (*error == SCI_ERR_OK)
        *interrupt = made;
    else
        free(made);
}
SISCI_EXPORT(SCICreateInterrupt);

void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK)
        *error = sisci_line_remove(&interrupt->line);
}
SISCI_EXPORT(SCIRemoveInterrupt);

void SCIWaitForInterrupt(sci_local_interrupt_t interrupt, unsigned int timeout, unsigned int flags,
                         sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    *error = sisci_line_wait(&interrupt->line, timeout);
    sisci_unlock();
}
SISCI_EXPORT(SCIWaitForInterrupt);

void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo,
                         unsigned int timeout, unsigned int flags, sci_error_t *error)
{
    sci_remote_interrupt_t made;

    (void)timeout;
    *error = sisci_line_check_connect(sd, interrupt, &nodeId, localAdapterNo, flags);
    if (*error != SCI_ERR_OK)
        return;
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    *error = sisci_line_connect(sd, &form, &remote_class, nodeId, interruptNo, &made->line);
    if (*error == SCI_ERR_OK)
        *interrupt = made;
    else
        free(made);
}
SISCI_EXPORT(SCIConnectInterrupt);

void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK)
        sisci_line_disconnect(&interrupt->line);
}
SISCI_EXPORT(SCIDisconnectInterrupt);

/* Hot. */
void SCITriggerInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags, sci_error_t *error)
{
    *error = interrupt == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && !sisci_line_is_open(&interrupt->line))
        *error = SCI_ERR_NOT_CONNECTED;
    if (*error == SCI_ERR_OK)
        sisci_line_trigger(&interrupt->line);
}
SISCI_EXPORT(SCITriggerInterrupt);
