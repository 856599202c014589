/* The SISCI library as a whole, and virtual devices. */
#include "transport/sci/sisci.h"

#include "base/log.h"

cb_status sci_failed(const char *attempt, unsigned node_id, unsigned segment_id, sci_error_t error,
                     const char *advice)
{
    cb_error("SISCI cannot %s (node %u, id %u): error 0x%x; %s", attempt, node_id, segment_id,
             (unsigned)error, advice);
    return CB_ERROR_TRANSPORT;
}

cb_status sci_library_start(void)
{
    sci_error_t error;

    SCIInitialize(0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    cb_error("cannot start the SISCI library: error 0x%x; see its message, SISCI_SHM_NODE and "
             "node_id, or whether the adapter's driver is loaded",
             (unsigned)error);
    return CB_ERROR_UNSUPPORTED;
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
        cb_warning("SISCI cannot close a device: error 0x%x; something of it is still in use",
                   (unsigned)error);
    device->is_open = false;
}
