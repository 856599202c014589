/* The conditions of a run: hosts, bindings, clocks and noise, gathered from all ranks and written
 * into the document by rank 0. */
#include "config.h"

#include "engine/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

/* What each rank tells about itself: plain data. */
typedef struct {
    char host[HOST_TEXT];
    char machine[HOST_TEXT]; /* hosts with the same one share its cores */
    char binding[HOST_TEXT];
    char network[sizeof(((transport_factory *)NULL)->network)];
    size_t rejected;
    uint32_t usable_cores, host_cores;
    control_clock clock;
    cb_clock_quality quality;
    host_noise noise;
} rank_report;

enum { NOISE_PROBE_MS = 30 };

/* The first rank that says the same as this one in the text at `offset`: it stands for its host, or
 * for its machine. */
static size_t first_alike(const rank_report *reports, size_t rank, size_t offset)
{
    const char *own = (const char *)&reports[rank] + offset;
    size_t first = 0;

    while (strcmp((const char *)&reports[first] + offset, own) != 0)
        first++;
    return first;
}

/* Number the hosts in order of their first ranks. */
static cb_status number_hosts(bench_session *session, const rank_report *reports, size_t ranks)
{
    session->hosts = cb_allocate(ranks, sizeof(*session->hosts), "the hosts of the ranks");
    session->machines = cb_allocate(ranks, sizeof(*session->machines), "the hosts of the ranks");
    session->cores = cb_allocate(ranks, sizeof(*session->cores), "the cores of the ranks");
    session->host_cores =
        cb_allocate(ranks, sizeof(*session->host_cores), "the cores of the hosts");
    session->bindings = cb_allocate(ranks, sizeof(*session->bindings), "the bindings of the ranks");
    if (session->hosts == NULL || session->machines == NULL || session->cores == NULL ||
        session->host_cores == NULL || session->bindings == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t first = first_alike(reports, rank, offsetof(rank_report, host));

        session->hosts[rank] = first == rank ? (int)session->host_count++ : session->hosts[first];
        session->machines[rank] = (int)first_alike(reports, rank, offsetof(rank_report, machine));
        session->cores[rank] = reports[rank].usable_cores;
        session->host_cores[session->hosts[rank]] = reports[rank].host_cores;
        memcpy(session->bindings[rank], reports[rank].binding, sizeof(session->bindings[rank]));
    }
    return CB_OK;
}

/* Busy ranks that share a machine and a binding, the given one among them. */
static size_t sharing(const bench_session *session, const int *ranks, size_t participants, int rank,
                      bool same_binding)
{
    size_t count = 0;

    for (size_t i = 0; i < participants; i++)
        count +=
            session->machines[ranks[i]] == session->machines[rank] &&
            (!same_binding || strcmp(session->bindings[ranks[i]], session->bindings[rank]) == 0);
    return count;
}

bool bench_oversubscribed(const bench_session *session, const int *ranks, size_t participants)
{
    for (size_t i = 0; i < participants; i++) {
        int rank = ranks[i];

        if (sharing(session, ranks, participants, rank, false) >
                session->host_cores[session->hosts[rank]] ||
            sharing(session, ranks, participants, rank, true) > session->cores[rank])
            return true;
    }
    return false;
}

/* A tuning that is a number is written as one. */
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

/* What is said about a host, from the first of its ranks */

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

