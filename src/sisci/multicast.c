/* Joining and leaving multicast groups. */
#include "sisci/multicast.h"

#include "sisci/connections.h"
#include "sisci/constants.h"
#include "sisci/library.h"

/* The first member that lives, open; false: there is none. */
static bool open_any_member(unsigned number, sisci_object *member)
{
    sisci_name beginning = sisci_name_members(sisci_shm.job, SISCI_BROADCAST_NODE, number);
    sisci_names members;
    bool found = false;

    if (!sisci_names_list(&beginning, &members))
        return false;
    for (size_t i = 0; i < members.count && !found; i++) {
        if (sisci_object_open(&members.names[i], member) != SISCI_OBJECT_OK)
            continue;
        found = sisci_process_alive(&member->head->owner);
        if (!found)
            sisci_object_close(member);
    }
    sisci_names_free(&members);
    return found;
}

static sisci_object_status found_group(const sisci_name *name, size_t size,
                                       sisci_membership *membership)
{
    sisci_object_status status = sisci_object_create(
        name, SISCI_KIND_GROUP, &sisci_shm.self, SISCI_CONTROL_BYTES + size, &membership->group);

    if (status == SISCI_OBJECT_OK)
        sisci_object_publish(&membership->group);
    return status;
}

static bool take_after(sisci_object *member, size_t size, sisci_membership *membership)
{
    const sisci_control *control = (const sisci_control *)member->head;
    bool same_size = control->size == size;

    membership->own_memory = control->own_memory;
    sisci_object_close(member);
    return same_size;
}

sisci_join_outcome sisci_multicast_join(unsigned number, size_t size, sisci_membership *membership,
                                        sisci_object_status *status)
{
    sisci_name name =
        sisci_name_numbered(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_GROUP, number);
    sisci_object member;
    bool others = open_any_member(number, &member);

    *membership = (sisci_membership){.own_memory = sisci_shm.faults.active, .group = {.file = -1}};
    *status = SISCI_OBJECT_OK;
    if (others && !take_after(&member, size, membership))
        return SISCI_JOIN_OTHER_SIZE;
    if (!membership->own_memory)
        *status = others ? sisci_object_open(&name, &membership->group)
                         : found_group(&name, size, membership);
    return *status == SISCI_OBJECT_OK ? SISCI_JOIN_OK : SISCI_JOIN_FAILED;
}

void sisci_multicast_leave(unsigned number)
{
    sisci_name name =
        sisci_name_numbered(sisci_shm.job, SISCI_BROADCAST_NODE, SISCI_KIND_GROUP, number);

    if (sisci_object_is_stale(&name))
        sisci_object_unlink(&name);
}
