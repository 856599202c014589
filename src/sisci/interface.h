/* What all files need to implement the interface: the values of flags and queries, for places where
 * the public constants, which are variables, cannot be used; the limits; the check of flags; and
 * the second name of each function. Each flag has a bit of its own, so that a flag of another
 * function is noticed. */
#ifndef SISCI_INTERFACE_H
#define SISCI_INTERFACE_H

#ifndef _REENTRANT
#error "the library is compiled with -D_REENTRANT: its own functions have the MT names"
#endif

#include <stdbool.h>
#include <stddef.h>

#include "sisci/sisci_error.h"

/* Export a function of the interface: it is compiled under its MT name, and the ST name is an
 * alias. All other functions of the library are hidden. */
#define SISCI_EXPORT(name)                                                                         \
    extern __typeof__(sisci_shm_mt_##name) sisci_shm_st_##name                                     \
        __attribute__((alias("sisci_shm_mt_" #name), visibility("default")))

#define SISCI_FLAGS(X)                                                                             \
    X(USE_CALLBACK, 0)                                                                             \
    X(EMPTY, 1)                                                                                    \
    X(PRIVATE, 2)                                                                                  \
    X(AUTO_ID, 3)                                                                                  \
    X(BROADCAST, 4)                                                                                \
    X(DMA_SOURCE_ONLY, 5)                                                                          \
    X(FIXED_MAP_ADDR, 6)                                                                           \
    X(READONLY_MAP, 7)                                                                             \
    X(ASYNCHRONOUS_CONNECT, 8)                                                                     \
    X(FORCE_DISCONNECT, 9)                                                                         \
    X(NOTIFY, 10)                                                                                  \
    X(THREAD_SAFE, 11)                                                                             \
    X(FIXED_INTNO, 12)                                                                             \
    X(SHARED_INT, 13)                                                                              \
    X(COUNTING_INT, 14)                                                                            \
    X(DMA_READ, 15)                                                                                \
    X(DMA_WAIT, 16)                                                                                \
    X(DMA_GLOBAL, 17)                                                                              \
    X(DMA_SYSDMA, 18)                                                                              \
    X(DMA_ADAPTER, 19)                                                                             \
    X(NO_FLUSH, 20)                                                                                \
    X(NO_STORE_BARRIER, 21)                                                                        \
    X(FAST_BARRIER, 22)                                                                            \
    X(ERROR_CHECK, 23)                                                                             \
    X(BLOCK_READ, 24)                                                                              \
    X(FLUSH_CPU_BUFFERS_ONLY, 25)

#define SISCI_FLAG_VALUE(name, bit) FLAG_##name = 1u << (bit),
enum { SISCI_FLAGS(SISCI_FLAG_VALUE) };
#undef SISCI_FLAG_VALUE

enum {
    SISCI_BROADCAST_NODE = 252,
    SISCI_NODE_MULTIPLE = 4,
    SISCI_NODE_MAXIMUM = 65532,
    SISCI_ADAPTERS = 1,
    SISCI_ADAPTER_LIMIT = 32, /* numbers from there on are illegal, not only absent */
    SISCI_DMA_ALIGNMENT = 4,
    SISCI_MAP_ALIGNMENT = 4096
};

typedef enum {
    QUERY_VENDOR = 1,
    QUERY_API,
    QUERY_ADAPTER,
    QUERY_ADAPTER_NODE,
    QUERY_ADAPTER_NUMBER,
    QUERY_ADAPTER_CONFIGURED,
    QUERY_ADAPTER_OPERATIONAL,
    QUERY_ADAPTER_DMA_MTU,
    QUERY_ADAPTER_DMA_SIZE_ALIGNMENT,
    QUERY_ADAPTER_DMA_OFFSET_ALIGNMENT
} sisci_query_code;

/* SCI_ERR_OK if `flags` are among `legal`; the flags of `known` exist on real adapters only. Hot.
 */
static inline sci_error_t sisci_check_flags(unsigned flags, unsigned legal, unsigned known)
{
    if ((flags & ~(legal | known)) != 0)
        return SCI_ERR_ILLEGAL_FLAG;
    return (flags & known) != 0 ? SCI_ERR_FLAG_NOT_IMPLEMENTED : SCI_ERR_OK;
}

static inline sci_error_t sisci_check_adapter(unsigned adapter)
{
    if (adapter >= SISCI_ADAPTER_LIMIT)
        return SCI_ERR_ILLEGAL_ADAPTERNO;
    return adapter >= SISCI_ADAPTERS ? SCI_ERR_NO_SUCH_ADAPTERNO : SCI_ERR_OK;
}

/* Whether a piece of memory lies within `whole` bytes. */
static inline bool sisci_is_within(size_t offset, size_t size, size_t whole)
{
    return offset <= whole && size <= whole - offset;
}

/* Whether that is the id of a single node. */
static inline bool sisci_is_node(unsigned long node)
{
    return node > 0 && node <= SISCI_NODE_MAXIMUM && node % SISCI_NODE_MULTIPLE == 0 &&
           node != SISCI_BROADCAST_NODE;
}

#endif
