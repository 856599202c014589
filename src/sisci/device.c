/* Devices, nodes and adapters. */
#include <stdio.h>
#include <stdlib.h>

#include "sisci/interface.h"
#include "sisci/library.h"
#include "sisci/peer.h"
#include "sisci/sisci_api.h"

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
    {QUERY_ADAPTER_DMA_MTU, 1u << 31}, /* any size is possible; a number has to be named */
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
