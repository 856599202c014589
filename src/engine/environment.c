/* Gather the conditions of a run and write them. */
#include "engine/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "config.h"
#include "host/preflight.h"

/* What a rank reports about its machine. Plain data. */
typedef struct {
    char host[HOST_TEXT];
    char machine[HOST_TEXT]; /* equal for hosts that share the cores of one machine (containers) */
    char binding[HOST_TEXT]; /* as returned by host_binding */
    uint32_t usable_cores, host_cores;
} machine_report;

/* The first rank on this rank's machine, or on its host: a machine may have several, as containers,
 * and several machines may have hosts of one name, as clones do. */
static size_t first_alike(const machine_report *all, size_t rank, bool on_host)
{
    size_t first = 0;

    while (strcmp(all[first].machine, all[rank].machine) != 0 ||
           (on_host && strcmp(all[first].host, all[rank].host) != 0))
        first++;
    return first;
}

cb_status machines_allocate(size_t ranks, machines_of_job *out)
{
    out->hosts = cb_allocate(ranks, sizeof(*out->hosts), "the hosts of the ranks");
    out->machines = cb_allocate(ranks, sizeof(*out->machines), "the hosts of the ranks");
    out->cores = cb_allocate(ranks, sizeof(*out->cores), "the cores of the ranks");
    out->host_cores = cb_allocate(ranks, sizeof(*out->host_cores), "the cores of the hosts");
    out->bindings = cb_allocate(ranks, sizeof(*out->bindings), "the bindings of the ranks");
    if (out->hosts == NULL || out->machines == NULL || out->cores == NULL ||
        out->host_cores == NULL || out->bindings == NULL)
        return CB_ERROR_MEMORY;
    return CB_OK;
}

/* Number the hosts in the order of their first ranks. */
static cb_status list_machines(const machine_report *all, size_t ranks, machines_of_job *out)
{
    CB_TRY(machines_allocate(ranks, out));
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t first = first_alike(all, rank, true);

        out->hosts[rank] = first == rank ? (int)out->host_count++ : out->hosts[first];
        out->machines[rank] = (int)first_alike(all, rank, false);
        out->cores[rank] = all[rank].usable_cores;
        out->host_cores[out->hosts[rank]] = all[rank].host_cores;
        memcpy(out->bindings[rank], all[rank].binding, sizeof(out->bindings[rank]));
    }
    return CB_OK;
}

void machines_free(machines_of_job *machines)
{
    free(machines->hosts);
    free(machines->machines);
    free(machines->cores);
    free(machines->host_cores);
    free(machines->bindings);
    *machines = (machines_of_job){0};
}

size_t machines_sharing(const machines_of_job *machines, const int *ranks, size_t count, int rank,
                        bool same_binding)
{
    size_t sharing = 0;

    for (size_t i = 0; i < count; i++)
        sharing +=
            machines->machines[ranks[i]] == machines->machines[rank] &&
            (!same_binding || strcmp(machines->bindings[ranks[i]], machines->bindings[rank]) == 0);
    return sharing;
}

bool machines_oversubscribed(const machines_of_job *machines, const int *ranks, size_t count)
{
    if (cb_virtual != NULL) /* in a model, each rank has a host of its own */
        return false;
    for (size_t i = 0; i < count; i++) {
        int rank = ranks[i];

        if (machines_sharing(machines, ranks, count, rank, false) >
                machines->host_cores[machines->hosts[rank]] ||
            machines_sharing(machines, ranks, count, rank, true) > machines->cores[rank])
            return true;
    }
    return false;
}

/* What each rank reports. Plain data. */
typedef struct {
    machine_report place;
    char network[sizeof(((transport_factory *)NULL)->network)];
    size_t rejected;
    control_clock clock;
    cb_clock_quality quality;
    host_noise noise;
} rank_report;

enum { NOISE_PROBE_MS = 30 };

