/* What interrupts and data interrupts have in common: an object on the node of the owner, on which
 * a semaphore is waited for, or which the owner's thread watches to call back. The form says what a
 * kind adds to it. */
#ifndef SISCI_INTERRUPT_H
#define SISCI_INTERRUPT_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "sisci/library.h"
#include "sisci/registry.h"
#include "sisci/peer.h"

typedef struct {
    sisci_object_head head;
    uint32_t node;
    uint32_t has_callback;
    _Atomic uint32_t removed;
    _Atomic uint64_t triggers; /* since the start: each is due for a callback */
    sem_t pending;             /* without a callback: triggers that no wait has taken */
} sisci_interrupt;

typedef struct sisci_interrupt_form sisci_interrupt_form;

/* The user's function of either kind; the form casts it back. */
typedef void (*sisci_interrupt_callback)(void);

/* The owner's: the first member of sci_local_interrupt and sci_local_data_interrupt. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    const sisci_interrupt_form *form;
    sisci_interrupt_callback callback; /* NULL: none, or none any more */
    void *argument;
    uint64_t called; /* triggers whose callback was made, or that need none */
} sisci_local_interrupt;

/* Of the processes that trigger it: the first member of sci_remote_interrupt and
 * sci_remote_data_interrupt. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    sisci_peer *owner;
} sisci_remote_interrupt;

/* What a kind of interrupts adds; NULL: nothing. */
struct sisci_interrupt_form {
    sisci_kind kind;
    size_t bytes; /* of the object, which starts with a sisci_interrupt */
    /* Initialise the rest of the object. */
    bool (*initialise)(sisci_interrupt *interrupt);
    /* Whether a callback is due; NULL: one for each trigger. */
    bool (*has_come)(sisci_interrupt *interrupt);
    /* Make the callback for one trigger; calls sisci_callback_begin and sisci_callback_end. */
    sci_callback_action_t (*call)(sisci_local_interrupt *interrupt);
};

static inline sisci_interrupt *sisci_interrupt_of(const sisci_object *object)
{
    return (sisci_interrupt *)object->head;
}

/* The parameters of SCICreateInterrupt() and SCICreateDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result; /* where the handle goes */
    unsigned adapter;
    unsigned *number; /* wanted with SCI_FLAG_FIXED_INTNO among `flags`, else set to a free one */
    sisci_interrupt_callback callback;
    void *argument;
    unsigned flags;
} sisci_interrupt_request;

/* Create an interrupt; NULL: an error, such as SCI_ERR_INTNO_USED. */
sisci_local_interrupt *sisci_interrupt_create(const sisci_interrupt_form *form,
                                              const sisci_interrupt_request *request,
                                              sci_error_t *error);

/* Remove it; waits end with SCI_ERR_CANCELLED. SCI_ERR_BUSY in its own callback. NULL is an illegal
 * parameter. */
void sisci_interrupt_remove(sisci_local_interrupt *interrupt, unsigned flags, sci_error_t *error);

/* The parameters of SCIConnectInterrupt() and SCIConnectDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result;
    unsigned node, adapter, number, flags;
} sisci_interrupt_target;

/* Connect to an interrupt; NULL: an error, such as SCI_ERR_NO_SUCH_NODEID or SCI_ERR_NO_SUCH_INTNO.
 */
sisci_remote_interrupt *sisci_interrupt_connect(const sisci_interrupt_form *form,
                                                sisci_interrupt_target target, sci_error_t *error);

/* Disconnect. NULL is an illegal parameter. */
void sisci_interrupt_disconnect(sisci_remote_interrupt *interrupt, unsigned flags,
                                sci_error_t *error);

/* Whether it can be waited for: else SCI_ERR_CANCELLED, or SCI_ERR_ILLEGAL_OPERATION for an
 * interrupt with a callback. */
sci_error_t sisci_interrupt_may_wait(const sisci_local_interrupt *interrupt);

/* Wait for a trigger and take it: SCI_ERR_TIMEOUT, and what the function above gives. `until` NULL
 * is for ever. The library is locked, and unlocked meanwhile. */
sci_error_t sisci_interrupt_wait(sisci_local_interrupt *interrupt, const struct timespec *until);

/* Take a trigger, if there is one, without waiting. */
void sisci_interrupt_forget(const sisci_local_interrupt *interrupt);

/* Whether the owner still takes triggers. Needs no lock, as the next. */
bool sisci_interrupt_is_open(const sisci_remote_interrupt *interrupt);

/* Count a trigger and wake the owner. */
void sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt);

/* The same for a trigger that was taken and could not be used. Only without a callback. */
void sisci_interrupt_put_back(const sisci_local_interrupt *interrupt);

#endif
