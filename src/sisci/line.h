/* One mechanism for interrupts and data interrupts: an object on the node that triggers go to,
 * which is waited for by a semaphore or watched by the owner's thread. What a kind adds to it is
 * its form.
 */
#ifndef SISCI_LINE_H
#define SISCI_LINE_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "sisci/library.h"
#include "sisci/objects.h"
#include "sisci/peer.h"

typedef struct {
    sisci_object_head head;
    uint32_t node;
    uint32_t has_callback;
    _Atomic uint32_t removed;
    _Atomic uint64_t triggers; /* ever: what the owner's thread has to call back for */
    sem_t pending;             /* without a callback: triggers that were not waited for */
} sisci_line;

typedef struct sisci_line_form sisci_line_form;

/* The user's function of either kind; the form casts it back. */
typedef void (*sisci_line_callback)(void);

/* Of the owner: what stands behind sci_local_interrupt_t and sci_local_data_interrupt_t. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    const sisci_line_form *form;
    sisci_line_callback callback; /* NULL: none, or none any more */
    void *argument;
    uint64_t called; /* triggers that were called back for, or need no call */
} sisci_local_line;

/* Of those who trigger: sci_remote_interrupt_t and sci_remote_data_interrupt_t. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    sisci_peer *owner;
} sisci_remote_line;

struct sisci_line_form {
    sisci_kind kind;
    size_t bytes;                         /* of the object, which starts with a sisci_line */
    bool (*initialise)(sisci_line *line); /* of the rest; NULL: nothing to do */
    bool (*has_come)(sisci_line *line);   /* whether there is what to call back for; NULL: each
                                             trigger is */
    /* Call back for one trigger; between sisci_callback_begin and sisci_callback_end. */
    sci_callback_action_t (*call)(sisci_local_line *line);
};

static inline sisci_line *sisci_line_of(const sisci_object *object)
{
    return (sisci_line *)object->head;
}

/* The parameters of SCICreateInterrupt() and SCICreateDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result; /* where the user wants the handle */
    unsigned adapter;
    unsigned *number; /* wanted with SCI_FLAG_FIXED_INTNO among `flags`, else set to a free one */
    sisci_line_callback callback;
    void *argument;
    unsigned flags;
} sisci_line_request;

/* Create a line; NULL: an error, such as SCI_ERR_INTNO_USED. */
sisci_local_line *sisci_line_create(const sisci_line_form *form, const sisci_line_request *request,
                                    sci_error_t *error);

/* Remove it; waits end with SCI_ERR_CANCELLED. SCI_ERR_BUSY in its own callback. NULL is an illegal
 * parameter. */
void sisci_line_remove(sisci_local_line *line, unsigned flags, sci_error_t *error);

/* The parameters of SCIConnectInterrupt() and SCIConnectDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result;
    unsigned node, adapter, number, flags;
} sisci_line_target;

/* Connect to a line; NULL: an error, such as SCI_ERR_NO_SUCH_NODEID or SCI_ERR_NO_SUCH_INTNO. */
sisci_remote_line *sisci_line_connect(const sisci_line_form *form, sisci_line_target target,
                                      sci_error_t *error);

/* Let go of it. NULL is an illegal parameter. */
void sisci_line_disconnect(sisci_remote_line *line, unsigned flags, sci_error_t *error);

/* Whether it can be waited for: else SCI_ERR_CANCELLED, or SCI_ERR_ILLEGAL_OPERATION for a line
 * with a callback. */
sci_error_t sisci_line_may_wait(const sisci_local_line *line);

/* Wait for a trigger and take it: SCI_ERR_TIMEOUT, and what the function above gives. `until` NULL
 * is for ever. The library is locked, and unlocked meanwhile. */
sci_error_t sisci_line_wait(sisci_local_line *line, const struct timespec *until);

/* Take a trigger, if there is one, without waiting. */
void sisci_line_forget(const sisci_local_line *line);

/* Whether the owner still takes triggers. Needs no lock, as the next. */
bool sisci_line_is_open(const sisci_remote_line *line);

/* Count a trigger and wake whom it is for. */
void sisci_line_trigger(const sisci_remote_line *line);

/* The same for a trigger that was taken and could not be used. Only without a callback. */
void sisci_line_put_back(const sisci_local_line *line);

#endif
