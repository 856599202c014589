/* Meters: quantities that each rank samples before and after what is timed.
 *
 * They apply to plain passes, computing tasks and farms alike. Each is a row of the table in
 * meters.c and a column of the result. Nothing is sampled inside a timed loop. */
#ifndef ENGINE_METERS_H
#define ENGINE_METERS_H

#include <stdint.h>

#include "base/parameters.h"
#include "control/control.h"
#include "host/counters.h"
#include "report/report.h"
#include "transport/transport.h"

enum { METERS_MAXIMUM = 16 };

/* Meters of one rank. Zero-initialise. */
typedef struct {
    uint64_t begun[METERS_MAXIMUM]; /* values at the start of the current section */
    uint64_t total[METERS_MAXIMUM]; /* over all timed sections since the last row */
    uint64_t begun_ns, elapsed_ns;  /* of the sections */
    uint64_t steps;                 /* in the sections; of a farm, events */
} meters;

/* Start and end of a timed section. Local. */
void meters_begin(meters *own);
void meters_end(meters *own);

/* Count steps of a section. A rank may leave it to others: the most of any rank counts. */
void meters_count(meters *own, uint64_t steps);

/* Set all totals to 0. */
void meters_reset(meters *own);

/* Combine the totals of the team into columns of the row (NULL except at index 0) and reset them.
 * Those per time are left out if no time was counted, those per step if no steps were.
 * Collective over the team; returns the control plane's error. */
cb_status meters_report(meters *own, control_team *team, report_row *row);

/* The part of a model that is busiest, and for which share of the time. */
typedef struct {
    char place[96];
    double load;
} engine_limit;

/* How a model counts the work of its processors and links: from `begin` to `end`. */
typedef struct {
    void (*begin)(void);
    void (*end)(void);
    /* The busiest part, if the timed sections in between took this time; its load is 0 if nothing
     * was busy, or out of memory. */
    void (*find_limit)(uint64_t took_ns, engine_limit *out);
} engine_usage;

/* What the technology and the hosts count during a row: retransmissions, losses, marks of
 * congestion. Nothing is read inside a timed section, nor before all ranks have ended it. */

/* What a rank has found out about the host that it counts for. Plain data. */
typedef struct {
    int host; /* index into environment.hosts; -1: this rank counts for none */
    char interface[HOST_INTERFACE_BYTES]; /* with the most new faults; "": none */
    uint64_t increases[HOST_COUNTERS];
} counting_of_host;

/* Zero-initialise; free with counting_free. */
typedef struct {
    uint64_t begun[CB_COUNTERS_MOST]; /* counters of the technology at the beginning of the row */
    bool counts_host;                 /* this rank reads the counters of its host */
    int host;
    host_counts before, after;
    counting_of_host *hosts; /* of the row; at index 0 of the team */
    size_t host_count;       /* including elements without a host */
    cb_counts counts;        /* of the row; at index 0 of the team */
} counting;

void counting_free(counting *own);

/* Whether this rank reads the counters of its host: it is the first participant there, and the
 * participants are on several hosts. On one host its network is not what is measured. `hosts` has
 * the host of each rank of the job. */
void counting_choose(counting *own, const int *hosts, const int *participants, size_t count,
                     int rank);

/* Before the timed passes of a row. Local. */
void counting_begin(counting *own, transport_factory *technology);

/* After them, when all ranks have ended theirs; the last call before counting_gather counts. Local.
 */
void counting_end(counting *own, transport_factory *technology);

/* Combine what all members of the team have counted; valid at its index 0. Collective over the
 * team; returns the control plane's error, or CB_ERROR_MEMORY, logged. */
cb_status counting_gather(counting *own, transport_factory *technology, control_team *team,
                          cb_counts *out);

/* At index 0 of the team: add what the row of *of has counted to the sum of several rows. Increases
 * are summed, of readings the worst counts. CB_ERROR_MEMORY, logged. */
cb_status counting_add(counting *sum, const counting *of);

/* Set the columns of hosts and of worst connections. */
void counting_fill(const counting *own, const cb_counts *counts, report_row *row);

#endif
