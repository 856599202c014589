/* Coroutines by ucontext: each member has a stack of its own, of which the system provides what is
 * touched, below a page that must not be. */
#include "emit/crew.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

enum { STACK_BYTES = 256 * 1024 };

typedef struct {
    ucontext_t context;
    void *stack; /* NULL, or MAP_FAILED */
    bool ended;
    cb_status status;
} crew_member;

struct bench_crew {
    crew_member *members;
    size_t count, current;
    ucontext_t scheduler;
    bench_part part;
    void *context;
    bool progress; /* since the last turn of all began */
};

/* The arguments of a context's function are ints: a pointer comes in two halves. */
static void run_member(unsigned high, unsigned low)
{
    bench_crew *crew = (bench_crew *)((uintptr_t)high << 32 | (uintptr_t)low);
    crew_member *member = &crew->members[crew->current];

    member->status = crew->part(crew->context, crew->current);
    member->ended = true;
    crew->progress = true;
}

static cb_status give_stack(bench_crew *crew, crew_member *member)
{
    const uintptr_t address = (uintptr_t)crew;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    member->stack = mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (member->stack == MAP_FAILED || mprotect(member->stack, page, PROT_NONE) != 0 ||
        getcontext(&member->context) != 0) {
        cb_error("cannot give %zu ranks a stack each: %s; trace fewer ranks, or raise "
                 "vm.max_map_count",
                 crew->count, strerror(errno));
        return CB_ERROR_MEMORY;
    }
    member->context.uc_stack.ss_sp = (char *)member->stack + page;
    member->context.uc_stack.ss_size = STACK_BYTES;
    member->context.uc_link = &crew->scheduler;
    makecontext(&member->context, (void (*)(void))run_member, 2, (unsigned)(address >> 32),
                (unsigned)address);
    return CB_OK;
}

cb_status bench_crew_create(size_t count, bench_part part, void *context, bench_crew **out)
{
    bench_crew *crew = cb_allocate(1, sizeof(*crew), "a crew");
    cb_status status = CB_OK;

    if (crew == NULL)
        return CB_ERROR_MEMORY;
    *crew = (bench_crew){.count = count, .part = part, .context = context};
    crew->members = cb_allocate(count, sizeof(*crew->members), "a crew");
    if (crew->members == NULL)
        status = CB_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == CB_OK; i++)
        status = give_stack(crew, &crew->members[i]);
    if (status != CB_OK) {
        bench_crew_free(crew);
        return status;
    }
    *out = crew;
    return CB_OK;
}

void bench_crew_free(bench_crew *crew)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (crew == NULL)
        return;
    for (size_t i = 0; crew->members != NULL && i < crew->count; i++)
        if (crew->members[i].stack != NULL && crew->members[i].stack != MAP_FAILED)
            munmap(crew->members[i].stack, STACK_BYTES + page);
    free(crew->members);
    free(crew);
}

/* Each that has not ended goes on once; *left is how many have not ended then. */
static cb_status turn(bench_crew *crew, size_t *left)
{
    *left = 0;
    for (crew->current = 0; crew->current < crew->count; crew->current++) {
        crew_member *member = &crew->members[crew->current];

        if (member->ended)
            continue;
        swapcontext(&crew->scheduler, &member->context);
        if (member->ended && member->status != CB_OK)
            return member->status;
        *left += !member->ended;
    }
    return CB_OK;
}

cb_status bench_crew_run(bench_crew *crew)
{
    size_t left;

    do {
        crew->progress = false;
        CB_TRY(turn(crew, &left));
        if (left > 0 && !crew->progress) {
            cb_error("%zu ranks wait for messages that nobody sends; this is a mistake in the "
                     "benchmark",
                     left);
            return CB_ERROR_TRANSPORT;
        }
    } while (left > 0);
    return CB_OK;
}

void bench_crew_pause(bench_crew *crew)
{
    swapcontext(&crew->members[crew->current].context, &crew->scheduler);
}

void bench_crew_progress(bench_crew *crew)
{
    crew->progress = true;
}
