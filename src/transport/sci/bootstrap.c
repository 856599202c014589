/* How the processes of a job find each other: a key that separates jobs, the segment of each
 * process, and the exchange of their addresses. */
#include "transport/sci/internal.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/log.h"

static const char job_variable[] = "SISCI_SHM_JOB", node_variable[] = "SISCI_SHM_NODE";

/* A key that is already set belongs to an earlier factory, or was set by the user. */
static void propose_job(sci_address *mine)
{
    const char *job = getenv(job_variable);
    uint64_t key = (uint64_t)getpid();

    if (job != NULL && job[0] != '\0' && strlen(job) < sizeof(mine->job)) {
        snprintf(mine->job, sizeof(mine->job), "%s", job);
        return;
    }
    if (getrandom(&key, sizeof(key), GRND_NONBLOCK) < 0)
        cb_note("no random numbers are available for a job key: using the process id");
    snprintf(mine->job, sizeof(mine->job), "%016llx", (unsigned long long)key);
}

static cb_status exchange(sci_factory *factory, const transport_bootstrap *bootstrap,
                          const sci_address *mine)
{
    return bootstrap->exchange(bootstrap->context, mine, sizeof(*mine), factory->addresses);
}

/* The software library connects processes of one host only. */
static cb_status check_hosts(const sci_factory *factory)
{
#ifndef HAVE_SISCI_DOLPHIN
    const sci_address *all = factory->addresses;

    for (int rank = 1; rank < factory->base.size; rank++)
        if (!transport_same_host(&all[rank].host, &all[0].host)) {
            if (factory->base.rank == 0)
                cb_error("cannot use sci between the hosts %s (rank 0) and %s (rank %d): combench "
                         "is built with the SISCI library over shared memory, which connects "
                         "processes of one host; configure --with-sisci=DIR with Dolphin's "
                         "library, start all ranks on one host, or choose another --technology",
                         all[0].host.name, all[rank].host.name, rank);
            return CB_ERROR_UNSUPPORTED;
        }
#endif
    (void)factory;
    return CB_OK;
}

/* Called before the library starts, which reads both variables then. */
static cb_status set_environment(const sci_factory *factory)
{
    const uint64_t node_id =
        sci_settings_of(factory->settings, (size_t)factory->base.rank)->node_id;
    char text[24];

    if (setenv(job_variable, factory->addresses[0].job, 1) != 0)
        return CB_ERROR_MEMORY;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)node_id);
    if (node_id != CB_PARAMETER_ABSENT && setenv(node_variable, text, 0) != 0)
        return CB_ERROR_MEMORY;
    return CB_OK;
}

static cb_status check_node_id(const sci_factory *factory, unsigned found)
{
    const uint64_t node_id =
        sci_settings_of(factory->settings, (size_t)factory->base.rank)->node_id;

    if (node_id == CB_PARAMETER_ABSENT || node_id == found)
        return CB_OK;
    cb_error(
        "cannot use sci as rank %d: node_id = %llu is configured, but the SCI node of this host "
        "is %u; correct the Context SCI of its machine, or SISCI_SHM_NODE",
        factory->base.rank, (unsigned long long)node_id, found);
    return CB_ERROR_USAGE;
}

/* Index of this rank among those on this host. */
static unsigned local_rank(const sci_factory *factory, unsigned *count)
{
    const transport_host *mine = &factory->addresses[factory->base.rank].host;
    unsigned before = 0;

    *count = 0;
    for (int rank = 0; rank < factory->base.size; rank++)
        if (transport_same_host(&factory->addresses[rank].host, mine)) {
            before += rank < factory->base.rank;
            ++*count;
        }
    return before;
}

/* If another factory of the same processes uses these ids, take the next ones. */
static cb_status make_segment(sci_factory *factory, sci_address *mine)
{
    const int rank = factory->base.rank;
    unsigned count, before = local_rank(factory, &count);
    const unsigned first =
        (unsigned)sci_settings_of(factory->settings, (size_t)rank)->recv_seg_id + before;

    CB_TRY(set_environment(factory));
    CB_TRY(sci_library_start());
    factory->library_started = true;
    CB_TRY(sci_library_node_id(&mine->node_id));
    CB_TRY(check_node_id(factory, mine->node_id));
    CB_TRY(sci_device_open(&factory->devices[0]));
    CB_TRY(sci_local_create(&factory->segment, &factory->devices[0], first, count,
                            sci_layout_segment_bytes(factory->settings, (size_t)rank)));
    factory->ordinal = (factory->segment.id - first) / count;
    CB_TRY(sci_local_map(&factory->segment));
    CB_TRY(sci_local_offer(&factory->segment));
    CB_TRY(sci_bell_create(&factory->bell, &factory->devices[0]));
    mine->has_multicast = sci_has_multicast(factory);
    mine->segment_id = factory->segment.id;
    mine->bell = factory->bell.number;
    return CB_OK;
}

cb_status sci_bootstrap(sci_factory *factory, const transport_bootstrap *bootstrap)
{
    sci_address mine = {.status = CB_OK};

    transport_identify_host(&mine.host);
    propose_job(&mine);
    CB_TRY(exchange(factory, bootstrap, &mine));
    CB_TRY(check_hosts(factory));
    mine.status = sci_layout_check(factory->settings, (size_t)factory->base.rank);
    if (mine.status == CB_OK)
        mine.status = make_segment(factory, &mine);
    CB_TRY(exchange(factory, bootstrap, &mine));
    for (int rank = 0; rank < factory->base.size; rank++) {
        CB_TRY(factory->addresses[rank].status);
        if (!factory->addresses[rank].has_multicast)
            factory->base.lacking |= TRANSPORT_MULTICAST;
    }
    return CB_OK;
}
