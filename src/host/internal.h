/* Private to src/host and its tests: the machine as hwloc knows it, the environment below another
 * root folder, the arithmetic of the noise probe apart from the clock, and texts of the operating
 * system.
 */
#ifndef HOST_INTERNAL_H
#define HOST_INTERNAL_H

#include <hwloc.h>

#include "host/host.h"

/* topology.c */

struct host {
    hwloc_topology_t topology; /* the whole host, with what this process may not use */
    hwloc_bitmap_t usable;     /* processing units this process might use when it was opened */
    hwloc_obj_type_t core;     /* PU where the topology knows no cores */
};

/* As host_open, for a machine that hwloc makes from `description` ("Package:2 Core:4 PU:2"). The
 * process is bound to the units of `usable` ("0-1,4"), or to none when that is NULL. */
cb_status host_open_synthetic(const char *description, const char *usable, host **out);

/* The system's number of the processing unit that host_bind_core binds to, or -1 when there is no
 * such core. One unit and not the whole core: threads bound to one core must share it by the
 * scheduler and its priorities, and not side by side on two hardware threads. */
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

enum {
    HOST_FILE_BYTES = 4096
}; /* files of sysfs have at most a page, and so has the command line */

/* The first `bytes` - 1 bytes of the file `path` below the folder `root`. False, with an empty
 * text, when there is no such file, it is empty, or it holds control bytes and so is no text. */
bool host_read_text(const char *root, const char *path, char *text, size_t bytes);

/* The value in the first line of `text` of the form KEY, blanks, `separator`, value. False, with an
 * empty value, when there is none. */
bool host_find_value(const char *text, const char *key, char separator, char *value, size_t bytes);

/* `text` on one line of ASCII: every run of blanks and newlines is one blank, none stands at an
 * end, and what is not ASCII is a '?'. What does not fit `bytes` ends with host_end_in_dots. */
void host_fit_text(const char *text, char *fitted, size_t bytes);

/* Mark a text that fills all of `bytes` as cut: it ends in "..." after the last `separator` that
 * leaves room for it, so that no word or number is halved, or anywhere when there is none. */
void host_end_in_dots(char *text, size_t bytes, char separator);

#endif
