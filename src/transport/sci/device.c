/* The SISCI library as a whole, and virtual devices. */
#include "transport/sci/sisci.h"

#include "base/log.h"

cb_status sci_failed(const char *attempt, unsigned node_id, unsigned segment_id, sci_error_t error,
                     const char *advice)
{
    cb_error("SISCI cannot %s (node %u, id %u): %s; %s", attempt, node_id, segment_id,
             SCIGetErrorString(error), advice);
    return CB_ERROR_TRANSPORT;
}

/* What a start can fail of, and what that means for the run. */
static const struct {
    sci_error_t error;
    cb_status status;
    const char *advice;
} obstacles[] = {
    {SCI_ERR_NOSPC, CB_ERROR_MEMORY,
     "free shared memory in /dev/shm, where sisci-shm-clean removes what killed processes left"},
    {SCI_ERR_ILLEGAL_PARAMETER, CB_ERROR_USAGE, "correct the variable that its message names"},
    {SCI_ERR_ILLEGAL_NODEID, CB_ERROR_USAGE, "correct SISCI_SHM_NODE, or node_id of the machine"},
};

cb_status sci_library_start(void)
{
    const char *advice = "see whether /dev/shm can be used, or the adapter's driver is loaded";
    cb_status status = CB_ERROR_UNSUPPORTED;
    sci_error_t error;

    SCIInitialize(0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(*obstacles); i++)
        if (obstacles[i].error == error) {
            status = obstacles[i].status;
            advice = obstacles[i].advice;
        }
    cb_error("cannot start the SISCI library: %s; %s", SCIGetErrorString(error), advice);
    return status;
}

void sci_library_stop(void)
{
    SCITerminate();
}

cb_status sci_library_node_id(unsigned *node_id)
{
    sci_error_t error;

    SCIGetLocalNodeId(SCI_ADAPTER, node_id, 0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    return sci_failed("tell the local node id", 0, 0, error, "check the adapter");
}

cb_status sci_device_open(sci_device *device)
{
    sci_error_t error;

    if (device->is_open)
        return CB_OK;
    SCIOpen(&device->handle, 0, &error);
    device->is_open = error == SCI_ERR_OK;
    return device->is_open ? CB_OK : sci_failed("open a device", 0, 0, error, "check the driver");
}

void sci_device_close(sci_device *device)
{
    sci_error_t error = SCI_ERR_OK;

    if (device->is_open)
        SCIClose(device->handle, 0, &error);
    if (error != SCI_ERR_OK)
        cb_warning("SISCI cannot close a device: %s; something of it is still in use",
                   SCIGetErrorString(error));
    device->is_open = false;
}
