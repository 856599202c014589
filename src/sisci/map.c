/* Maps of local and remote segments. In plain mode a remote map is the remote memory itself; in
 * lossy mode it is a shadow, with a wire to each memory that a store must reach. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

/* The parameters of a map. */
typedef struct {
    size_t offset, size;
    void *where; /* NULL: anywhere */
    int protection;
} map_request;

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int placement_of(const map_request *request)
{
    return request->where != NULL ? MAP_FIXED_NOREPLACE : 0;
}

static sci_error_t error_of(int error)
{
    switch (error) {
    case EEXIST:
    case EINVAL:
        return SCI_ERR_ILLEGAL_ADDRESS;
    case ENOMEM:
        return SCI_ERR_API_NOSPC;
    default:
        return SCI_ERR_SYSTEM;
    }
}

/* A kernel without MAP_FIXED_NOREPLACE treats the address as a hint. */
static bool lies_elsewhere(const map_request *request, const void *memory)
{
    return request->where != NULL && memory != request->where;
}

/* Prefault the pages, so that no page fault falls into the program's timing. */
static sci_error_t map_object(sci_map_t map, const sisci_object *object, const map_request *request)
{
    size_t before = request->offset % page_bytes();
    size_t bytes = before + request->size;
    void *memory = sisci_object_map(object, request->offset - before, bytes, request->protection,
                                    MAP_POPULATE | placement_of(request), request->where);

    if (memory == NULL)
        return error_of(errno);
    if (lies_elsewhere(request, memory)) {
        munmap(memory, bytes);
        return SCI_ERR_ILLEGAL_ADDRESS;
    }
    map->mapping = memory;
    map->mapping_bytes = bytes;
    map->address = (unsigned char *)memory + before;
    return SCI_ERR_OK;
}

static sci_error_t map_shadow(sci_map_t map, const map_request *request)
{
    sisci_wire wire;
    int error;

    if (!sisci_remote_open_wire(map->remote, request->offset, request->size, &wire))
        return SCI_ERR_API_NOSPC;
    map->shadow = sisci_shadow_create(&wire, placement_of(request), request->where);
    if (map->shadow == NULL) {
        error = errno;
        sisci_wire_destroy(&wire);
        return error_of(error);
    }
    map->address = sisci_shadow_memory(map->shadow);
    if (lies_elsewhere(request, map->address)) {
        sisci_shadow_destroy(map->shadow);
        return SCI_ERR_ILLEGAL_ADDRESS;
    }
    return SCI_ERR_OK;
}

static void release_map(sisci_resource *resource)
{
    sci_map_t map = (sci_map_t)resource; /* its first member */

    if (map->shadow != NULL)
        sisci_shadow_destroy(map->shadow);
    else
        munmap(map->mapping, map->mapping_bytes);
    if (map->local != NULL)
        map->local->maps--;
    else
        map->remote->maps--;
    free(map);
}

static const sisci_class map_class = {.release = release_map};

static bool is_map(const sisci_resource *resource)
{
    return resource->class == &map_class;
}

sci_map_t sisci_map_around(const volatile void *address, size_t size)
{
    uintptr_t start = (uintptr_t)address;

    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older) {
            sci_map_t map = (sci_map_t)r;

            if (is_map(r) && map->remote != NULL && start >= (uintptr_t)map->address &&
                start - (uintptr_t)map->address <= map->size &&
                size <= map->size - (start - (uintptr_t)map->address))
                return map;
        }
    return NULL;
}

void sisci_maps_flush(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (is_map(r))
                sisci_map_flush((sci_map_t)r);
    atomic_thread_fence(memory_order_seq_cst);
}

static sci_error_t check_request(const void *segment, const void *map, size_t offset, size_t size,
                                 const void *where, unsigned flags)
{
    sci_error_t error =
        sisci_check_flags(flags, FLAG_FIXED_MAP_ADDR | FLAG_READONLY_MAP | FLAG_BROADCAST, 0);

    if (error != SCI_ERR_OK)
        return error;
    if (segment == NULL || map == NULL)
        return SCI_ERR_ILLEGAL_PARAMETER;
    if (size == 0)
        return SCI_ERR_SIZE_ALIGNMENT;
    if (offset % SISCI_MAP_ALIGNMENT != 0)
        return SCI_ERR_OFFSET_ALIGNMENT;
    if ((flags & FLAG_FIXED_MAP_ADDR) != 0 &&
        (where == NULL || (uintptr_t)where % page_bytes() != 0 || offset % page_bytes() != 0))
        return SCI_ERR_ILLEGAL_ADDRESS;
    return SCI_ERR_OK;
}

