/* Copies between memory and maps. In lossy mode what is copied to a remote map goes on the wire at
 * once, byte by byte as it is, and not through the shadow, which knows only whole words. */
#include <string.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/map.h"
#include "sisci/sequence.h"
#include "sisci/sisci_api.h"

static bool goes_beyond(sci_map_t map, size_t offset, size_t size)
{
    return offset > map->size || size > map->size - offset;
}

/* False: a fault met the copy. */
static bool write_to(sci_map_t map, size_t offset, const void *source, size_t size)
{
    if (map->shadow != NULL)
        return sisci_shadow_send(map->shadow, offset, source, size);
    memcpy(map->address + offset, source, size);
    return true;
}

/* A map in lossy mode has no memory to read: what is there is asked of the remote memory. */
static void read_from(sci_map_t map, size_t offset, void *destination, size_t size)
{
    if (map->shadow != NULL)
        sisci_shadow_read(map->shadow, offset, destination, size);
    else
        memcpy(destination, map->address + offset, size);
}

static sci_error_t check_copy(sci_sequence_t sequence, const void *memory, sci_map_t map,
                              size_t offset, size_t size, unsigned flags)
{
    sci_error_t error = sisci_check_flags(flags, FLAG_BLOCK_READ | FLAG_ERROR_CHECK, 0);

    if (error != SCI_ERR_OK)
        return error;
    if (memory == NULL || map == NULL || map->remote == NULL ||
        ((flags & FLAG_ERROR_CHECK) != 0 && (sequence == NULL || sequence->map != map)))
        return SCI_ERR_ILLEGAL_PARAMETER;
    if (map->for_reading && (flags & FLAG_BLOCK_READ) == 0)
        return SCI_ERR_ACCESS;
    return goes_beyond(map, offset, size) ? SCI_ERR_OUT_OF_RANGE : SCI_ERR_OK;
}

/* What the next function does not do at once. */
__attribute__((noinline)) static void copy_with_care(sci_sequence_t sequence, void *memory,
                                                     sci_map_t map, size_t offset, size_t size,
                                                     unsigned flags, sci_error_t *error)
{
    sci_error_t ignored;

    *error = check_copy(sequence, memory, map, offset, size, flags);
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
                       !remoteMap->for_reading && !goes_beyond(remoteMap, remoteOffset, size);

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

/* In pieces, since one side or both have no address that could be read or written. */
static bool transfer_pieces(sci_map_t source, size_t source_offset, sci_map_t destination,
                            size_t destination_offset, size_t size)
{
    unsigned char piece[4096];
    bool whole = true;

    for (size_t done = 0; done < size && whole;) {
        size_t bytes = size - done < sizeof(piece) ? size - done : sizeof(piece);

        read_from(source, source_offset + done, piece, bytes);
        whole = write_to(destination, destination_offset + done, piece, bytes);
        done += bytes;
    }
    return whole;
}

static bool transfer(sci_map_t source, size_t source_offset, sci_map_t destination,
                     size_t destination_offset, size_t size)
{
    if (source->shadow != NULL || destination->shadow != NULL)
        return transfer_pieces(source, source_offset, destination, destination_offset, size);
    memmove(destination->address + destination_offset, source->address + source_offset, size);
    return true;
}

/* Maps of local memory have no session that could be lost. */
static bool is_lost(sci_map_t map)
{
    return map->remote != NULL && atomic_load(&map->remote->session.lost);
}

void SCITransferBlock(sci_map_t sourceMap, size_t sourceOffset, sci_map_t destinationMap,
                      size_t destinationOffset, size_t size, unsigned int flags, sci_error_t *error)
{
    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (sourceMap == NULL || destinationMap == NULL))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK && destinationMap->for_reading)
        *error = SCI_ERR_ACCESS;
    if (*error != SCI_ERR_OK)
        return;
    if (goes_beyond(sourceMap, sourceOffset, size) ||
        goes_beyond(destinationMap, destinationOffset, size)) {
        *error = SCI_ERR_OUT_OF_RANGE;
        return;
    }
    if (is_lost(sourceMap) || is_lost(destinationMap) ||
        !transfer(sourceMap, sourceOffset, destinationMap, destinationOffset, size))
        *error = SCI_ERR_TRANSFER_FAILED;
    else
        sisci_map_flush(destinationMap);
}
SISCI_EXPORT(SCITransferBlock);