/* Write a tuning value as a number if it is one. */
static void put_tuning(report_document *document, size_t index, const char *key, const char *value)
{
    uint64_t number;
    char why[CB_WHY_BYTES];

    if (cb_parse_count(value, 0, 1ull << 53, &number, why))
        report_put_number(document, (double)number, "environment.hosts.%zu.tuning.[%s]", index,
                          key);
    else
        report_put_text(document, value, "environment.hosts.%zu.tuning.[%s]", index, key);
}

/* Hosts, described by their first rank */

static void put_host(report_document *document, size_t index, const host_environment *found)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        {"name", found->name},         {"os", found->os},
        {"kernel", found->kernel},     {"cpu", found->cpu},
        {"topology", found->topology}, {"governor", found->governor},
    };
    const struct {
        const char *key;
        uint64_t number;
    } numbers[] = {
        {"cores", found->cores},           {"hardware_threads", found->hardware_threads},
        {"numa_nodes", found->numa_nodes}, {"l1d_bytes", found->l1d_bytes},
        {"l2_bytes", found->l2_bytes},     {"l3_bytes", found->l3_bytes},
        {"memory_MB", found->memory_MB},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        report_put_text(document, texts[i].text, "environment.hosts.%zu.%s", index, texts[i].key);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].number > 0)
            report_put_number(document, (double)numbers[i].number, "environment.hosts.%zu.%s",
                              index, numbers[i].key);
    for (size_t i = 0; i < found->tuning_count; i++)
        put_tuning(document, index, found->tuning[i].key, found->tuning[i].value);
}

static cb_status put_hosts(const environment_sources *from, const machines_of_job *machines)
{
    size_t ranks = (size_t)control_size(from->plane);
    host_environment mine;
    host_environment *all = NULL;
    cb_status status;

    host_capture(from->machine, &mine);
    if (from->document != NULL &&
        (all = cb_allocate(ranks, sizeof(*all), "the environments of the hosts")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(control_everyone(from->plane), &mine, sizeof(mine), all);
    for (size_t rank = ranks; status == CB_OK && all != NULL && rank-- > 0;)
        put_host(from->document, (size_t)machines->hosts[rank], &all[rank]);
    free(all);
    return status;
}

static void put_ranks(const environment_sources *from, const machines_of_job *machines,
                      const rank_report *reports, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        report_put_number(from->document, (double)rank, "environment.ranks.%zu.rank", rank);
        report_put_number(from->document, machines->hosts[rank], "environment.ranks.%zu.host",
                          rank);
        report_put_text(from->document, reports[rank].place.binding, "environment.ranks.%zu.cores",
                        rank);
        if (reports[rank].network[0] != '\0')
            report_put_text(from->document, reports[rank].network, "environment.ranks.%zu.network",
                            rank);
        if (reports[rank].rejected > 0)
            report_put_number(from->document, (double)reports[rank].rejected,
                              "environment.ranks.%zu.strangers", rank);
    }
}

/* Clocks and noise: the worst of all ranks */

static void put_clock(report_document *document, const rank_report *reports, size_t ranks)
{
    double resolution_ns = 0, cost_ns = 0, offset_ns = 0, bound_ns = 0, drift_ppm = 0;

    for (size_t rank = 0; rank < ranks; rank++) {
        resolution_ns = fmax(resolution_ns, reports[rank].quality.resolution_ns);
        cost_ns = fmax(cost_ns, reports[rank].quality.cost_ns);
        offset_ns = fmax(offset_ns, fabs(reports[rank].clock.offset_ns));
        bound_ns = fmax(bound_ns, reports[rank].clock.bound_ns);
        drift_ppm = fmax(drift_ppm, fabs(reports[rank].clock.drift) * 1e6);
    }
    report_put_text(document, CB_CLOCK_SOURCE, "environment.clock.source");
    report_put_number(document, resolution_ns, "environment.clock.resolution_ns");
    report_put_number(document, cost_ns, "environment.clock.cost_ns");
    if (ranks < 2)
        return;
    report_put_number(document, offset_ns / 1e3, "environment.clock.offset_us");
    report_put_number(document, bound_ns / 1e3, "environment.clock.offset_bound_us");
    report_put_number(document, drift_ppm, "environment.clock.drift_ppm");
}

static void put_noise(report_document *document, const rank_report *reports, size_t ranks)
{
    const host_noise *worst = &reports[0].noise;

    for (size_t rank = 1; rank < ranks; rank++)
        if (reports[rank].noise.duration_ms > 0 &&
            (worst->duration_ms <= 0 || reports[rank].noise.stolen_pct > worst->stolen_pct))
            worst = &reports[rank].noise;
    report_put_number(document, worst->quantum_us, "environment.noise.quantum_us");
    report_put_number(document, worst->stolen_pct, "environment.noise.stolen_pct");
    report_put_number(document, worst->longest_us, "environment.noise.longest_us");
    report_put_number(document, worst->duration_ms, "environment.noise.duration_ms");
}

static void put_setting(const char *name, const char *value, void *context)
{
    report_put_text(context, value, "environment.mpi_settings.[%s]", name);
}

/* Libraries that the program was built against, and the C library that it runs with. */
static void put_libraries(report_document *document)
{
    static const struct {
        const char *name, *version;
    } libraries[] = {CB_LIBRARIES};

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        report_put_text(document, libraries[i].version, "environment.libraries.[%s]",
                        libraries[i].name);
#ifdef _CS_GNU_LIBC_VERSION
    char libc[64] = "";

    if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc)) > 0)
        report_put_text(document, libc, "environment.libraries.libc");
