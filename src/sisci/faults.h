/* The faults of the lossy mode: what SISCI_SHM_FAULTS asks for, the random numbers, and the session
 * of a connection, by which its sequences learn what did not arrive. In plain mode the only thing
 * that can happen to a session is its end; in lossy mode each push may meet faults. */
#ifndef SISCI_FAULTS_H
#define SISCI_FAULTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sisci/sisci_types.h"

typedef struct {
    bool active; /* whether the variable is set: stores go through shadows even without faults */
    uint64_t seed;
    double drop;    /* probability that a line does not arrive */
    double tear;    /* that it arrives in part */
    double pending; /* that a fault is reported as pending */
    double cut;     /* that a fault is an outage of some length */
    double lose;    /* that a fault is the end of the connection */
    double reorder; /* whether lines arrive in a random order: 0 or 1 */
} sisci_faults;

/* Read "seed=7,drop=0.01,reorder=1"; NULL or empty: no faults. False: not valid, and `reason` is
 * set. */
bool sisci_faults_parse(const char *text, sisci_faults *faults, char *reason, size_t reason_bytes);

/* Random numbers of one stream of a seed. */
typedef struct {
    uint64_t state;
} sisci_dice;

sisci_dice sisci_dice_make(uint64_t seed, uint64_t stream);
uint64_t sisci_dice_next(sisci_dice *dice);
uint64_t sisci_dice_below(sisci_dice *dice, uint64_t bound);
bool sisci_dice_falls(sisci_dice *dice, double probability);

/* The state of the transfers over one connection, which all its maps and sequences share. */
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

/* The faults that a new sequence has seen: one less where the connection is lost already, so that
 * it learns of that. */
uint32_t sisci_session_seen(const sisci_session *session);

/* Whether nothing arrives at present: an outage, or the connection is lost. */
bool sisci_session_is_down(sisci_session *session);

/* Something did not arrive: decide how that will be reported. */
void sisci_session_fault(sisci_session *session, const sisci_faults *faults, sisci_dice *dice);

/* The results of SCIStartSequence() and SCICheckSequence() for a sequence that has seen *seen
 * faults. */
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
