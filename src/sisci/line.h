/* What interrupts and data interrupts have in common: an object on the node that triggers go to,
 * which is waited for by a semaphore or watched by the owner's thread. */
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

/* Of the owner. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    uint64_t called; /* triggers that were called back for, or need no call */
} sisci_local_line;

/* Of those who trigger. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    sisci_peer *owner;
} sisci_remote_line;

typedef struct {
    sisci_kind kind;
    size_t bytes;                         /* of the object, which starts with a sisci_line */
    bool (*initialise)(sisci_line *line); /* of the rest; NULL: nothing to do */
} sisci_line_form;

static inline sisci_line *sisci_line_of(const sisci_object *object)
{
    return (sisci_line *)object->head;
}

/* Create a line: of number *number with SCI_FLAG_FIXED_INTNO among `flags`, else of a free one,
 * which *number becomes. SCI_ERR_INTNO_USED. */
sci_error_t sisci_line_create(sci_desc_t sd, const sisci_line_form *form, const sisci_class *class,
                              unsigned flags, unsigned *number, sisci_local_line *line);

/* Connect to a line. SCI_ERR_NO_SUCH_NODEID, SCI_ERR_NO_SUCH_INTNO. */
sci_error_t sisci_line_connect(sci_desc_t sd, const sisci_line_form *form, const sisci_class *class,
                               unsigned node, unsigned number, sisci_remote_line *line);

/* Parts of the classes: whether a callback is due, and the end. The library is locked. */
bool sisci_line_poll(sisci_resource *local_line);
void sisci_line_withdraw(sisci_resource *local_line);
void sisci_line_close_local(sisci_local_line *line);
void sisci_line_close_remote(sisci_remote_line *line);

/* Remove a line; waits end with SCI_ERR_CANCELLED. SCI_ERR_BUSY in its own callback. */
sci_error_t sisci_line_remove(sisci_local_line *line);

/* Let go of a line of another process. */
void sisci_line_disconnect(sisci_remote_line *line);

/* Wait for a trigger and take it: SCI_ERR_TIMEOUT, SCI_ERR_CANCELLED, and SCI_ERR_ILLEGAL_OPERATION
 * for a line with a callback. The library is locked, and unlocked meanwhile. */
sci_error_t sisci_line_wait(sisci_local_line *line, unsigned timeout_ms);

/* Whether the owner still takes triggers. Needs no lock, as the next. */
bool sisci_line_is_open(const sisci_remote_line *line);

/* Count a trigger and wake whom it is for. */
void sisci_line_trigger(const sisci_remote_line *line);

/* The same for a trigger that was taken and could not be used. Only without a callback. */
void sisci_line_put_back(const sisci_local_line *line);

/* What is wrong with the parameters that both kinds have. */
sci_error_t sisci_line_check_create(sci_desc_t sd, const void *result, unsigned adapter,
                                    const unsigned *number, bool callback_given, unsigned flags);
sci_error_t sisci_line_check_connect(sci_desc_t sd, const void *result, unsigned *node,
                                     unsigned adapter, unsigned flags);

#endif
