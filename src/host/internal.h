/* Private to src/host and its tests: the hwloc topology, the environment below another root folder,
 * the arithmetic of the noise probe without its clock, and texts of the operating system. */
#ifndef HOST_INTERNAL_H
#define HOST_INTERNAL_H

#include <hwloc.h>

#include "host/host.h"

/* topology.c */

struct host {
    hwloc_topology_t topology; /* the whole host, including what this process may not use */
    hwloc_bitmap_t usable; /* processing units this process could use when the host was opened */
    hwloc_obj_type_t core; /* PU where the topology knows no cores */
};

/* As host_open, for a machine that hwloc makes from `description` ("Package:2 Core:4 PU:2"). The
 * process is bound to `usable` ("0-1,4"); NULL: to none. */
cb_status host_open_synthetic(const char *description, const char *usable, host **out);

/* OS index of the processing unit that host_bind_core binds to; -1 if there is no such core. A unit
 * instead of the core: threads bound to the same core must share it by scheduler priorities, not
 * run side by side on two hardware threads. */
int host_first_unit(const host *machine, unsigned core);

/* environment.c */

/* As host_capture, with every file of /etc, /proc, /sys and /usr read below the folder `root`. */
void host_capture_below(const host *machine, const char *root, host_environment *out);

/* As host_kernel_id, below the folder `root`. */
void host_kernel_id_below(const char *root, char text[HOST_TEXT]);

enum { HOST_NOISE_QUANTUM_NS = 10000 };

typedef struct {
    uint64_t first_ns, last_ns; /* readings */
    uint64_t stolen_ns;         /* sum of all gaps above the quantum */
    uint64_t longest_ns;        /* gap, whether above the quantum or not */
} host_gaps;

static inline host_gaps host_gaps_begin(uint64_t reading_ns)
{
    return (host_gaps){.first_ns = reading_ns, .last_ns = reading_ns};
}

/* Hot: called between any two readings of the probe. Readings never decrease. */
static inline void host_gaps_add(host_gaps *gaps, uint64_t reading_ns)
{
    uint64_t gap_ns = reading_ns - gaps->last_ns;

    gaps->last_ns = reading_ns;
    if (gap_ns > gaps->longest_ns)
        gaps->longest_ns = gap_ns;
    if (gap_ns > HOST_NOISE_QUANTUM_NS)
        gaps->stolen_ns += gap_ns;
}

host_noise host_gaps_result(const host_gaps *gaps);

/* Texts of the operating system, fitted into the fields of a result. */

enum { HOST_FILE_BYTES = 4096 }; /* sysfs files and the kernel's command line have at most a page */

/* The first `bytes` - 1 bytes of the file `path` below `root`. Returns false and an empty text if
 * the file is missing, empty, or has control bytes. */
bool host_read_text(const char *root, const char *path, char *text, size_t bytes);

/* The value in the first line of the form KEY, blanks, `separator`, value. Returns false and an
 * empty value if there is none. */
bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes);

/* Copy `text` as one line of ASCII: runs of blanks and newlines become one blank, leading and
 * trailing ones are dropped, other characters become '?'. If cut, it ends as host_end_in_dots says.
 */
void host_fit_text(const char *text, char *fitted, size_t bytes);

/* Mark a text that fills `bytes` as cut: end it in "..." after the last `separator` that leaves
 * room, so that no word or number is cut in two, or anywhere if there is none. */
void host_end_in_dots(char *text, size_t bytes, char separator);

#endif