static cb_status put_hosts(const bench_session *session)
{
    size_t ranks = (size_t)control_size(session->plane);
    host_environment mine;
    host_environment *all = NULL;
    cb_status status;

    host_capture(session->machine, &mine);
    if (session->document != NULL &&
        (all = cb_allocate(ranks, sizeof(*all), "the environments of the hosts")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(control_everyone(session->plane), &mine, sizeof(mine), all);
    for (size_t rank = ranks; status == CB_OK && all != NULL && rank-- > 0;)
        put_host(session->document, (size_t)session->hosts[rank], &all[rank]);
    free(all);
    return status;
}

static void put_ranks(const bench_session *session, const rank_report *reports, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        report_put_number(session->document, (double)rank, "environment.ranks.%zu.rank", rank);
        report_put_number(session->document, session->hosts[rank], "environment.ranks.%zu.host",
                          rank);
        report_put_text(session->document, reports[rank].binding, "environment.ranks.%zu.cores",
                        rank);
        if (reports[rank].network[0] != '\0')
            report_put_text(session->document, reports[rank].network,
                            "environment.ranks.%zu.network", rank);
        if (reports[rank].rejected > 0)
            report_put_number(session->document, (double)reports[rank].rejected,
                              "environment.ranks.%zu.strangers", rank);
    }
}

/* Clocks and noise: the worst of all ranks is what a figure must be held against. */

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

static void put_software(const bench_session *session)
{
    report_document *document = session->document;

    report_put_text(document, CB_VERSION, "environment.combench");
    report_put_text(document, CB_COMMIT, "environment.commit");
    report_put_text(document, "C11", "environment.language");
    report_put_text(document, CB_COMPILER, "environment.compiler");
    report_put_text(document, control_library(session->plane), "environment.mpi");
    control_settings(session->plane, put_setting, document);
    if (session->effective_wait == TRANSPORT_WAIT_BLOCK &&
        (transport_capabilities(session->technology) & TRANSPORT_BLOCKING_WAIT) == 0)
        report_put_text(document, "a poll with growing sleeps: there is no blocking wait",
                        "environment.technology_settings.block");
}

/* Parameters, from the option rows */

static void put_list(report_document *document, const char *key, const cb_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        report_put_number(document, (double)list->values[i], "parameters.%s.%zu", key, i);
}

static void put_parameter(const cb_option *row, const void *value, void *context)
{
    report_document *document = context;

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
        put_list(document, row->key, value);
        break;
    case CB_OPTION_ACTION:
        break;
    }
}

/* The first rank of each machine probes: several on one core would count each other. */
static host_noise probe(const bench_session *session)
{
    int rank = control_rank(session->plane);

    for (int other = 0; other < rank; other++)
        if (session->machines[other] == session->machines[rank])
            return (host_noise){0};
    return host_probe_noise(NOISE_PROBE_MS);
}

static cb_status gather_reports(bench_session *session, rank_report *all)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = (size_t)control_size(session->plane);
    rank_report mine = {.usable_cores = host_usable_cores(session->machine)};
    host_environment environment;

    host_capture(session->machine, &environment);
    memcpy(mine.host, environment.name, sizeof(mine.host));
    host_kernel_id(mine.machine);
    if (mine.machine[0] == '\0')
        memcpy(mine.machine, environment.name, sizeof(mine.machine));
    mine.host_cores = (uint32_t)environment.cores;
    host_binding(session->machine, mine.binding, sizeof(mine.binding));
    memcpy(mine.network, session->technology->network, sizeof(mine.network));
    mine.rejected = session->technology->rejected_connections;
    session->cache_bytes = environment.l3_bytes > 0 ? environment.l3_bytes : environment.l2_bytes;
    CB_TRY(control_synchronise(session->plane, &session->clock));
    CB_TRY(control_exchange(everyone, &mine, sizeof(mine), all));
    CB_TRY(number_hosts(session, all, ranks));
    mine.noise = probe(session);
    CB_TRY(control_barrier(everyone));
    mine.quality = cb_clock_measure();
    CB_TRY(control_synchronise(session->plane, &session->clock));
    mine.clock = session->clock;
    return control_exchange(everyone, &mine, sizeof(mine), all);
}

cb_status bench_describe(bench_session *session, const cb_option_table *table, int argc,
                         char **argv)
{
    size_t ranks = (size_t)control_size(session->plane);
    rank_report *all = cb_allocate(ranks, sizeof(*all), "what the ranks tell about themselves");
    cb_status status;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = gather_reports(session, all);
    if (status == CB_OK)
        status = put_hosts(session);
    if (status == CB_OK && session->document != NULL) {
        for (int i = 0; i < argc; i++)
            report_put_text(session->document, argv[i], "command.%d", i);
        cb_options_visit(table, session->options, put_parameter, session->document);
        put_software(session);
        put_clock(session->document, all, ranks);
        put_noise(session->document, all, ranks);
        put_ranks(session, all, ranks);
        bench_put_settings(session);
    }
    free(all);
    return status;
}
