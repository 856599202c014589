/* The values of flags and queries, for use where the public constants, which are variables, cannot
 * stand. Each flag has a bit of its own, so that one given to the wrong function is noticed. */
#ifndef SISCI_CONSTANTS_H
#define SISCI_CONSTANTS_H

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

#endif
