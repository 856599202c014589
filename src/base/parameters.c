/* The table: names, defaults and places of the Context SCI are those of section 10 of the SCI note,
 * inline_area_size and the ranges ours. KB and MB are 2^10 and 2^20 there: 8 KB of headers and 127
 * receive buffers of 8 KB fill the segment of 1 MB to the byte. */
#include "base/parameters.h"

#define FIELD(name) offsetof(cb_node_settings, name)
#define LARGEST_AREA (UINT64_C(1) << 40)
#define LARGEST_BUFFER (UINT64_C(1) << 31)
#define LARGEST_SOCKET_BUFFER (UINT64_C(1) << 30)
/* Ranks on a machine are added to it, and the sum is a number of 32 bits. */
#define LARGEST_SEGMENT_ID (UINT64_C(0xffffffff) - 0xffff)

enum { KB = 1 << 10, MB = 1 << 20, MOST_BUFFERS = 1 << 20 };
enum { LARGEST_PORT = 65535, LONGEST_SILENCE_S = 86400, LONGEST_TIMEOUT_MS = 600000 };
enum { ANY_NODE = CB_SCOPE_TOP | CB_SCOPE_NODE, LINE = CB_SCI_LINE_BYTES };

const cb_parameter cb_parameters[CB_PARAMETERS] = {
    [CB_MAX_OUTST_BUFFERS] = {.name = "max_outst_buffers",
                              .scopes = ANY_NODE,
                              .kind = CB_PARAMETER_COUNT,
                              .offset = FIELD(sci.max_outst_buffers),
                              .default_value = 1,
                              .minimum = 1,
                              .maximum = CB_SCI_MAX_OUTSTANDING},
    [CB_RECV_SEG_ID] = {.name = "recv_seg_id",
                        .scopes = ANY_NODE,
                        .kind = CB_PARAMETER_COUNT,
                        .offset = FIELD(sci.recv_seg_id),
                        .default_value = 8,
                        .maximum = LARGEST_SEGMENT_ID},
    [CB_RECV_SEG_SIZE] = {.name = "recv_seg_size",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_SIZE,
                          .offset = FIELD(sci.recv_seg_size),
                          .default_value = 1 * MB,
                          .minimum = LINE,
                          .maximum = LARGEST_AREA,
                          .multiple = LINE},
    [CB_HEADER_AREA_SIZE] = {.name = "header_area_size",
                             .scopes = ANY_NODE,
                             .kind = CB_PARAMETER_SIZE,
                             .offset = FIELD(sci.header_area_size),
                             .default_value = 8 * KB,
                             .minimum = CB_SCI_HEADER_BYTES,
                             .maximum = LARGEST_AREA,
                             .multiple = CB_SCI_HEADER_BYTES},
    [CB_INLINE_AREA_SIZE] = {.name = "inline_area_size",
                             .scopes = ANY_NODE,
                             .kind = CB_PARAMETER_SIZE,
                             .offset = FIELD(sci.inline_area_size),
                             .maximum = LARGEST_AREA,
                             .multiple = LINE},
    [CB_RECV_BUFFER_NO] = {.name = "recv_buffer_no",
                           .scopes = ANY_NODE,
                           .kind = CB_PARAMETER_COUNT,
                           .offset = FIELD(sci.recv_buffer_no),
                           .default_value = 127,
                           .minimum = 1,
                           .maximum = MOST_BUFFERS},
    [CB_RECV_BUFFER_SIZE] = {.name = "recv_buffer_size",
                             .scopes = ANY_NODE,
                             .kind = CB_PARAMETER_SIZE,
                             .offset = FIELD(sci.recv_buffer_size),
                             .default_value = 8 * KB,
                             .minimum = LINE,
                             .maximum = LARGEST_BUFFER,
                             .multiple = LINE},
    [CB_USE_SEND_POOL] = {.name = "use_send_pool",
                          .scopes = ANY_NODE,
                          .kind = CB_PARAMETER_FLAG,
                          .offset = FIELD(sci.use_send_pool),
                          .maximum = 1},
    [CB_SEND_BUFFER_NO] = {.name = "send_buffer_no",
                           .scopes = ANY_NODE,
                           .kind = CB_PARAMETER_COUNT,
                           .offset = FIELD(sci.send_buffer_no),
                           .default_value = 127,
                           .minimum = 1,
                           .maximum = MOST_BUFFERS},
    [CB_SEND_BUFFER_SIZE] = {.name = "send_buffer_size",
                             .scopes = ANY_NODE,
                             .kind = CB_PARAMETER_SIZE,
                             .offset = FIELD(sci.send_buffer_size),
                             .default_value = 8 * KB,
                             .minimum = LINE,
                             .maximum = LARGEST_BUFFER,
                             .multiple = LINE},
    [CB_NODE_ID] = {.name = "node_id",
                    .scopes = CB_SCOPE_MACHINE,
                    .kind = CB_PARAMETER_ID,
                    .offset = FIELD(node_id),
                    .default_value = CB_NODE_ID_UNKNOWN,
                    .minimum = CB_SCI_NODE_MULTIPLE,
                    .maximum = CB_SCI_NODE_MOST,
                    .multiple = CB_SCI_NODE_MULTIPLE},
    [CB_TCP_PORT] = {.name = "port",
                     .context = CB_CONTEXT_TCP,
                     .scopes = ANY_NODE,
                     .kind = CB_PARAMETER_COUNT,
                     .offset = FIELD(tcp.port),
                     .maximum = LARGEST_PORT},
    [CB_TCP_SOCKET_BUFFER_SIZE] = {.name = "socket_buffer_size",
                                   .context = CB_CONTEXT_TCP,
                                   .scopes = ANY_NODE,
                                   .kind = CB_PARAMETER_SIZE,
                                   .offset = FIELD(tcp.socket_buffer_size),
                                   .maximum = LARGEST_SOCKET_BUFFER},
    [CB_TCP_SILENCE] = {.name = "silence_s",
                        .context = CB_CONTEXT_TCP,
                        .scopes = ANY_NODE,
                        .kind = CB_PARAMETER_COUNT,
                        .offset = FIELD(tcp.silence_s),
                        .default_value = 20,
                        .minimum = 1,
                        .maximum = LONGEST_SILENCE_S},
    [CB_UDP_PORT] = {.name = "port",
                     .context = CB_CONTEXT_UDP,
                     .scopes = ANY_NODE,
                     .kind = CB_PARAMETER_COUNT,
                     .offset = FIELD(udp.port),
                     .maximum = LARGEST_PORT},
    [CB_UDP_SOCKET_BUFFER_SIZE] = {.name = "socket_buffer_size",
                                   .context = CB_CONTEXT_UDP,
                                   .scopes = ANY_NODE,
                                   .kind = CB_PARAMETER_SIZE,
                                   .offset = FIELD(udp.socket_buffer_size),
                                   .default_value = 4 * MB,
                                   .maximum = LARGEST_SOCKET_BUFFER},
    [CB_UDP_TIMEOUT] = {.name = "timeout_ms",
                        .context = CB_CONTEXT_UDP,
                        .scopes = ANY_NODE,
                        .kind = CB_PARAMETER_COUNT,
                        .offset = FIELD(udp.timeout_ms),
                        .default_value = 100,
                        .minimum = 1,
                        .maximum = LONGEST_TIMEOUT_MS},
    [CB_UDP_FRAGMENT] = {.name = "fragment",
                         .context = CB_CONTEXT_UDP,
                         .scopes = ANY_NODE,
                         .kind = CB_PARAMETER_FLAG,
                         .offset = FIELD(udp.fragment),
                         .maximum = 1},
};

