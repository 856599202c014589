/* Private to src/host and its tests. */
#ifndef HOST_ENVIRONMENT_H
#define HOST_ENVIRONMENT_H

#include "host/host.h"

/* As host_capture, with every file of /etc, /proc, /sys and /usr read below the folder `root`. */
void host_capture_below(const host *machine, const char *root, host_environment *out);

/* As host_kernel_id, below the folder `root`. */
void host_kernel_id_below(const char *root, char text[HOST_TEXT]);

#endif
