/* A victim beside an aggressor: what the plan, the phases and the row share. */
#ifndef CONGEST_RUN_H
#define CONGEST_RUN_H

#include "congest/command.h"
#include "congest/impact.h"
#include "congest/notes.h"
#include "congest/options.h"
#include "congest/team.h"
#include "rate/arrivals.h"

/* A measurement of the plan: one of the victim beside a number of aggressors. */
typedef struct {
    const bench_measurement *victim;
    size_t aggressor_count;
    const bench_measurement *aggressor; /* NULL: it sends nothing */
} congest_pair;

/* The figures of a phase: times in us, MB/s, steps of a block, processor time of a step in us. */
enum {
    CONGEST_MEAN,
    CONGEST_P50,
    CONGEST_P99,
    CONGEST_P99_9,
    CONGEST_TIMES,
    CONGEST_THROUGHPUT = CONGEST_TIMES,
    CONGEST_BLOCK_STEPS,
    CONGEST_CPU_US_PER_STEP,
    CONGEST_FIGURES
};

typedef struct {
    double figures[CONGEST_FIGURES]; /* NaN: not measured */
    bool from_totals;                /* its rates: something was lost or waited for */
} congest_phase;

typedef struct {
    congest_command victim, aggressor;
    bench_plan victim_plan;
    bench_plan *aggressor_plans; /* by number of aggressors */
    size_t aggressor_plan_count;
    congest_pair *pairs; /* by measurement of the plan */
    const bench_measurement *planned;
    size_t victim_count;
    rate_arrivals arrivals;
    /* Of the current measurement */
    const congest_pair *pair;
    control *job; /* the plane of all ranks */
    congest_team victims, aggressors;
    report_row row; /* of the last phase; rank 0 only, like all below */
    congest_phase alone[CONGEST_ROUNDS_MOST + 1], beside[CONGEST_ROUNDS_MOST];
    size_t rounds;      /* completed */
    congest_note tally; /* summed over the rounds */
    counting counted;   /* by the victims beside the aggressors, summed over the rounds */
    bool failed;        /* an aggressor could not go on */
} congest_run;

static inline const congest_options *congest_options_of(const engine_session *session)
{
    return (const congest_options *)session->job->options->own;
}

#endif
