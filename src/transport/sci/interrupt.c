/* Interrupts: a bell of this process, and the ropes to those of others. */
#include "transport/sci/sisci.h"

#include "base/log.h"

cb_status sci_bell_create(sci_bell *bell, const sci_device *device)
{
    sci_error_t error;

    SCICreateInterrupt(device->handle, &bell->handle, SCI_ADAPTER, &bell->number, NULL, NULL, 0,
                       &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    bell->handle = NULL;
    return sci_failed("create an interrupt", 0, 0, error, "check the adapter, or free /dev/shm");
}

void sci_bell_destroy(sci_bell *bell)
{
    sci_error_t ignored;

    if (bell->handle != NULL)
        SCIRemoveInterrupt(bell->handle, 0, &ignored);
    bell->handle = NULL;
}

void sci_bell_wait(const sci_bell *bell, unsigned timeout_ms)
{
    sci_error_t ignored;

    SCIWaitForInterrupt(bell->handle, timeout_ms, 0, &ignored);
}

cb_status sci_bell_connect(sci_bell_rope *rope, const sci_device *device, unsigned node_id,
                           unsigned number)
{
    sci_error_t error;

    SCIConnectInterrupt(device->handle, &rope->handle, node_id, SCI_ADAPTER, number,
                        SCI_INFINITE_TIMEOUT, 0, &error);
    if (error == SCI_ERR_OK)
        return CB_OK;
    rope->handle = NULL;
    return sci_failed("connect to the interrupt", node_id, number, error,
                      "its process has ended; see its messages");
}

void sci_bell_disconnect(sci_bell_rope *rope)
{
    sci_error_t ignored;

    if (rope->handle != NULL)
        SCIDisconnectInterrupt(rope->handle, 0, &ignored);
    rope->handle = NULL;
}

void sci_bell_ring(const sci_bell_rope *rope)
{
    sci_error_t ignored;

    SCITriggerInterrupt(rope->handle, 0, &ignored);
}
