/* A hash table with chains in one array of slots: any number of requests may have the same handle
 * without slowing each other down. */
#include "tracer/requests.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { FIRST_ROOM = 64 };

/* The end of a chain. */
static const size_t none = SIZE_MAX;

static size_t *head_of(const tracer_requests *table, uintptr_t handle)
{
    return &table->heads[cb_mix64((uint64_t)handle) & (table->room - 1)];
}

static void push(tracer_requests *table, size_t slot)
{
    size_t *head = head_of(table, table->slots[slot].request.handle);

    table->slots[slot].next = *head;
    *head = slot;
}

/* Link the slots of `from`, which are already in place, into chains again, in their order. */
static void chain_again(tracer_requests *table, const tracer_requests *from)
{
    for (size_t chain = 0; chain < from->room; chain++) {
        size_t reversed = none;

        for (size_t slot = from->heads[chain], next; slot != none; slot = next) {
            next = table->slots[slot].next;
            table->slots[slot].next = reversed;
            reversed = slot;
        }
        for (size_t slot = reversed, next; slot != none; slot = next) {
            next = table->slots[slot].next;
            push(table, slot);
        }
    }
}

/* Called when all slots are in use. */
static cb_status table_grow(tracer_requests *table)
{
    tracer_requests larger = *table;

    larger.room = table->room == 0 ? FIRST_ROOM : 2 * table->room;
    larger.slots = cb_allocate(larger.room, sizeof(*larger.slots), "requests under way");
    larger.heads = cb_allocate(larger.room, sizeof(*larger.heads), "requests under way");
    if (larger.slots == NULL || larger.heads == NULL) {
        free(larger.slots);
        free(larger.heads);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < larger.room; i++) {
        larger.heads[i] = none;
        larger.slots[i].next = i + 1 < larger.room ? i + 1 : none;
    }
    for (size_t i = 0; i < table->room; i++)
        larger.slots[i] = table->slots[i];
    larger.unused = table->room;
    chain_again(&larger, table);
    free(table->slots);
    free(table->heads);
    *table = larger;
    return CB_OK;
}

cb_status tracer_requests_add(tracer_requests *table, const tracer_request *request)
{
    size_t slot;

    if (table->count == table->room)
        CB_TRY(table_grow(table));
    slot = table->unused;
    table->unused = table->slots[slot].next;
    table->slots[slot].request = *request;
    table->slots[slot].request.number = table->added++;
    table->count++;
    push(table, slot);
    return CB_OK;
}

/* The place of a slot's number, in a head or in another slot; NULL if there is none. */
static size_t *link_of(const tracer_requests *table, uintptr_t handle, uint64_t among)
{
    size_t *link = table->count > 0 ? head_of(table, handle) : NULL;

    for (; link != NULL && *link != none; link = &table->slots[*link].next) {
        const tracer_request *request = &table->slots[*link].request;

        if (request->handle == handle && request->number < among)
            return link;
    }
    return NULL;
}

bool tracer_requests_take(tracer_requests *table, uintptr_t handle, uint64_t among,
                          tracer_request *out)
{
    size_t *link = link_of(table, handle, among), slot;

    if (link == NULL)
        return false;
    slot = *link;
    *out = table->slots[slot].request;
    *link = table->slots[slot].next;
    table->slots[slot].next = table->unused;
    table->unused = slot;
    table->count--;
    return true;
}

void tracer_requests_free(tracer_requests *table)
{
    free(table->slots);
    free(table->heads);
    *table = (tracer_requests){0};
}