static map_request request_of(size_t offset, size_t size, void *where, unsigned flags)
{
    return (map_request){.offset = offset,
                         .size = size,
                         .where = (flags & FLAG_FIXED_MAP_ADDR) != 0 ? where : NULL,
                         .protection =
                             (flags & FLAG_READONLY_MAP) != 0 ? PROT_READ : PROT_READ | PROT_WRITE};
}

/* Map a part of one of the two segments; the other is NULL. In lossy mode, and for a group whose
 * members do not share memory, stores to a remote segment go through a shadow; a read-only map is
 * the remote memory itself. */
static sci_map_t make_map(sci_local_segment_t local, sci_remote_segment_t remote,
                          const map_request *request, sci_error_t *error)
{
    const size_t whole = local != NULL ? local->size : remote->size;
    const bool for_reading = (request->protection & PROT_WRITE) == 0;
    sci_map_t map = calloc(1, sizeof(*map));

    if (map == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return NULL;
    }
    map->local = local;
    map->remote = remote;
    map->size = request->size;
    map->for_reading = for_reading;
    sisci_lock();
    if (!sisci_is_within(request->offset, request->size, whole))
        *error = SCI_ERR_OUT_OF_RANGE;
    else if (local != NULL)
        *error = map_object(map, sisci_segment_data(local), request);
    else if (atomic_load(&remote->session.lost))
        *error = SCI_ERR_SEGMENT_NOT_CONNECTED;
    else if (!for_reading && (sisci_shm.faults.active || sisci_remote_is_split(remote)))
        *error = map_shadow(map, request);
    else
        *error = map_object(map, sisci_remote_data(remote), request);
    if (*error == SCI_ERR_OK) {
        if (local != NULL)
            local->maps++;
        else
            remote->maps++;
        sisci_resource_add(&map->resource, &map_class,
                           local != NULL ? local->resource.descriptor
                                         : remote->resource.descriptor);
    }
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        return map;
    free(map);
    return NULL;
}

void *SCIMapLocalSegment(sci_local_segment_t segment, sci_map_t *map, size_t offset, size_t size,
                         void *addr, unsigned int flags, sci_error_t *error)
{
    map_request request = request_of(offset, size, addr, flags);
    sci_map_t made;

    *error = check_request(segment, map, offset, size, addr, flags);
    if (*error == SCI_ERR_OK && (flags & FLAG_BROADCAST) != 0 && !segment->broadcast)
        *error = SCI_ERR_ILLEGAL_FLAG;
    if (*error != SCI_ERR_OK)
        return NULL;
    made = make_map(segment, NULL, &request, error);
    if (made == NULL)
        return NULL;
    *map = made;
    return made->address;
}
SISCI_EXPORT(SCIMapLocalSegment);

volatile void *SCIMapRemoteSegment(sci_remote_segment_t segment, sci_map_t *map, size_t offset,
                                   size_t size, void *addr, unsigned int flags, sci_error_t *error)
{
    map_request request = request_of(offset, size, addr, flags);
    sci_map_t made;

    *error = check_request(segment, map, offset, size, addr, flags);
    if (*error == SCI_ERR_OK && segment->broadcast != ((flags & FLAG_BROADCAST) != 0))
        *error = SCI_ERR_ILLEGAL_FLAG;
    if (*error != SCI_ERR_OK)
        return NULL;
    made = make_map(NULL, segment, &request, error);
    if (made == NULL)
        return NULL;
    *map = made;
    return made->address;
}
SISCI_EXPORT(SCIMapRemoteSegment);

void SCIUnmapSegment(sci_map_t map, unsigned int flags, sci_error_t *error)
{
    *error = map == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (map->sequences > 0)
        *error = SCI_ERR_BUSY;
    else
        sisci_resource_destroy(&map->resource);
    sisci_unlock();
}
SISCI_EXPORT(SCIUnmapSegment);

volatile void *SCIGetMapPointer(sci_map_t map)
{
    return map->address;
}
SISCI_EXPORT(SCIGetMapPointer);
