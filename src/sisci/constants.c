/* The constants of the interface. */
#include "sisci/constants.h"

#include <limits.h>

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
