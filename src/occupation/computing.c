/* One core for each rank and its computing task: binding, calibration, and what of it is told. */
#include "occupation/computing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What a rank tells about its computing: plain data. */
typedef struct {
    char binding[HOST_TEXT];
    char priority[HOST_TEXT];
    double unit_ns, spread_pct, tick_ns;
} computing_report;

/* Ranks before this one that run on the same cores of the same machine. */
static unsigned ranks_before(const bench_session *session)
{
    int rank = control_rank(session->plane);
    unsigned count = 0;

    for (int other = 0; other < rank; other++)
        count += session->machines[other] == session->machines[rank] &&
                 strcmp(session->bindings[other], session->bindings[rank]) == 0;
    return count;
}

static cb_status settle_on_a_core(bench_session *session, computing_report *mine)
{
    unsigned cores = host_usable_cores(session->machine);
    host_work_rate rate;

    CB_TRY(host_bind_core(session->machine, cores > 0 ? ranks_before(session) % cores : 0));
    CB_TRY(host_work_calibrate(&rate));
    CB_TRY(host_task_create(&session->task));
    session->task_unit_ns = rate.unit_ns;
    *mine = (computing_report){.unit_ns = rate.unit_ns,
                               .spread_pct = rate.spread_pct,
                               .tick_ns = host_scheduler_tick_ns()};
    host_binding(session->machine, mine->binding, sizeof(mine->binding));
    strncpy(mine->priority, host_task_priority(session->task), sizeof(mine->priority) - 1);
    return CB_OK;
}

/* All ranks go by the longest tick among their hosts. */
static void take_over(bench_session *session, const computing_report *all, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        memcpy(session->bindings[rank], all[rank].binding, sizeof(session->bindings[rank]));
        session->cores[rank] = 1;
        if (all[rank].tick_ns > session->tick_ns)
            session->tick_ns = all[rank].tick_ns;
    }
}

static void put_computing(report_document *document, const computing_report *all, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        const computing_report *one = &all[rank];
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"unit_ns", one->unit_ns},
                       {"spread_pct", one->spread_pct},
                       {"tick_ms", one->tick_ns / 1e6}};

        report_put_text(document, one->binding, "environment.ranks.%zu.cores", rank);
        report_put_text(document, one->priority, "environment.ranks.%zu.computing.priority", rank);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
            report_put_number(document, numbers[i].value, "environment.ranks.%zu.computing.%s",
                              rank, numbers[i].key);
    }
}

cb_status bench_computing_open(bench_session *session)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = (size_t)control_size(session->plane);
    computing_report mine = {.unit_ns = 0}, *all;
    cb_status status;

    if (bench_occupation_named(session->options->compute) == BENCH_UNOCCUPIED)
        return CB_OK;
    CB_TRY(control_agree(everyone, settle_on_a_core(session, &mine)));
    all = cb_allocate(ranks, sizeof(*all), "what the ranks compute with");
    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = control_exchange(everyone, &mine, sizeof(mine), all);
    if (status == CB_OK)
        take_over(session, all, ranks);
    if (status == CB_OK && session->document != NULL)
        put_computing(session->document, all, ranks);
    free(all);
    return status;
}

void bench_computing_close(bench_session *session)
{
    host_task_destroy(session->task, NULL);
    session->task = NULL;
}
