/* Sequences: whether stores have arrived, and in which order. In plain mode a store is the arrival,
 * and a check is one relaxed load, since only the end of the connection can be found. */
#include "sisci/sequence.h"

#include <stdlib.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/sisci_api.h"

static void release_sequence(sisci_resource *resource)
{
    sci_sequence_t sequence = (sci_sequence_t)resource; /* its first member */

    sequence->map->sequences--;
    free(sequence);
}

static const sisci_class sequence_class = {.release = release_sequence};

void SCICreateMapSequence(sci_map_t map, sci_sequence_t *sequence, unsigned int flags,
                          sci_error_t *error)
{
    sci_sequence_t made;

    *error = sisci_check_flags(flags, FLAG_FAST_BARRIER, 0);
    if (*error == SCI_ERR_OK && (map == NULL || sequence == NULL || map->remote == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    made->map = map;
    made->shadow = map->shadow;
    made->session = &map->remote->session;
    made->seen = sisci_session_seen(made->session);
    sisci_lock();
    map->sequences++;
    sisci_resource_add(&made->resource, &sequence_class, map->resource.descriptor);
    sisci_unlock();
    *sequence = made;
}
SISCI_EXPORT(SCICreateMapSequence);

void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t *error)
{
    *error = sequence == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    sisci_resource_destroy(&sequence->resource);
    sisci_unlock();
}
SISCI_EXPORT(SCIRemoveSequence);

sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error)
{
    *error = sequence == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return SCI_SEQ_NOT_RETRIABLE;
    if (sisci_session_is_clean(sequence->session, &sequence->seen) && sequence->shadow == NULL)
        return SCI_SEQ_OK;
    return sisci_session_start(sequence->session, &sequence->seen);
}
SISCI_EXPORT(SCIStartSequence);

/* What the next function does not know at once. */
__attribute__((noinline)) static sci_sequence_status_t
check_with_care(sci_sequence_t sequence, unsigned flags, sci_error_t *error)
{
    const unsigned neither = FLAG_NO_FLUSH | FLAG_NO_STORE_BARRIER;

    *error = sequence == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, neither, 0);
    if (*error != SCI_ERR_OK)
        return SCI_SEQ_NOT_RETRIABLE;
    if (sequence->shadow != NULL && (flags & neither) != neither)
        sisci_shadow_push(sequence->shadow);
    if (sisci_session_is_clean(sequence->session, &sequence->seen))
        return SCI_SEQ_OK;
    return sisci_session_check(sequence->session, &sequence->seen);
}

/* Hot. A release orders the stores before it; only a barrier orders loads as well. */
sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags,
                                       sci_error_t *error)
{
    const bool plain = flags == 0 && sequence != NULL && sequence->shadow == NULL &&
                       sisci_session_is_clean(sequence->session, &sequence->seen);

    atomic_thread_fence(memory_order_release);
    if (__builtin_expect(!plain, 0))
        return check_with_care(sequence, flags, error);
    *error = SCI_ERR_OK;
    return SCI_SEQ_OK;
}
SISCI_EXPORT(SCICheckSequence);

static void flush_all(void)
{
    sisci_lock();
    sisci_maps_flush();
    sisci_unlock();
}

/* Hot. */
void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags)
{
    (void)flags;
    if (sequence != NULL)
        sisci_map_flush(sequence->map);
    else
        flush_all();
}
SISCI_EXPORT(SCIStoreBarrier);

/* Hot. */
void SCIFlush(sci_sequence_t sequence, unsigned int flags)
{
    SCIStoreBarrier(sequence, flags);
}
SISCI_EXPORT(SCIFlush);
