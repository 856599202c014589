/* Queries: constants of the interface, error texts, devices, nodes and adapters. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

#define DEFINE_FLAG(name, bit) const unsigned int SCI_FLAG_##name = FLAG_##name;
SISCI_FLAGS(DEFINE_FLAG)

const unsigned int SCI_LOCAL_HOST = UINT_MAX;
const unsigned int SCI_INFINITE_TIMEOUT = UINT_MAX;
const unsigned int DIS_BROADCAST_NODEID_GROUP_ALL = SISCI_BROADCAST_NODE;

const unsigned int SCI_Q_VENDORID = QUERY_VENDOR;
const unsigned int SCI_Q_API = QUERY_API;
const unsigned int SCI_Q_ADAPTER = QUERY_ADAPTER;
const unsigned int SCI_Q_ADAPTER_NODEID = QUERY_ADAPTER_NODE;
const unsigned int SCI_Q_ADAPTER_NUMBER = QUERY_ADAPTER_NUMBER;
const unsigned int SCI_Q_ADAPTER_CONFIGURED = QUERY_ADAPTER_CONFIGURED;
const unsigned int SCI_Q_ADAPTER_LINK_OPERATIONAL = QUERY_ADAPTER_OPERATIONAL;
const unsigned int SCI_Q_ADAPTER_DMA_MTU = QUERY_ADAPTER_DMA_MTU;
const unsigned int SCI_Q_ADAPTER_DMA_SIZE_ALIGNMENT = QUERY_ADAPTER_DMA_SIZE_ALIGNMENT;
const unsigned int SCI_Q_ADAPTER_DMA_OFFSET_ALIGNMENT = QUERY_ADAPTER_DMA_OFFSET_ALIGNMENT;

typedef struct {
    sci_error_t error;
    const char *text;
} error_text;

static const error_text texts[] = {
    {SCI_ERR_OK, "SCI_ERR_OK: no error"},
    {SCI_ERR_BUSY, "SCI_ERR_BUSY: the resource is in use"},
    {SCI_ERR_FLAG_NOT_IMPLEMENTED, "SCI_ERR_FLAG_NOT_IMPLEMENTED: the flag exists, but not here"},
    {SCI_ERR_ILLEGAL_FLAG, "SCI_ERR_ILLEGAL_FLAG: the function has no such flag"},
    {SCI_ERR_NOSPC, "SCI_ERR_NOSPC: no shared memory is left"},
    {SCI_ERR_API_NOSPC, "SCI_ERR_API_NOSPC: no memory or place is left in the library"},
    {SCI_ERR_HW_NOSPC, "SCI_ERR_HW_NOSPC: no place is left in the adapter"},
    {SCI_ERR_NOT_IMPLEMENTED, "SCI_ERR_NOT_IMPLEMENTED: the function does not exist here"},
    {SCI_ERR_ILLEGAL_ADAPTERNO, "SCI_ERR_ILLEGAL_ADAPTERNO: no host can have that adapter number"},
    {SCI_ERR_NO_SUCH_ADAPTERNO, "SCI_ERR_NO_SUCH_ADAPTERNO: there is no adapter of that number"},
    {SCI_ERR_TIMEOUT, "SCI_ERR_TIMEOUT: nothing happened in time"},
    {SCI_ERR_OUT_OF_RANGE, "SCI_ERR_OUT_OF_RANGE: offset and size go beyond the end"},
    {SCI_ERR_NO_SUCH_SEGMENT, "SCI_ERR_NO_SUCH_SEGMENT: no segment or interrupt has that number"},
    {SCI_ERR_ILLEGAL_NODEID, "SCI_ERR_ILLEGAL_NODEID: no node can have that id"},
    {SCI_ERR_CONNECTION_REFUSED, "SCI_ERR_CONNECTION_REFUSED: the segment is not available"},
    {SCI_ERR_SEGMENT_NOT_CONNECTED, "SCI_ERR_SEGMENT_NOT_CONNECTED: the connection is lost"},
    {SCI_ERR_SIZE_ALIGNMENT, "SCI_ERR_SIZE_ALIGNMENT: the size is 0 or not a multiple as needed"},
    {SCI_ERR_OFFSET_ALIGNMENT, "SCI_ERR_OFFSET_ALIGNMENT: the offset is not a multiple as needed"},
    {SCI_ERR_ILLEGAL_PARAMETER, "SCI_ERR_ILLEGAL_PARAMETER: a parameter has no meaning"},
    {SCI_ERR_MAX_ENTRIES, "SCI_ERR_MAX_ENTRIES: the DMA queue is full"},
    {SCI_ERR_SEGMENT_NOT_PREPARED, "SCI_ERR_SEGMENT_NOT_PREPARED: the segment is not prepared"},
    {SCI_ERR_ILLEGAL_ADDRESS, "SCI_ERR_ILLEGAL_ADDRESS: the address cannot be used"},
    {SCI_ERR_ILLEGAL_OPERATION, "SCI_ERR_ILLEGAL_OPERATION: not in this state"},
    {SCI_ERR_ILLEGAL_QUERY, "SCI_ERR_ILLEGAL_QUERY: there is no such query"},
    {SCI_ERR_SEGMENTID_USED, "SCI_ERR_SEGMENTID_USED: the segment or interrupt number is taken"},
    {SCI_ERR_SYSTEM, "SCI_ERR_SYSTEM: the operating system refused; see errno"},
    {SCI_ERR_CANCELLED,
     "SCI_ERR_CANCELLED: what was waited for was removed, or this process is ending"},
    {SCI_ERR_NOT_CONNECTED, "SCI_ERR_NOT_CONNECTED: the interrupt is gone"},
    {SCI_ERR_NOT_AVAILABLE, "SCI_ERR_NOT_AVAILABLE: not available"},
    {SCI_ERR_INCONSISTENT_VERSIONS, "SCI_ERR_INCONSISTENT_VERSIONS: library and driver differ"},
    {SCI_ERR_OVERFLOW, "SCI_ERR_OVERFLOW: too many wait to be taken"},
    {SCI_ERR_NOT_INITIALIZED, "SCI_ERR_NOT_INITIALIZED: SCIInitialize() was not called"},
    {SCI_ERR_ACCESS, "SCI_ERR_ACCESS: no access"},
    {SCI_ERR_NO_SUCH_NODEID, "SCI_ERR_NO_SUCH_NODEID: no process of that node is there"},
    {SCI_ERR_NODE_NOT_RESPONDING, "SCI_ERR_NODE_NOT_RESPONDING: the node does not answer"},
    {SCI_ERR_NO_REMOTE_LINK_ACCESS, "SCI_ERR_NO_REMOTE_LINK_ACCESS: a switch does not answer"},
    {SCI_ERR_NO_LINK_ACCESS, "SCI_ERR_NO_LINK_ACCESS: the adapter has no link"},
    {SCI_ERR_TRANSFER_FAILED, "SCI_ERR_TRANSFER_FAILED: the transfer failed; send again"},
};

const char *SCIGetErrorString(sci_error_t error)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].error == error)
            return texts[i].text;
    return "no error code of SISCI";
}
SISCI_EXPORT(SCIGetErrorString);

void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error)
{
    sci_desc_t descriptor;

    *error = sisci_check_flags(flags, FLAG_THREAD_SAFE, 0);
    if (*error == SCI_ERR_OK && sd == NULL)
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    descriptor = calloc(1, sizeof(*descriptor));
    if (descriptor == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    sisci_lock();
    if (sisci_shm.initialised == 0)
        *error = SCI_ERR_NOT_INITIALIZED;
    else {
        descriptor->next = sisci_shm.descriptors;
        sisci_shm.descriptors = descriptor;
    }
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        *sd = descriptor;
    else
        free(descriptor);
}
SISCI_EXPORT(SCIOpen);

void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error)
{
    sci_desc_t *link = &sisci_shm.descriptors;

    *error = sd == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (sd->newest != NULL)
        *error = SCI_ERR_BUSY;
    else {
        while (*link != sd)
            link = &(*link)->next;
        *link = sd->next;
        free(sd);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCIClose);

/* The node of this process. */
static sci_error_t local_node(unsigned *node)
{
    bool initialised;

    sisci_lock();
    initialised = sisci_shm.initialised > 0;
    *node = sisci_shm.node;
    sisci_unlock();
    return initialised ? SCI_ERR_OK : SCI_ERR_NOT_INITIALIZED;
}

