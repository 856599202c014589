/* Allocation of buffers: aligned, and first touched by the process that allocates them. Cache
 * lines. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

enum { CB_CACHE_LINE = 64 };

/* Allocate `bytes` of zeroed memory aligned to `alignment` (a power of two). Free with free().
 * Returns NULL and logs an error that names `purpose` if out of memory. Zero bytes give a valid
 * pointer. */
void *cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose);

/* The same, with undefined content: nothing is written. For timed code. */
void *cb_allocate_unset(size_t alignment, size_t bytes, const char *purpose);

/* As calloc; logs an error that names `purpose` on failure. */
void *cb_allocate(size_t count, size_t size, const char *purpose);

/* Request a cache line that will be written soon, from another core's cache. A hint: any address
 * may be given, and nothing is read. On x86-64 the compiler's builtin requests it for reading only.
 */
static inline void cb_prefetch_to_write(const volatile void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const volatile char *)line));
#else
    __builtin_prefetch((const void *)line, 1);
#endif
}

/* Between two looks at a word that another core will write. Without it the looks take the word's
 * cache line back from the core that has just requested it to write. */
static inline void cb_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" : : : "memory");
#endif
}

#endif
