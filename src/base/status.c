/* Text and exit status of each status, as one table. A status without a row has the text "unknown
 * status", which the unit test detects. */
#include "base/status.h"

#include <stddef.h>

enum { EXIT_MEASURED = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

static const struct {
    const char *text;
    int exit;
} statuses[] = {
    [CB_OK] = {"success", EXIT_MEASURED},
    [CB_EMPTY] = {"no message has arrived", EXIT_FAILED},
    [CB_LOST] = {"a message did not arrive", EXIT_FAILED},
    [CB_ERROR_USAGE] = {"wrong use", EXIT_USAGE},
    [CB_ERROR_UNSUPPORTED] = {"not supported", EXIT_UNSUPPORTED},
    [CB_ERROR_MEMORY] = {"out of memory", EXIT_FAILED},
    [CB_ERROR_SYSTEM] = {"refused by the operating system", EXIT_FAILED},
    [CB_ERROR_CONTROL] = {"the control plane failed", EXIT_FAILED},
    [CB_ERROR_TRANSPORT] = {"the data plane failed", EXIT_FAILED},
    [CB_ERROR_DATA] = {"messages were lost, duplicated, reordered or corrupted", EXIT_FAILED},
    [CB_ERROR_DEADLINE] = {"no rate holds the deadline", EXIT_FAILED},
    [CB_ERROR_INTERRUPTED] = {"interrupted by a signal", EXIT_FAILED},
};

static int is_known(cb_status status)
{
    return (size_t)status < sizeof(statuses) / sizeof(statuses[0]);
}

const char *cb_status_text(cb_status status)
{
    return is_known(status) ? statuses[status].text : "unknown status";
}

int cb_status_exit(cb_status status)
{
    return is_known(status) ? statuses[status].exit : EXIT_FAILED;
}