void SCIGetLocalNodeId(unsigned int adapterNo, unsigned int *nodeId, unsigned int flags,
                       sci_error_t *error)
{
    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && nodeId == NULL)
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(adapterNo);
    if (*error == SCI_ERR_OK)
        *error = local_node(nodeId);
}
SISCI_EXPORT(SCIGetLocalNodeId);

int SCIProbeNode(sci_desc_t sd, unsigned int localAdapterNo, unsigned int nodeId,
                 unsigned int flags, sci_error_t *error)
{
    *error = sd == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(localAdapterNo);
    if (*error == SCI_ERR_OK)
        *error = sisci_check_node(&nodeId);
    if (*error != SCI_ERR_OK)
        return 0;
    sisci_lock();
    if (!sisci_node_exists(sisci_shm.job, nodeId))
        *error = SCI_ERR_NO_SUCH_NODEID;
    sisci_unlock();
    return *error == SCI_ERR_OK;
}
SISCI_EXPORT(SCIProbeNode);

typedef struct {
    unsigned subcommand;
    unsigned value;
} adapter_fact;

static const adapter_fact facts[] = {
    {QUERY_ADAPTER_NUMBER, SISCI_ADAPTERS},
    {QUERY_ADAPTER_CONFIGURED, 1},
    {QUERY_ADAPTER_OPERATIONAL, 1},
    {QUERY_ADAPTER_DMA_MTU,
     1u << 31}, /* any size is possible, but the query must return a number */
    {QUERY_ADAPTER_DMA_SIZE_ALIGNMENT, SISCI_DMA_ALIGNMENT},
    {QUERY_ADAPTER_DMA_OFFSET_ALIGNMENT, SISCI_DMA_ALIGNMENT},
};