#endif
}

static void put_software(const environment_sources *from)
{
    report_document *document = from->document;

    report_put_text(document, CB_VERSION, "environment.combench");
    report_put_text(document, CB_COMMIT, "environment.commit");
    report_put_text(document, "C11", "environment.language");
    report_put_text(document, CB_COMPILER, "environment.compiler");
    put_libraries(document);
    if (control_library(from->plane) != NULL)
        report_put_text(document, control_library(from->plane), "environment.mpi");
    control_settings(from->plane, put_setting, document);
    if (from->effective_wait == TRANSPORT_WAIT_BLOCK &&
        (transport_capabilities(from->technology) & TRANSPORT_BLOCKING_WAIT) == 0)
        report_put_text(document,
                        "poll with growing sleeps, because the technology has no blocking wait",
                        "environment.technology_settings.block");
}

/* Write a parameter, by its option row. */
static void put_parameter(const cb_option *row, const void *value, void *context)
{
    report_document *document = context;
    const cb_list *list;

    switch (row->type) {
    case CB_OPTION_FLAG:
        report_put_flag(document, *(const bool *)value, "parameters.%s", row->key);
        break;
    case CB_OPTION_COUNT:
    case CB_OPTION_SIZE:
        report_put_number(document, (double)*(const uint64_t *)value, "parameters.%s", row->key);
        break;
    case CB_OPTION_REAL:
        report_put_number(document, *(const double *)value, "parameters.%s", row->key);
        break;
    case CB_OPTION_TEXT:
    case CB_OPTION_CHOICE:
    case CB_OPTION_OPERAND:
        report_put_text(document, *(const char *const *)value, "parameters.%s", row->key);
        break;
    case CB_OPTION_SIZE_LIST:
    case CB_OPTION_COUNT_LIST:
        list = value;
        for (size_t i = 0; i < list->count; i++)
            report_put_number(document, (double)list->values[i], "parameters.%s.%zu", row->key, i);
        break;
    case CB_OPTION_ACTION:
        break;
    }
}

