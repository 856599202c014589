/* The state of the transfers over one connection, which all maps and sequences of it share. In
 * plain mode the only thing that can happen is its end; in lossy mode each push may meet faults. */
#ifndef SISCI_SESSION_H
#define SISCI_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sisci/faults.h"
#include "sisci/sisci_types.h"

typedef struct {
    _Atomic uint32_t faults; /* how many there were: a sequence compares it with what it has seen */
    _Atomic uint32_t lost;   /* for ever */
    pthread_mutex_t lock;    /* for what follows */
    unsigned pending;        /* calls of SCIStartSequence() until what happened is known */
    unsigned outage;         /* calls until transfers are possible again */
} sisci_session;

void sisci_session_initialise(sisci_session *session);
void sisci_session_destroy(sisci_session *session);

/* The connection has ended. */
void sisci_session_lose(sisci_session *session);

/* What a new sequence has seen; never all where the connection is lost already. */
uint32_t sisci_session_seen(const sisci_session *session);

/* Whether nothing arrives at present. */
bool sisci_session_is_down(sisci_session *session);

/* Something did not arrive: decide how that will be reported. */
void sisci_session_fault(sisci_session *session, const sisci_faults *faults, sisci_dice *dice);

/* What SCIStartSequence() and SCICheckSequence() say to a sequence that has seen *seen faults. */
sci_sequence_status_t sisci_session_start(sisci_session *session, _Atomic uint32_t *seen);
sci_sequence_status_t sisci_session_check(sisci_session *session, _Atomic uint32_t *seen);

/* Hot: whether there was any fault since *seen. */
static inline bool sisci_session_is_clean(const sisci_session *session,
                                          const _Atomic uint32_t *seen)
{
    return atomic_load_explicit(&session->faults, memory_order_relaxed) ==
           atomic_load_explicit(seen, memory_order_relaxed);
}

#endif
