/* Sequences, which detect whether stores have arrived, and in order; copies between memory and
 * maps. In plain mode a store has arrived when it is made, and a check is one relaxed load that
 * detects only the end of the connection. In lossy mode copies to a remote map are put on the wire
 * at once, byte for byte, not through the shadow, which handles only whole words. */
#include <stdlib.h>
#include <string.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

struct sci_sequence {
    sisci_resource resource;
    sci_map_t map;
    sisci_shadow *shadow; /* the map's */
    sisci_session *session;
    _Atomic uint32_t seen; /* number of the session's faults that this sequence has seen */
};

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

/* All but the most frequent case, which the next function handles. */
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

/* Hot. */
void SCIStoreBarrier(sci_sequence_t sequence, unsigned int flags)
{
    (void)flags;
    if (sequence != NULL) {
        sisci_map_flush(sequence->map);
        return;
    }
    sisci_lock();
    sisci_maps_flush();
    sisci_unlock();
}
SISCI_EXPORT(SCIStoreBarrier);

/* Hot. */
void SCIFlush(sci_sequence_t sequence, unsigned int flags)
{
    SCIStoreBarrier(sequence, flags);
}
SISCI_EXPORT(SCIFlush);

/* Returns false if the copy met a fault. */
static bool write_to(sci_map_t map, size_t offset, const void *source, size_t size)
{
    if (map->shadow != NULL)
        return sisci_shadow_send(map->shadow, offset, source, size);
    memcpy(map->address + offset, source, size);
    return true;
}

/* In lossy mode a map cannot be read, so read the remote memory. */
static void read_from(sci_map_t map, size_t offset, void *destination, size_t size)
{
    if (map->shadow != NULL)
        sisci_shadow_read(map->shadow, offset, destination, size);
    else
        memcpy(destination, map->address + offset, size);
}

/* All but the most frequent case, which the next function handles. */
__attribute__((noinline)) static void copy_with_care(sci_sequence_t sequence, void *memory,
                                                     sci_map_t map, size_t offset, size_t size,
                                                     unsigned flags, sci_error_t *error)
{
    sci_error_t ignored;

    *error = sisci_check_flags(flags, FLAG_BLOCK_READ | FLAG_ERROR_CHECK, 0);
    if (*error != SCI_ERR_OK)
        return;
    if (memory == NULL || map == NULL || map->remote == NULL ||
        ((flags & FLAG_ERROR_CHECK) != 0 && (sequence == NULL || sequence->map != map)))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    else if (map->for_reading && (flags & FLAG_BLOCK_READ) == 0)
        *error = SCI_ERR_ACCESS;
    else if (!sisci_is_within(offset, size, map->size))
        *error = SCI_ERR_OUT_OF_RANGE;
    if (*error != SCI_ERR_OK)
        return;
    if ((flags & FLAG_BLOCK_READ) != 0)
        read_from(map, offset, memory, size);
    else
        write_to(map, offset, memory, size);
    if ((flags & FLAG_ERROR_CHECK) != 0 && SCICheckSequence(sequence, 0, &ignored) != SCI_SEQ_OK)
        *error = SCI_ERR_TRANSFER_FAILED;
}

/* Hot. */
void SCIMemCpy(sci_sequence_t sequence, void *memAddr, sci_map_t remoteMap, size_t remoteOffset,
               size_t size, unsigned int flags, sci_error_t *error)
{
    const bool plain = flags == 0 && memAddr != NULL && remoteMap != NULL &&
                       remoteMap->remote != NULL && remoteMap->shadow == NULL &&
                       !remoteMap->for_reading &&
                       sisci_is_within(remoteOffset, size, remoteMap->size);

    if (__builtin_expect(!plain, 0)) {
        copy_with_care(sequence, memAddr, remoteMap, remoteOffset, size, flags, error);
        return;
    }
    *error = SCI_ERR_OK;
    memcpy(remoteMap->address + remoteOffset, memAddr, size);
}
SISCI_EXPORT(SCIMemCpy);

void SCIMemWrite(void *memAddr, volatile void *remoteAddr, size_t size, unsigned int flags,
                 sci_error_t *error)
{
    sci_map_t map;

    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (memAddr == NULL || remoteAddr == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    map = sisci_map_around(remoteAddr, size);
    sisci_unlock();
    if (map == NULL)
        *error = SCI_ERR_ILLEGAL_ADDRESS;
    else if (map->for_reading)
        *error = SCI_ERR_ACCESS;
    else
        write_to(map, (size_t)((volatile unsigned char *)remoteAddr - map->address), memAddr, size);
}
SISCI_EXPORT(SCIMemWrite);

/* Maps of local memory have no session to lose. */
static bool is_lost(sci_map_t map)
{
    return map->remote != NULL && atomic_load(&map->remote->session.lost);
}

void SCITransferBlock(sci_map_t sourceMap, size_t sourceOffset, sci_map_t destinationMap,
                      size_t destinationOffset, size_t size, unsigned int flags, sci_error_t *error)
{
    unsigned char piece[4096];
    bool whole = true;

    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (sourceMap == NULL || destinationMap == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK && destinationMap->for_reading)
        *error = SCI_ERR_ACCESS;
    if (*error != SCI_ERR_OK)
        return;
    if (!sisci_is_within(sourceOffset, size, sourceMap->size) ||
        !sisci_is_within(destinationOffset, size, destinationMap->size)) {
        *error = SCI_ERR_OUT_OF_RANGE;
        return;
    }
    if (is_lost(sourceMap) || is_lost(destinationMap)) {
        *error = SCI_ERR_TRANSFER_FAILED;
        return;
    }
    if (sourceMap->shadow == NULL && destinationMap->shadow == NULL)
        memmove(destinationMap->address + destinationOffset, sourceMap->address + sourceOffset,
                size);
    else
        /* In pieces: in lossy mode one side or both have no readable or writable address. */
        for (size_t done = 0; done < size && whole;) {
            size_t bytes = size - done < sizeof(piece) ? size - done : sizeof(piece);

            read_from(sourceMap, sourceOffset + done, piece, bytes);
            whole = write_to(destinationMap, destinationOffset + done, piece, bytes);
            done += bytes;
        }
    if (whole)
        sisci_map_flush(destinationMap);
    else
        *error = SCI_ERR_TRANSFER_FAILED;
}
SISCI_EXPORT(SCITransferBlock);
