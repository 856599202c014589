/* Coroutines by Boost.Context's functions in assembly. They save only the registers that a call
 * has to keep, and no signal mask: a resume and a leave take 15 ns together, by setjmp 45, by
 * swapcontext 400. Sanitizers learn of each change of stacks. */
#include "base/coroutine.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define WITH_ASAN 1
#else
#define WITH_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define WITH_TSAN 1
#else
#define WITH_TSAN 0
#endif

/* boost/context/detail/fcontext.hpp, which is in C++: a suspended stack, and what a jump brings:
 * the stack that was left, and the argument. */
typedef void *fcontext;
typedef struct {
    fcontext from;
    void *data;
} transfer;

transfer jump_fcontext(fcontext to, void *data);
fcontext make_fcontext(void *end_of_stack, size_t bytes, void (*function)(transfer));

/* At the lower end of each stack. */
static const uint64_t intact = 0x636f6d62656e6368;

typedef struct {
    fcontext place;
    void *fiber; /* of the thread sanitizer */
    bool ended;
} coroutine;

struct cb_coroutines {
    coroutine *each;
    size_t count, current, stack_bytes;
    cb_coroutine_body *body;
    void *context;
    char *arena; /* the stacks; or MAP_FAILED */
    fcontext resumer;
    void *resumer_fiber;
    const void *resumer_stack; /* for the address sanitizer */
    size_t resumer_bytes;
};

static char *stack_of(const cb_coroutines *all, size_t index)
{
    return all->arena + index * all->stack_bytes;
}

/* Before and after a change to the stack of a coroutine, or (index == count) of the resumer. */
static inline void tell_before(cb_coroutines *all, size_t to, bool ends, void **kept)
{
    (void)all, (void)to, (void)ends, (void)kept;
#if WITH_ASAN
    if (to == all->count)
        __sanitizer_start_switch_fiber(ends ? NULL : kept, all->resumer_stack, all->resumer_bytes);
    else
        __sanitizer_start_switch_fiber(kept, stack_of(all, to), all->stack_bytes);
#endif
#if WITH_TSAN
    __tsan_switch_to_fiber(to == all->count ? all->resumer_fiber : all->each[to].fiber, 0);
#endif
}

static inline void tell_after(cb_coroutines *all, bool in_coroutine, void *kept)
{
    (void)all, (void)in_coroutine, (void)kept;
#if WITH_ASAN
    __sanitizer_finish_switch_fiber(kept, in_coroutine ? &all->resumer_stack : NULL,
                                    in_coroutine ? &all->resumer_bytes : NULL);
#endif
}

static void run(transfer begun)
{
    cb_coroutines *all = begun.data;
    const size_t index = all->current;

    tell_after(all, true, NULL);
    all->resumer = begun.from;
    all->body(all->context, index);
    all->each[index].ended = true;
    tell_before(all, all->count, true, NULL);
    jump_fcontext(all->resumer, NULL);
    __builtin_unreachable();
}

cb_status cb_coroutines_create(size_t count, size_t stack_bytes, cb_coroutine_body *body,
                               void *context, cb_coroutines **out)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    cb_coroutines *all = cb_allocate(1, sizeof(*all), "coroutines");

    if (all == NULL)
        return CB_ERROR_MEMORY;
    *all = (cb_coroutines){.count = count,
                           .stack_bytes = (stack_bytes + page - 1) / page * page,
                           .body = body,
                           .context = context,
                           .arena = MAP_FAILED};
    all->each = cb_allocate(count, sizeof(*all->each), "coroutines");
    if (all->each == NULL) {
        cb_coroutines_free(all);
        return CB_ERROR_MEMORY;
    }
    if (count <= SIZE_MAX / all->stack_bytes)
        all->arena = mmap(NULL, count * all->stack_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (all->arena == MAP_FAILED) {
        cb_error(
            "cannot map the stacks of %zu ranks, %zu bytes each: %s; use fewer ranks, or raise "
            "the limit of address space (ulimit -v)",
            count, all->stack_bytes, strerror(errno));
        cb_coroutines_free(all);
        return CB_ERROR_MEMORY;
    }
#if WITH_TSAN
    all->resumer_fiber = __tsan_get_current_fiber();
#endif
    *out = all;
    return CB_OK;
}

void cb_coroutines_free(cb_coroutines *all)
{
    if (all == NULL)
        return;
#if WITH_TSAN
    for (size_t i = 0; all->each != NULL && i < all->count; i++)
        if (all->each[i].fiber != NULL)
            __tsan_destroy_fiber(all->each[i].fiber);
#endif
    if (all->arena != MAP_FAILED)
        munmap(all->arena, all->count * all->stack_bytes);
    free(all->each);
    free(all);
}

/* The pages of a stack are first touched here: that of its end, and that of the mark. */
static void begin(cb_coroutines *all, size_t index)
{
    char *stack = stack_of(all, index);

    memcpy(stack, &intact, sizeof(intact));
    all->each[index].place = make_fcontext(stack + all->stack_bytes, all->stack_bytes, run);
#if WITH_TSAN
    all->each[index].fiber = __tsan_create_fiber(0);
#endif
}

bool cb_coroutines_resume(cb_coroutines *all, size_t index)
{
    coroutine *own = &all->each[index];
    void *kept = NULL;

    if (own->place == NULL)
        begin(all, index);
    all->current = index;
    tell_before(all, index, false, &kept);
    own->place = jump_fcontext(own->place, all).from;
    tell_after(all, false, kept);
    if (memcmp(stack_of(all, index), &intact, sizeof(intact)) != 0) {
        cb_error("the stack of rank %zu, %zu bytes, overflowed: a defect of this program; please "
                 "report it",
                 index, all->stack_bytes);
        abort();
    }
    return own->ended;
}

void cb_coroutines_leave(cb_coroutines *all)
{
    void *kept = NULL;

    tell_before(all, all->count, false, &kept);
    all->resumer = jump_fcontext(all->resumer, NULL).from;
    tell_after(all, true, kept);
}
