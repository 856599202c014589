/* What there is: nodes and adapters. */
#include <stdio.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/library.h"
#include "sisci/peer.h"
#include "sisci/sisci_api.h"

static const char vendor[] = "combench: SISCI over POSIX shared memory";
static const char api[] = "SISCI API 2";

/* A transfer may have any size; a number has to be named. */
#define DMA_LARGEST (1u << 31)

typedef struct {
    unsigned subcommand;
    unsigned value;
} adapter_fact;

static const adapter_fact facts[] = {
    {QUERY_ADAPTER_NUMBER, SISCI_ADAPTERS},
    {QUERY_ADAPTER_CONFIGURED, 1},
    {QUERY_ADAPTER_OPERATIONAL, 1},
    {QUERY_ADAPTER_DMA_MTU, DMA_LARGEST},
    {QUERY_ADAPTER_DMA_SIZE_ALIGNMENT, SISCI_DMA_ALIGNMENT},
    {QUERY_ADAPTER_DMA_OFFSET_ALIGNMENT, SISCI_DMA_ALIGNMENT},
};

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

static sci_error_t query_text(sci_query_string_t *query, const char *text)
{
    if (query->str == NULL || query->length == 0)
        return SCI_ERR_ILLEGAL_PARAMETER;
    snprintf(query->str, query->length, "%s", text);
    return SCI_ERR_OK;
}

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

static sci_error_t answer(unsigned command, void *data)
{
    switch (command) {
    case QUERY_VENDOR:
        return query_text(data, vendor);
    case QUERY_API:
        return query_text(data, api);
    case QUERY_ADAPTER:
        return query_adapter(data);
    default:
        return SCI_ERR_ILLEGAL_QUERY;
    }
}

void SCIQuery(unsigned int command, void *data, unsigned int flags, sci_error_t *error)
{
    unsigned node;

    *error = data == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK)
        *error = local_node(&node);
    if (*error == SCI_ERR_OK)
        *error = answer(command, data);
}
SISCI_EXPORT(SCIQuery);
