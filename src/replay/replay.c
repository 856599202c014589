/* Load, play several times, and write the row. */
#include "replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"
#include "engine/traffic.h"
#include "engine/figures.h"
#include "engine/method.h"
#include "engine/pass.h"
#include "engine/shares.h"
#include "engine/verification.h"
#include "replay/messages.h"
#include "replay/player.h"

enum { PLAYS_LEAST = 5, PLAYS_PRECISE = 11, PLAYS_MOST = 2048 };

/* Records with times in the extra play, of each rank. */
enum { STAMPED_MOST = 1 << 20 };

/* Warm-up, at most. */
enum { WARM_UP_PLAYS = 3 };

/* Part of a rank in the result. */
typedef struct {
    double time_us; /* median of its times */
    uint64_t records, memory_bytes;
    uint64_t sent, sent_bytes, received, received_bytes;
} rank_figures;

typedef struct {
    script played;
    bool calibrated;
    ccmod_calibration calibration;
    replay_player *me;
    double own_us[PLAYS_MOST]; /* times of this rank in each play */
    double all_us[PLAYS_MOST]; /* and of the slowest rank */
    size_t plays;
    const char *stopped_by;
    row_base row;
    player_found found;       /* of the last play, ... */
    player_found timed_found; /* ... and of the last timed one */
    player_stamps stamps;
    message_times messages;
    recorded_times recorded;
} replay_run;

/* The plan */

static const replay_options *options_of(const engine_session *session)
{
    return (const replay_options *)session->job->options->own;
}

static cb_status check_technology(const engine_session *session)
{
    const unsigned needed = TRANSPORT_DELIVERS | TRANSPORT_STREAM;
    const transport_technology *technology = session->job->program->technology;
    char names[256];

    if ((technology->capabilities & needed) == needed)
        return CB_OK;
    transport_list(needed, names, sizeof(names));
    cb_error("a replay needs a technology that delivers each message, in order, and %s does not; "
             "use --technology with one of %s",
             technology->name, names);
    return CB_ERROR_USAGE;
}

static cb_status read_calibration(const engine_session *session, replay_run *run)
{
    const char *path = options_of(session)->calibration;
    ccmod_error error;

    if (path == NULL || control_rank(session->plane) != 0)
        return CB_OK;
    run->calibrated = true;
    if (ccmod_calibration_open(path, &run->calibration, &error) == CCMOD_OK)
        return CB_OK;
    cb_error("%s", error.text);
    return CB_ERROR_USAGE;
}

static const measurement_method replay_method;

cb_status replay_plan(engine_session *session, bench_plan *out)
{
    const uint64_t longest = 1 << 30;
    const replay_options *options = options_of(session);
    const script_setting setting = {.path = options->path,
                                    .seed = session->job->options->seed,
                                    .records_most = options->records_most};
    replay_run *run = cb_allocate(1, sizeof(*run), "the replay");
    bench_measurement *one = cb_allocate(1, sizeof(*one), "the plan");
    const script *played;

    *out = (bench_plan){.measurements = one, .count = 1};
    session->method = &replay_method;
    session->method_state = run;
    CB_TRY(control_agree(control_everyone(session->plane),
                         run != NULL && one != NULL ? CB_OK : CB_ERROR_MEMORY));
    if (options->path == NULL) {
        cb_error("no trace is given; write cb_%s FILE", session->job->definition->name);
        return CB_ERROR_USAGE;
    }
    CB_TRY(check_technology(session));
    CB_TRY(control_agree(control_everyone(session->plane), read_calibration(session, run)));
    CB_TRY(script_load(&setting, session->plane, &run->played));
    played = &run->played;
    if (played->largest_bytes > longest) {
        cb_error("%s: a message of %llu bytes is longer than programs send, which is %llu; shorten "
                 "it",
                 options->path, (unsigned long long)played->largest_bytes,
                 (unsigned long long)longest);
        return CB_ERROR_USAGE;
    }
    *one = (bench_measurement){.mode = &session->job->definition->modes[0],
                               .count = played->ranks,
                               .size_bytes = (size_t)played->largest_bytes,
                               .algorithm_us = played->computes ? 1 : 0};
    out->largest_bytes =
        (size_t)(played->largest_bytes > played->token_bytes ? played->largest_bytes
                                                             : played->token_bytes);
    return CB_OK;
}

