#include "engine/preflight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/preflight.h"

/* The first word of the technology's network, if that is an interface. */
static void take_interface(const transport_factory *technology, char *name, size_t bytes)
{
    const char *network = technology->network;

    name[0] = '\0';
    if ((transport_capabilities(technology) & TRANSPORT_INTERFACE) != 0)
        snprintf(name, bytes, "%.*s", (int)strcspn(network, " "), network);
}

static const host_link *link_in_use(const host_preflight *found)
{
    for (size_t i = 0; i < found->link_count; i++)
        if (found->links[i].in_use)
            return &found->links[i];
    return NULL;
}

static void find_bad(host_preflight *out, host_check check, const host_link *link, uint64_t own,
                     const char *unit, uint64_t most)
{
    out->verdicts[check] = HOST_BAD;
    snprintf(out->found[check], sizeof(out->found[check]), "%s has %llu %s, on another host %llu",
             link->name, (unsigned long long)own, unit, (unsigned long long)most);
}

/* An interface that is slower, or has smaller packets, than that of another host. */
static void compare_hosts(host_preflight *all, size_t ranks)
{
    uint64_t speed_Mbps = 0, mtu_bytes = 0;

    for (size_t rank = 0; rank < ranks; rank++) {
        const host_link *link = link_in_use(&all[rank]);

        if (link != NULL && link->speed_Mbps > speed_Mbps)
            speed_Mbps = link->speed_Mbps;
        if (link != NULL && link->mtu_bytes > mtu_bytes)
            mtu_bytes = link->mtu_bytes;
    }
    for (size_t rank = 0; rank < ranks; rank++) {
        const host_link *link = link_in_use(&all[rank]);

        if (link != NULL && link->speed_Mbps > 0 && link->speed_Mbps < speed_Mbps)
            find_bad(&all[rank], HOST_CHECK_SPEED, link, link->speed_Mbps, "Mbit/s", speed_Mbps);
        if (link != NULL && link->mtu_bytes > 0 && link->mtu_bytes < mtu_bytes)
            find_bad(&all[rank], HOST_CHECK_MTU, link, link->mtu_bytes, "bytes a packet",
                     mtu_bytes);
    }
}

static void put_links(report_document *document, size_t index, const host_preflight *found)
{
    static const char path[] = "environment.hosts.%zu.interfaces.%zu.%s";

    for (size_t i = 0; i < found->link_count; i++) {
        const host_link *link = &found->links[i];

        report_put_text(document, link->name, path, index, i, "name");
        if (link->speed_Mbps > 0)
            report_put_number(document, (double)link->speed_Mbps, path, index, i, "speed_Mbps");
        if (link->mtu_bytes > 0)
            report_put_number(document, (double)link->mtu_bytes, path, index, i, "mtu_bytes");
        report_put_text(document, link->duplex, path, index, i, "duplex");
        if (link->numa_node >= 0)
            report_put_number(document, link->numa_node, path, index, i, "numa_node");
    }
}

static bool same_finding(const host_preflight *one, const host_preflight *other, host_check check)
{
    return one->verdicts[check] == other->verdicts[check] &&
           strcmp(one->found[check], other->found[check]) == 0;
}

static bool host_has(const host_preflight *all, size_t ranks, size_t first, host_check check,
                     const int *hosts, int wanted)
{
    for (size_t rank = first; rank < ranks; rank++)
        if (hosts[rank] == wanted && same_finding(&all[rank], &all[first], check))
            return true;
    return false;
}

static bool is_first_with(const host_preflight *all, size_t rank, host_check check)
{
    for (size_t other = 0; other < rank; other++)
        if (same_finding(&all[other], &all[rank], check))
            return false;
    return true;
}

/* The finding of a check and all hosts where a rank has it. */
static void put_finding(report_document *document, size_t index, const host_preflight *all,
                        size_t ranks, size_t first, host_check check,
                        const machines_of_job *machines)
{
    const host_verdict verdict = all[first].verdicts[check];
    size_t count = 0;

    report_put_text(document, host_check_names[check], "environment.preflight.%zu.check", index);
    report_put_text(document, host_verdict_names[verdict], "environment.preflight.%zu.verdict",
                    index);
    for (size_t one = 0; one < machines->host_count; one++)
        if (host_has(all, ranks, first, check, machines->hosts, (int)one))
            report_put_number(document, (double)one, "environment.preflight.%zu.hosts.%zu", index,
                              count++);
    if (verdict != HOST_BAD)
        return;
    report_put_text(document, all[first].found[check], "environment.preflight.%zu.found", index);
    report_put_text(document, host_remedies[check], "environment.preflight.%zu.remedy", index);
}

static void put_all(report_document *document, const host_preflight *all, size_t ranks,
                    const machines_of_job *machines)
{
    size_t count = 0, described = 0;

    /* Hosts are numbered in the order of their first ranks. */
    for (size_t rank = 0; rank < ranks; rank++)
        if ((size_t)machines->hosts[rank] == described)
            put_links(document, described++, &all[rank]);
    for (host_check check = 0; check < HOST_CHECKS; check++)
        for (size_t rank = 0; rank < ranks; rank++)
            if (is_first_with(all, rank, check))
                put_finding(document, count++, all, ranks, rank, check, machines);
}

cb_status preflight_describe(const environment_sources *from, const machines_of_job *machines)
{
    const size_t ranks = (size_t)control_size(from->plane);
    const int own = machines->hosts[control_rank(from->plane)];
    char interface[HOST_INTERFACE_BYTES];
    host_preflight_of of = {.interface = interface};
    host_preflight mine, *all = NULL;
    cb_status status;

    take_interface(from->technology, interface, sizeof(interface));
    for (size_t rank = 0; rank < ranks; rank++)
        of.ranks_here += machines->hosts[rank] == own;
    host_check_all(from->machine, &of, &mine);
    if (from->document != NULL &&
        (all = cb_allocate(ranks, sizeof(*all), "the preflight of the hosts")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(control_everyone(from->plane), &mine, sizeof(mine), all);
    if (status == CB_OK && all != NULL) {
        compare_hosts(all, ranks);
        put_all(from->document, all, ranks, machines);
    }
    free(all);
    return status;
}
