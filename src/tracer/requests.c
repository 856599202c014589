/* A hash table with linear probing, in which equal keys stand beside each other. */
#include "tracer/requests.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { FIRST_ROOM = 64 };

static size_t home_of(const tracer_requests *table, uintptr_t handle)
{
    return (size_t)(cb_mix64((uint64_t)handle) & (table->room - 1));
}

static void put(tracer_requests *table, const tracer_request *request)
{
    size_t place = home_of(table, request->handle);

    while (table->used[place])
        place = (place + 1) & (table->room - 1);
    table->slots[place] = *request;
    table->used[place] = true;
    table->count++;
}

static cb_status grow(tracer_requests *table)
{
    tracer_requests larger = {.room = table->room == 0 ? FIRST_ROOM : 2 * table->room};

    larger.slots = cb_allocate(larger.room, sizeof(*larger.slots), "requests under way");
    larger.used = cb_allocate(larger.room, sizeof(*larger.used), "requests under way");
    if (larger.slots == NULL || larger.used == NULL) {
        tracer_requests_free(&larger);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < table->room; i++)
        if (table->used[i])
            put(&larger, &table->slots[i]);
    tracer_requests_free(table);
    *table = larger;
    return CB_OK;
}

cb_status tracer_requests_add(tracer_requests *table, const tracer_request *request)
{
    if (2 * (table->count + 1) > table->room)
        CB_TRY(grow(table));
    put(table, request);
    return CB_OK;
}

/* What stands behind a hole moves up, unless it would come before its home. */
static void close_hole(tracer_requests *table, size_t hole)
{
    const size_t mask = table->room - 1;

    for (size_t next = (hole + 1) & mask; table->used[next]; next = (next + 1) & mask) {
        size_t home = home_of(table, table->slots[next].handle);

        if (((next - home) & mask) < ((next - hole) & mask))
            continue;
        table->slots[hole] = table->slots[next];
        hole = next;
    }
    table->used[hole] = false;
}

bool tracer_requests_take(tracer_requests *table, uintptr_t handle, tracer_request *out)
{
    size_t place;

    if (table->count == 0)
        return false;
    for (place = home_of(table, handle); table->used[place];
         place = (place + 1) & (table->room - 1))
        if (table->slots[place].handle == handle) {
            *out = table->slots[place];
            close_hole(table, place);
            table->count--;
            return true;
        }
    return false;
}

void tracer_requests_free(tracer_requests *table)
{
    free(table->slots);
    free(table->used);
    *table = (tracer_requests){0};
}