static void close_state(void *state)
{
    replay_run *run = state;

    if (run == NULL)
        return;
    script_free(&run->played);
    free(run->stamps.begin_ns);
    free(run->stamps.end_ns);
    free(run->stamps.from);
    free(run);
}

/* After the technology is open, which may send less than the trace needs. */
static cb_status start(void *state, engine_session *session, engine_job *job)
{
    const script *played = &((replay_run *)state)->played;
    const size_t most = session->technology->largest_message;
    char crc[16];

    (void)job;
    if (most > 0 && played->largest_bytes > most) {
        if (control_rank(session->plane) == 0)
            cb_error("%s: a message of %llu bytes is larger than technology %s can send on this "
                     "network, which is %zu; use another --technology, or shorten it",
                     played->path, (unsigned long long)played->largest_bytes,
                     session->job->options->technology, most);
        return CB_ERROR_USAGE;
    }
    if (session->document == NULL)
        return CB_OK;
    snprintf(crc, sizeof(crc), "%08x", (unsigned)played->crc32);
    report_put_text(session->document, played->path, "trace.path");
    report_put_number(session->document, (double)played->file_bytes, "trace.bytes");
    report_put_text(session->document, crc, "trace.crc32");
    report_put_number(session->document, (double)played->ranks, "trace.ranks");
    report_put_number(session->document, (double)played->lines, "trace.lines");
    return CB_OK;
}

/* Plays */

