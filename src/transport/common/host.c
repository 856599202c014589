#include "transport/common/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t inode_of(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 ? (uint64_t)found.st_ino : 0;
}

void transport_identify_host(transport_host *out)
{
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "re");

    memset(out, 0, sizeof(*out));
    if (gethostname(out->name, sizeof(out->name) - 1) != 0)
        snprintf(out->name, sizeof(out->name), "unknown");
    if (boot == NULL || fgets(out->boot, sizeof(out->boot), boot) == NULL)
        out->boot[0] = '\0';
    if (boot != NULL)
        fclose(boot);
    out->network = inode_of("/proc/self/ns/net");
    out->processes = inode_of("/proc/self/ns/pid");
    out->users = inode_of("/proc/self/ns/user");
}

bool transport_same_host(const transport_host *one, const transport_host *other)
{
    return strcmp(one->name, other->name) == 0 && strcmp(one->boot, other->boot) == 0;
}
