/* Interrupts without data: lines as they are. */
#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/line.h"
#include "sisci/sisci_api.h"

struct sci_local_interrupt {
    sisci_local_line line;
};

struct sci_remote_interrupt {
    sisci_remote_line line;
};

static sci_callback_action_t call(sisci_local_line *line)
{
    sci_cb_interrupt_t callback = (sci_cb_interrupt_t)line->callback;
    sci_callback_action_t action;

    sisci_callback_begin(&line->resource);
    action = callback(line->argument, (sci_local_interrupt_t)line, SCI_ERR_OK);
    sisci_callback_end(&line->resource);
    return action;
}

static const sisci_line_form form = {
    .kind = SISCI_KIND_INTERRUPT, .bytes = sizeof(sisci_line), .call = call};

void SCICreateInterrupt(sci_desc_t sd, sci_local_interrupt_t *interrupt,
                        unsigned int localAdapterNo, unsigned int *interruptNo,
                        sci_cb_interrupt_t callback, void *callbackArg, unsigned int flags,
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
        *interrupt = (sci_local_interrupt_t)line;
}
SISCI_EXPORT(SCICreateInterrupt);

void SCIRemoveInterrupt(sci_local_interrupt_t interrupt, unsigned int flags, sci_error_t *error)
{
    sisci_line_remove((sisci_local_line *)interrupt, flags, error);
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
    *error = sisci_line_wait(&interrupt->line, sisci_deadline(timeout, &buffer));
    sisci_unlock();
}
SISCI_EXPORT(SCIWaitForInterrupt);

void SCIConnectInterrupt(sci_desc_t sd, sci_remote_interrupt_t *interrupt, unsigned int nodeId,
                         unsigned int localAdapterNo, unsigned int interruptNo,
                         unsigned int timeout, unsigned int flags, sci_error_t *error)
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
        *interrupt = (sci_remote_interrupt_t)line;
}
SISCI_EXPORT(SCIConnectInterrupt);

void SCIDisconnectInterrupt(sci_remote_interrupt_t interrupt, unsigned int flags,
                            sci_error_t *error)
{
    sisci_line_disconnect((sisci_remote_line *)interrupt, flags, error);
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