static cb_status play_once(replay_run *run, const measurement_setting *setting,
                           player_stamps *stamps, bool verify, double *own_us)
{
    engine_session *session = setting->session;
    double late_ns;
    uint64_t start_ns;

    CB_TRY(pass_start_together(&session->clock, setting->team, setting->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    meters_begin(&run->row.timed);
    CB_TRY(player_play(run->me, stamps, verify, &run->found));
    *own_us = (double)(cb_now_ns() - start_ns) / 1e3;
    meters_end(&run->row.timed);
    meters_count(&run->row.timed, 1);
    session_leave_if_interrupted(session);
    CB_TRY(transport_flush(session->technology));
    run->row.skew_ns = fmax(run->row.skew_ns, fabs(late_ns));
    return CB_OK;
}

/* The sum of what this rank has read in a play. */
static cb_status check_sum(const replay_run *run, bool touched)
{
    uint64_t messages = 0, sum = 0;

    for (size_t rank = 0; rank < run->played.ranks; rank++) {
        messages += run->played.incoming[rank].messages;
        sum += run->played.incoming[rank].sum;
    }
    if (run->found.messages == messages && (!touched || run->found.sum == sum))
        return CB_OK;
    cb_error("%s: rank %zu received %llu messages with wrong content or number, %llu are expected; "
             "find them by --verify",
             run->played.path, run->played.self, (unsigned long long)run->found.messages,
             (unsigned long long)messages);
    return CB_ERROR_DATA;
}

/* Times that are agreed on decide, so that all ranks end together. */
static cb_status play_often(replay_run *run, const measurement_setting *setting)
{
    const bench_options *options = setting->session->job->options;
    const double limit_us = options->max_time_s * 1e6;
    const bool touch = strcmp(options->touch, "all") == 0;
    const budget_mark start = budget_now();
    double agreed[3] = {0}; /* used since the start, this play, skew; all in us */
    stats_summary summary;
    bool precise = false;

    for (size_t i = 0; i < WARM_UP_PLAYS && agreed[0] <= share_warm_up_end * limit_us; i++) {
        CB_TRY(play_once(run, setting, NULL, false, &agreed[1]));
        agreed[0] = budget_used_ns(options, start) / 1e3;
        CB_TRY(control_maximum(setting->team, agreed, 2));
    }
    row_begin(&run->row, setting->session);
    run->row.touch_ns = -1;
    while (run->plays < PLAYS_MOST && !precise &&
           (run->plays < PLAYS_LEAST || agreed[0] + agreed[1] < limit_us)) {
        CB_TRY(play_once(run, setting, NULL, false, &run->own_us[run->plays]));
        CB_TRY(check_sum(run, touch));
        agreed[0] = budget_used_ns(options, start) / 1e3;
        agreed[1] = run->own_us[run->plays];
        agreed[2] = run->row.skew_ns / 1e3;
        CB_TRY(control_maximum(setting->team, agreed, 3));
        run->all_us[run->plays++] = agreed[1];
        CB_TRY(figures_are_precise(options, run->all_us, run->plays, PLAYS_PRECISE, &summary,
                                   &precise));
    }
    run->row.skew_ns = agreed[2] * 1e3;
    run->stopped_by = precise ? "precision" : budget_limit(options, start);
    return CB_OK;
}

/* An extra play with the times of records. */
static cb_status play_stamped(replay_run *run, const measurement_setting *setting)
{
    player_stamps *stamps = &run->stamps;
    const size_t count = run->played.count < STAMPED_MOST ? run->played.count : STAMPED_MOST;
    cb_status status = CB_ERROR_MEMORY;
    double ignored_us;

    stamps->count = count;
    stamps->begin_ns = cb_allocate(count + 1, sizeof(uint64_t), "the times of records");
    stamps->end_ns = cb_allocate(count + 1, sizeof(uint64_t), "the times of records");
    stamps->from = cb_allocate(count + 1, sizeof(uint32_t), "the times of records");
    if (stamps->begin_ns != NULL && stamps->end_ns != NULL && stamps->from != NULL)
        status = CB_OK;
    CB_TRY(control_agree(setting->team, status));
    CB_TRY(play_once(run, setting, stamps, false, &ignored_us));
    CB_TRY(messages_match(setting->team, &setting->session->clock, &run->played, stamps,
                          run->calibrated ? &run->calibration : NULL, &run->messages));
    return messages_compare(setting->team, &run->played, stamps, &run->recorded);
}

static cb_status play_verified(replay_run *run, const measurement_setting *setting)
{
    checker_findings found = {0};
    double ignored_us;

    CB_TRY(play_once(run, setting, NULL, true, &ignored_us));
    found.messages = run->found.messages;
    found.corrupted = run->found.corrupted;
    return verification_sum(setting->team, &found, &run->row.verification);
}

/* The row */

static rank_figures figures_of(const replay_run *run)
{
    rank_figures own = {.records = run->played.count,
                        .memory_bytes = script_memory(&run->played),
                        .received = run->timed_found.messages,
                        .received_bytes = run->timed_found.bytes};
    stats_summary summary = {0};

    for (size_t rank = 0; rank < run->played.ranks; rank++) {
        own.sent += run->played.sent[rank].messages;
        own.sent_bytes += run->played.sent[rank].bytes;
    }
    if (figures_summarize(run->own_us, run->plays, &summary) == CB_OK)
        own.time_us = summary.median;
    return own;
}

static void fill_ranks(const rank_figures *all, size_t ranks, report_row *row)
{
    rank_figures sums = {0};

    for (size_t rank = 0; rank < ranks; rank++) {
        const struct {
            const char *key;
            double value;
        } members[] = {{"rank", (double)rank},
                       {"time_us", all[rank].time_us},
                       {"records", (double)all[rank].records},
                       {"memory_bytes", (double)all[rank].memory_bytes},
                       {"sent", (double)all[rank].sent},
                       {"sent_bytes", (double)all[rank].sent_bytes},
                       {"received", (double)all[rank].received},
                       {"received_bytes", (double)all[rank].received_bytes}};

        for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
            report_set_member(row, REPORT_PER_RANK, members[i].value, "%zu.%s", rank,
                              members[i].key);
        sums.records += all[rank].records;
        sums.memory_bytes += all[rank].memory_bytes;
        sums.received += all[rank].received;
        sums.received_bytes += all[rank].received_bytes;
    }
    report_set_member(row, REPORT_REPLAY, (double)sums.records, "records");
    report_set_member(row, REPORT_REPLAY, (double)sums.memory_bytes, "memory_bytes");
    report_set_member(row, REPORT_REPLAY, (double)sums.received, "messages");
    report_set_member(row, REPORT_REPLAY, (double)sums.received_bytes, "bytes");
}

static void fill_messages(const replay_run *run, report_row *row)
{
    const message_times *messages = &run->messages;
    const recorded_times *recorded = &run->recorded;

    report_set_distribution(row, REPORT_MESSAGE_US, &messages->times, 1);
    if (messages->compared > 0) {
        report_set_member(row, REPORT_MESSAGE_SLOWDOWN, messages->slowdown_p50, "p50");
        report_set_member(row, REPORT_MESSAGE_SLOWDOWN, messages->slowdown_p99, "p99");
        report_set_member(row, REPORT_MESSAGE_SLOWDOWN, messages->slowdown_worst, "worst");
        report_set_member(row, REPORT_MESSAGE_SLOWDOWN, (double)messages->compared, "messages");
    }
    if (recorded->records == 0)
        return;
    report_set_member(row, REPORT_RECORDED, (double)recorded->records, "records");
    report_set_member(row, REPORT_RECORDED, recorded->recorded_us, "recorded_us");
    report_set_member(row, REPORT_RECORDED, recorded->replayed_us, "replayed_us");
    report_set_member(row, REPORT_RECORDED, recorded->worst_error, "worst_error");
    report_set_member(row, REPORT_RECORDED, (double)recorded->worst_line, "worst_line");
}

static cb_status fill_times(replay_run *run, uint64_t bytes, report_row *row)
{
    stats_summary summary;
    double play_us;

    CB_TRY(figures_summarize(run->all_us, run->plays, &summary));
    figures_fill_blocks(REPORT_PLAY_US, &summary, run->all_us, run->plays, run->plays, row);
    play_us = figures_rate_us(&run->row.delivery, &run->row.counters, run->all_us, run->plays,
                              summary.median, row);
    qsort(run->all_us, run->plays, sizeof(double), cb_ascending_reals);
    report_set_member(row, REPORT_REPLAY, (double)run->plays, "plays");
    report_set_member(row, REPORT_REPLAY, stats_quantile(run->all_us, run->plays, 0.25),
                      "quartiles_us.0");
    report_set_member(row, REPORT_REPLAY, stats_quantile(run->all_us, run->plays, 0.75),
                      "quartiles_us.1");
    report_set_text(row, REPORT_STOPPED_BY, run->stopped_by);
    report_set_number(row, REPORT_THROUGHPUT_MBPS, (double)bytes / play_us);
    return CB_OK;
}

typedef struct {
    replay_run *run;
    const rank_figures *all;
} row_source;

static cb_status fill_row(void *context, const measurement_setting *setting, report_row *row)
{
    const row_source *of = context;
    uint64_t messages = 0, bytes = 0;

    for (size_t rank = 0; rank < setting->participants; rank++) {
        messages += of->all[rank].received;
        bytes += of->all[rank].received_bytes;
    }
    figures_fill_common(setting, setting->planned->mode->name, (double)messages,
                        (double)bytes / (double)messages, &of->run->row, row);
    if (of->run->played.multicasts)
        report_set_text(row, REPORT_MULTICAST, "loop");
    CB_TRY(fill_times(of->run, bytes, row));
    fill_ranks(of->all, setting->participants, row);
    fill_messages(of->run, row);
    return CB_OK;
}

static cb_status measure(void *state, const measurement_setting *setting)
{
    replay_run *run = state;
    engine_session *session = setting->session;
    const bool touch = strcmp(session->job->options->touch, "all") == 0;
    const bool writes = session->document != NULL;
    rank_figures *all = cb_allocate(setting->participants, sizeof(*all), "the figures of ranks");
    row_source of = {.run = run, .all = all};
    report_row row = {.broken = false};
    rank_figures own;
    meters timed;
    cb_status status;

    if (run->played.computes)
        script_set_work(&run->played, &session->work_rate);
    status = player_create(&run->played, session->technology, touch, &run->me);
    status = control_agree(setting->team, all != NULL ? status : CB_ERROR_MEMORY);
    CB_TRY_TO(done, status);
    CB_TRY_TO(done, status = control_barrier(setting->team));
    CB_TRY_TO(done, status = play_often(run, setting));
    row_end(session);
    timed = run->row.timed;
    run->timed_found = run->found;
    CB_TRY_TO(done, status = play_stamped(run, setting));
    if (session->job->options->verify)
        CB_TRY_TO(done, status = play_verified(run, setting));
    CB_TRY_TO(done, status = control_barrier(setting->team));
    player_destroy(run->me);
    run->me = NULL;
    run->row.timed = timed;
    own = figures_of(run);
    status = control_gather(setting->team, &own, sizeof(own), all);
    if (status == CB_OK)
        status = row_gather(&run->row, setting, writes ? &row : NULL);
    if (status == CB_OK && writes)
        status = row_write(&run->row, setting, "messages", fill_row, &of, &row);
    status = control_agree(setting->team, status);
done:
    free(all);
    return status;
}

static const measurement_method replay_method = {
    .several_unanswered = true,
    .no_harness = true,
    .close = close_state,
    .start = start,
    .measure = measure,
};