static sci_error_t query_adapter(const sci_query_adapter_t *query)
{
    sci_error_t error = sisci_check_adapter(query->localAdapterNo);

    if (error != SCI_ERR_OK)
        return error;
    if (query->data == NULL)
        return SCI_ERR_ILLEGAL_PARAMETER;
    if (query->subcommand == QUERY_ADAPTER_NODE)
        return local_node(query->data);
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (facts[i].subcommand == query->subcommand) {
            *(unsigned *)query->data = facts[i].value;
            return SCI_ERR_OK;
        }
    return SCI_ERR_ILLEGAL_QUERY;
}

static sci_error_t query_text(sci_query_string_t *query, const char *text)
{
    if (query->str == NULL || query->length == 0)
        return SCI_ERR_ILLEGAL_PARAMETER;
    snprintf(query->str, query->length, "%s", text);
    return SCI_ERR_OK;
}

void SCIQuery(unsigned int command, void *data, unsigned int flags, sci_error_t *error)
{
    unsigned node;

    *error = data == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK)
        *error = local_node(&node);
    if (*error != SCI_ERR_OK)
        return;
    switch (command) {
    case QUERY_VENDOR:
        *error = query_text(data, "combench: SISCI over POSIX shared memory");
        break;
    case QUERY_API:
        *error = query_text(data, "SISCI API 2");
        break;
    case QUERY_ADAPTER:
        *error = query_adapter(data);
        break;
    default:
        *error = SCI_ERR_ILLEGAL_QUERY;
    }
}
SISCI_EXPORT(SCIQuery);