static const struct {
    const char *name, *technology;
} contexts[] = {
    [CB_CONTEXT_SCI] = {"SCI", "sci"},
    [CB_CONTEXT_TCP] = {"TCP", "tcp"},
    [CB_CONTEXT_UDP] = {"UDP", "udp"},
};

const char *cb_context_name(cb_context context)
{
    return contexts[context].name;
}

const char *cb_context_technology(cb_context context)
{
    return contexts[context].technology;
}

uint64_t cb_parameter_get(const cb_parameter *row, const cb_node_settings *node)
{
    const void *field = (const char *)node + row->offset;

    switch (row->kind) {
    case CB_PARAMETER_FLAG:
        return *(const bool *)field;
    case CB_PARAMETER_ID:
        return *(const uint32_t *)field;
    case CB_PARAMETER_COUNT:
    case CB_PARAMETER_SIZE:
        break;
    }
    return *(const uint64_t *)field;
}

void cb_parameter_set(const cb_parameter *row, uint64_t value, cb_node_settings *node)
{
    void *field = (char *)node + row->offset;

    switch (row->kind) {
    case CB_PARAMETER_FLAG:
        *(bool *)field = value != 0;
        break;
    case CB_PARAMETER_ID:
        *(uint32_t *)field = (uint32_t)value;
        break;
    case CB_PARAMETER_COUNT:
    case CB_PARAMETER_SIZE:
        *(uint64_t *)field = value;
        break;
    }
}
