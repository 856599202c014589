/* What became of the frames, as a table of one line a host under a head of names. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "tools/testbed/hosts.h"

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"frames_in", offsetof(switch_counters, frames_in)},
    {"bytes_in", offsetof(switch_counters, bytes_in)},
    {"frames_out", offsetof(switch_counters, frames_out)},
    {"bytes_out", offsetof(switch_counters, bytes_out)},
    {"full", offsetof(switch_counters, full)},
    {"lost", offsetof(switch_counters, lost)},
    {"doubled", offsetof(switch_counters, doubled)},
    {"reordered", offsetof(switch_counters, reordered)},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static uint64_t counter(const switch_counters *counters, size_t column)
{
    uint64_t value;

    memcpy(&value, (const char *)counters + columns[column].offset, sizeof(value));
    return value;
}

static void write_table(FILE *file, const network_switch *hub)
{
    fprintf(file, "host");
    for (size_t column = 0; column < COLUMNS; column++)
        fprintf(file, " %s", columns[column].name);
    for (unsigned port = 0; port < hub->settings.ports; port++) {
        char name[HOST_NAME_BYTES];

        host_name(port, name);
        fprintf(file, "\n%s", name);
        for (size_t column = 0; column < COLUMNS; column++)
            fprintf(file, " %" PRIu64, counter(&hub->ports[port].counters, column));
    }
    fprintf(file, "\n");
}

cb_status testbed_write_statistics(const char *path, const network_switch *hub,
                                   const testbed_lateness *late)
{
    FILE *file = fopen(path, "we");
    double mean_us = late->frames > 0 ? (double)late->total_ns / 1e3 / (double)late->frames : 0;
    int failed;

    if (file == NULL) {
        cb_error("cannot write the statistics to %s: %s; name a file that can be written", path,
                 strerror(errno));
        return CB_ERROR_SYSTEM;
    }
    write_table(file, hub);
    fprintf(file, "# the switch was late by %.1f us on average, at most %.1f us\n", mean_us,
            (double)late->largest_ns / 1e3);
    failed = ferror(file);
    failed |= fclose(file);
    if (failed == 0)
        return CB_OK;
    cb_error("cannot write the statistics to %s: %s; see the room on its disk", path,
             strerror(errno));
    return CB_ERROR_SYSTEM;
}
