/* Faults of a connection, and how sequences learn of them. */
#include "sisci/session.h"

enum { LONGEST_PENDING = 4, LONGEST_OUTAGE = 8 };

void sisci_session_initialise(sisci_session *session)
{
    *session = (sisci_session){0};
    pthread_mutex_init(&session->lock, NULL);
}

void sisci_session_destroy(sisci_session *session)
{
    pthread_mutex_destroy(&session->lock);
}

/* The count is changed last, so that who sees it changed sees why. */
static void count_fault(sisci_session *session)
{
    atomic_fetch_add_explicit(&session->faults, 1, memory_order_release);
}

void sisci_session_lose(sisci_session *session)
{
    atomic_store(&session->lost, 1);
    count_fault(session);
}

uint32_t sisci_session_seen(const sisci_session *session)
{
    uint32_t faults = atomic_load(&session->faults);

    return atomic_load(&session->lost) ? faults - 1 : faults;
}

bool sisci_session_is_down(sisci_session *session)
{
    bool down;

    pthread_mutex_lock(&session->lock);
    down = atomic_load(&session->lost) || session->outage > 0;
    pthread_mutex_unlock(&session->lock);
    return down;
}

void sisci_session_fault(sisci_session *session, const sisci_faults *faults, sisci_dice *dice)
{
    double fate = (double)(sisci_dice_next(dice) >> 11) * 0x1.0p-53;

    pthread_mutex_lock(&session->lock);
    if (fate < faults->lose)
        atomic_store(&session->lost, 1);
    else if (fate < faults->lose + faults->cut)
        session->outage = 1 + (unsigned)sisci_dice_below(dice, LONGEST_OUTAGE);
    else if (fate < faults->lose + faults->cut + faults->pending)
        session->pending = 1 + (unsigned)sisci_dice_below(dice, LONGEST_PENDING);
    count_fault(session);
    pthread_mutex_unlock(&session->lock);
}

static sci_sequence_status_t standing(const sisci_session *session)
{
    if (atomic_load(&session->lost) || session->outage > 0)
        return SCI_SEQ_NOT_RETRIABLE;
    return session->pending > 0 ? SCI_SEQ_PENDING : SCI_SEQ_OK;
}

static void count_down(unsigned *calls)
{
    if (*calls > 0)
        (*calls)--;
}

sci_sequence_status_t sisci_session_start(sisci_session *session, _Atomic uint32_t *seen)
{
    sci_sequence_status_t status;

    pthread_mutex_lock(&session->lock);
    status = standing(session);
    if (status == SCI_SEQ_OK)
        atomic_store(seen, atomic_load(&session->faults));
    count_down(session->outage > 0 ? &session->outage : &session->pending);
    pthread_mutex_unlock(&session->lock);
    return status;
}

sci_sequence_status_t sisci_session_check(sisci_session *session, _Atomic uint32_t *seen)
{
    sci_sequence_status_t status;
    uint32_t faults;

    pthread_mutex_lock(&session->lock);
    status = standing(session);
    faults = atomic_load(&session->faults);
    if (status == SCI_SEQ_OK && faults != atomic_load(seen)) {
        status = SCI_SEQ_RETRIABLE;
        atomic_store(seen, faults);
    }
    pthread_mutex_unlock(&session->lock);
    return status;
}
