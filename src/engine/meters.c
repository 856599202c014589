/* The table of meters. */
#include "engine/meters.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

typedef struct {
    uint64_t (*sample)(void); /* of this process; its increase counts */
    report_column per_time;   /* sum of the ranks' totals / mean time of their sections */
    report_column per_step;   /* the same in us / steps in the sections */
} meter;

/* At most METERS_MAXIMUM entries; the last has no sample function. */
static const meter table[] = {{cb_process_cpu_ns, REPORT_CPU_CORES, REPORT_CPU_US_PER_STEP},
                              {.sample = NULL}};

void meters_reset(meters *own)
{
    *own = (meters){.total = {0}};
}

/* The clock is read last at the start and first at the end: meters are not part of the time. */
void meters_begin(meters *own)
{
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->begun[i] = table[i].sample();
    own->begun_ns = cb_now_ns();
}

void meters_end(meters *own)
{
    own->elapsed_ns += cb_now_ns() - own->begun_ns;
    for (size_t i = 0; table[i].sample != NULL; i++)
        own->total[i] += table[i].sample() - own->begun[i];
}

void meters_count(meters *own, uint64_t steps)
{
    own->steps += steps;
}

cb_status meters_report(meters *own, control_team *team, report_row *row)
{
    uint64_t sums[METERS_MAXIMUM + 1] = {0};
    double steps = (double)own->steps, mean_ns;
    size_t count = 0;

    for (; table[count].sample != NULL; count++)
        sums[count] = own->total[count];
    sums[count] = own->elapsed_ns;
    meters_reset(own);
    CB_TRY(control_sum(team, sums, count + 1));
    CB_TRY(control_maximum(team, &steps, 1));
    mean_ns = (double)sums[count] / (double)control_team_size(team);
    /* The processor time of a rank in a model is that of the evaluation. */
    for (size_t i = 0; row != NULL && cb_virtual == NULL && i < count; i++) {
        if (mean_ns > 0)
            report_set_number(row, table[i].per_time, (double)sums[i] / mean_ns);
        if (steps > 0)
            report_set_number(row, table[i].per_step, (double)sums[i] / 1e3 / steps);
    }
    return CB_OK;
}

void counting_free(counting *own)
{
    free(own->hosts);
    own->hosts = NULL;
}

void counting_choose(counting *own, const int *hosts, const int *participants, size_t count,
                     int rank)
{
    bool is_first = true, has_come = false, are_apart = false;

    for (size_t i = 0; i < count; i++) {
        const bool is_here = hosts[participants[i]] == hosts[rank];

        has_come = has_come || participants[i] == rank;
        is_first = is_first && (has_come || !is_here);
        are_apart = are_apart || !is_here;
    }
    own->counts_host = has_come && is_first && are_apart;
    own->host = hosts[rank];
}

void counting_begin(counting *own, transport_factory *technology)
{
    const cb_counter_set *set = technology->ops.counters;

    if (own->counts_host) {
        host_count(&own->before);
        own->after = own->before;
    }
    if (set == NULL || !set->in_timed_only)
        return;
    transport_count(technology);
    memcpy(own->begun, technology->counters, set->count * sizeof(*own->begun));
}

void counting_end(counting *own, transport_factory *technology)
{
    const cb_counter_set *set = technology->ops.counters;

    /* The host last, as it is first at the beginning: what connections count is among its counts.
     */
    if (set != NULL && set->in_timed_only)
        transport_count(technology);
    if (own->counts_host)
        host_count(&own->after);
}

/* So that the most of all ranks is what counts; -INFINITY: none. */
static double reading_of(cb_counter_kind kind, uint64_t value)
{
    if (value == CB_COUNTER_ABSENT || kind == CB_COUNTER_INCREASE)
        return -(double)INFINITY;
    return kind == CB_COUNTER_LEAST ? -(double)value : (double)value;
}

static cb_status gather_totals(counting *own, const transport_factory *technology,
                               control_team *team, cb_counts *out)
{
    const cb_counter_set *set = out->set;
    uint64_t sums[2 * CB_COUNTERS_MOST] = {0}, *absent = sums + CB_COUNTERS_MOST;
    double readings[CB_COUNTERS_MOST] = {0};

    for (size_t i = 0; i < set->count; i++) {
        const uint64_t now = technology->counters[i];

        absent[i] = now == CB_COUNTER_ABSENT;
        sums[i] = absent[i] || now < own->begun[i] ? 0 : now - own->begun[i];
        readings[i] = reading_of(set->rows[i].kind, now);
        own->begun[i] = now;
    }
    CB_TRY(control_sum(team, sums, 2 * CB_COUNTERS_MOST));
    CB_TRY(control_maximum(team, readings, set->count));
    for (size_t i = 0; i < set->count; i++)
        if (set->rows[i].kind != CB_COUNTER_INCREASE)
            out->values[i] =
                isfinite(readings[i]) ? (uint64_t)fabs(readings[i]) : CB_COUNTER_ABSENT;
        else
            out->values[i] = absent[i] == 0 ? sums[i] : CB_COUNTER_ABSENT;
    return CB_OK;
}