static cb_status gather_reports(const environment_sources *from, control_clock *clock,
                                size_t *cache_bytes, machines_of_job *machines, rank_report *all)
{
    control_team *everyone = control_everyone(from->plane);
    size_t ranks = (size_t)control_size(from->plane);
    const int rank = control_rank(from->plane);
    rank_report mine = {.place.usable_cores = host_usable_cores(from->machine)};
    machine_report *places = cb_allocate(ranks, sizeof(*places), "the machines of the ranks");
    host_environment environment;
    cb_status status;

    if (places == NULL)
        return CB_ERROR_MEMORY;
    host_capture(from->machine, &environment);
    memcpy(mine.place.host, environment.name, sizeof(mine.place.host));
    host_kernel_id(mine.place.machine);
    if (mine.place.machine[0] == '\0')
        memcpy(mine.place.machine, environment.name, sizeof(mine.place.machine));
    mine.place.host_cores = (uint32_t)environment.cores;
    host_binding(from->machine, mine.place.binding, sizeof(mine.place.binding));
    memcpy(mine.network, from->technology->network, sizeof(mine.network));
    mine.rejected = from->technology->rejected_connections;
    *cache_bytes = environment.l3_bytes > 0 ? environment.l3_bytes : environment.l2_bytes;
    if ((status = control_synchronise(from->plane, clock)) == CB_OK &&
        (status = control_exchange(everyone, &mine.place, sizeof(mine.place), places)) == CB_OK)
        status = list_machines(places, ranks, machines);
    free(places);
    CB_TRY(status);
    /* Only the first rank of each machine probes: several on one core would count each other. */
    if (machines->machines[rank] == rank)
        mine.noise = host_probe_noise(NOISE_PROBE_MS);
    CB_TRY(control_barrier(everyone));
    mine.quality = cb_clock_measure();
    CB_TRY(control_synchronise(from->plane, clock));
    mine.clock = *clock;
    return control_gather(everyone, &mine, sizeof(mine), all);
}

static void put_command(const environment_sources *from)
{
    for (int i = 0; i < from->argc; i++)
        report_put_text(from->document, from->argv[i], "command.%d", i);
    cb_options_visit(from->table, from->options, put_parameter, from->document);
}

void environment_describe_model(const environment_sources *from, const char *calibration)
{
    const size_t ranks = (size_t)control_size(from->plane);

    report_put_text(from->document, "model", "source");
    put_command(from);
    put_software(from);
    report_put_text(from->document, calibration, "environment.calibration");
    for (size_t rank = 0; rank < ranks; rank++) {
        char name[32];

        snprintf(name, sizeof(name), ENVIRONMENT_MODEL_HOST, rank);
        report_put_text(from->document, name, "environment.hosts.%zu.name", rank);
        report_put_number(from->document, (double)rank, "environment.ranks.%zu.rank", rank);
        report_put_number(from->document, (double)rank, "environment.ranks.%zu.host", rank);
    }
}

cb_status environment_describe(const environment_sources *from, control_clock *clock,
                               size_t *cache_bytes, machines_of_job *machines)
{
    size_t ranks = (size_t)control_size(from->plane);
    report_document *document = from->document;
    rank_report *all = NULL;
    cb_status status;

    if (document != NULL &&
        (all = cb_allocate(ranks, sizeof(*all), "the reports of the ranks")) == NULL)
        return CB_ERROR_MEMORY;
    if ((status = gather_reports(from, clock, cache_bytes, machines, all)) != CB_OK ||
        (status = put_hosts(from, machines)) != CB_OK || document == NULL)
        goto done;
    put_command(from);
    put_software(from);
    put_clock(document, all, ranks);
    put_noise(document, all, ranks);
    put_ranks(from, machines, all, ranks);
done:
    free(all);
    return status;
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
    const transport_factory *technology = from->technology;
    char interface[HOST_INTERFACE_BYTES] = "";
    host_preflight_of of = {.interface = interface};
    host_preflight mine, *all = NULL;
    cb_status status;

    /* The first word of the technology's network, if that is an interface. */
    if ((transport_capabilities(technology) & TRANSPORT_INTERFACE) != 0)
        snprintf(interface, sizeof(interface), "%.*s", (int)strcspn(technology->network, " "),
                 technology->network);
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