static cb_status gather_worst(const transport_factory *technology, control_team *team,
                              cb_counts *out)
{
    const size_t count = out->set->count, members = control_team_size(team);
    cb_counter_worst *all = NULL;
    cb_status status;

    if (control_team_index(team) == 0 &&
        (all = cb_allocate(members * count, sizeof(*all), "the worst connections")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(team, technology->worst, count * sizeof(*all), all);
    for (size_t i = 0; status == CB_OK && all != NULL && i < count; i++) {
        out->worst[i].value = CB_COUNTER_ABSENT;
        for (size_t member = 0; member < members; member++) {
            const cb_counter_worst *found = &all[member * count + i];

            if (cb_counter_is_worse(out->set->rows[i].kind, found->value, out->worst[i].value))
                out->worst[i] = *found;
        }
    }
    out->has_worst = true;
    free(all);
    return status;
}

static cb_status gather_hosts(counting *own, control_team *team)
{
    const size_t members = control_team_size(team);
    counting_of_host mine = {.host = own->counts_host ? own->host : -1};

    if (own->counts_host)
        host_increases(&own->before, &own->after, mine.increases, mine.interface);
    counting_free(own);
    own->host_count = members;
    if (control_team_index(team) == 0 &&
        (own->hosts = cb_allocate(members, sizeof(*own->hosts), "the counters of the hosts")) ==
            NULL)
        return CB_ERROR_MEMORY;
    return control_gather(team, &mine, sizeof(mine), own->hosts);
}

cb_status counting_gather(counting *own, transport_factory *technology, control_team *team,
                          cb_counts *out)
{
    const cb_counter_set *set = technology->ops.counters;

    *out = (cb_counts){.set = set};
    CB_TRY(gather_hosts(own, team));
    if (set != NULL) {
        assert(set->count <= CB_COUNTERS_MOST && technology->counters != NULL);
        if (!set->in_timed_only)
            transport_count(technology);
        CB_TRY(gather_totals(own, technology, team, out));
        if (technology->worst != NULL)
            CB_TRY(gather_worst(technology, team, out));
    }
    own->counts = *out;
    return CB_OK;
}

static void add_increase(uint64_t *sum, uint64_t increase)
{
    *sum = *sum == CB_COUNTER_ABSENT || increase == CB_COUNTER_ABSENT ? CB_COUNTER_ABSENT
                                                                      : *sum + increase;
}

cb_status counting_add(counting *sum, const counting *of)
{
    const cb_counter_set *set = of->counts.set;

    if (sum->hosts == NULL) {
        sum->hosts = cb_allocate(of->host_count, sizeof(*sum->hosts), "the counters of the hosts");
        if (sum->hosts == NULL)
            return CB_ERROR_MEMORY;
        memcpy(sum->hosts, of->hosts, of->host_count * sizeof(*sum->hosts));
        sum->host_count = of->host_count;
        sum->counts = of->counts;
        return CB_OK;
    }
    for (size_t i = 0; set != NULL && i < set->count; i++) {
        const cb_counter_kind kind = set->rows[i].kind;

        if (kind == CB_COUNTER_INCREASE)
            add_increase(&sum->counts.values[i], of->counts.values[i]);
        else if (cb_counter_is_worse(kind, of->counts.values[i], sum->counts.values[i]))
            sum->counts.values[i] = of->counts.values[i];
        if (cb_counter_is_worse(kind, of->counts.worst[i].value, sum->counts.worst[i].value))
            sum->counts.worst[i] = of->counts.worst[i];
    }
    for (size_t i = 0; i < sum->host_count; i++) {
        counting_of_host *total = &sum->hosts[i];

        for (size_t k = 0; k < HOST_COUNTERS; k++)
            add_increase(&total->increases[k], of->hosts[i].increases[k]);
        if (of->hosts[i].interface[0] != '\0')
            memcpy(total->interface, of->hosts[i].interface, sizeof(total->interface));
    }
    return CB_OK;
}

static void fill_worst(const cb_counts *counts, report_row *row)
{
    if (counts->set == NULL || !counts->has_worst)
        return;
    for (size_t i = 0; i < counts->set->count; i++) {
        const cb_counter *counter = &counts->set->rows[i];
        const cb_counter_worst *worst = &counts->worst[i];

        /* An increase of 0 is of no connection. */
        if (worst->value == CB_COUNTER_ABSENT ||
            (counter->kind == CB_COUNTER_INCREASE && worst->value == 0))
            continue;
        report_set_member(row, REPORT_WORST_CONNECTIONS, (double)worst->value, "%s.value",
                          counter->key);
        report_set_member(row, REPORT_WORST_CONNECTIONS, worst->rank, "%s.rank", counter->key);
        report_set_member(row, REPORT_WORST_CONNECTIONS, worst->peer, "%s.peer", counter->key);
    }
}

/* Whether a counter with a mark has increased. */
static bool fill_host(const counting_of_host *found, size_t index, report_row *row)
{
    bool is_marked = false;

    report_set_member(row, REPORT_HOST_COUNTERS, found->host, "%zu.host", index);
    for (size_t i = 0; i < HOST_COUNTERS; i++) {
        const cb_counter *counter = &host_counter_set.rows[i];

        if (found->increases[i] == CB_COUNTER_ABSENT)
            continue;
        report_set_member(row, REPORT_HOST_COUNTERS, (double)found->increases[i], "%zu.%s", index,
                          counter->key);
        is_marked = is_marked || (counter->is_marked && found->increases[i] > 0);
    }
    if (found->interface[0] != '\0')
        report_set_member_text(row, REPORT_HOST_COUNTERS, found->interface, "%zu.interface", index);
    return is_marked;
}

void counting_fill(const counting *own, const cb_counts *counts, report_row *row)
{
    size_t hosts = 0, troubled = 0;

    fill_worst(counts, row);
    for (size_t i = 0; own->hosts != NULL && i < own->host_count; i++)
        if (own->hosts[i].host >= 0)
            troubled += fill_host(&own->hosts[i], hosts++, row);
    if (hosts > 0)
        report_set_number(row, REPORT_HOSTS_WITH_FAULTS, (double)troubled);
}
