/* Gather the sends and receives of all ranks, and match them pair by pair. */
#include "replay/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The end of a message at one rank. */
typedef struct {
    uint64_t at_ns; /* on rank 0's clock */
    uint64_t bytes; /* of a send */
    uint32_t peer;
    uint32_t is_send;
} message_end;

/* The ends at one rank, in the order of its records. */
typedef struct {
    message_end *ends;
    uint64_t count;
} rank_ends;

/* Times of messages, and those divided by the quiet time. */
typedef struct {
    size_t ranks;
    rank_ends *of;             /* by rank */
    const message_end **sends; /* of the sender at hand, by destination */
    size_t *first;             /* by destination, and the end */
    double *slowdowns;
    size_t slowdown_count;
    const ccmod_calibration *calibration;
} message_matching;

static cb_status find_own_ends(const control_clock *clock, const script *played,
                               const player_stamps *stamps, rank_ends *own)
{
    own->ends = cb_allocate(stamps->count > 0 ? stamps->count : 1, sizeof(*own->ends),
                            "the times of messages");
    if (own->ends == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < stamps->count; i++) {
        const script_record *record = &played->records[i];
        const bool is_send = record->kind == SCRIPT_SEND || record->kind == SCRIPT_START_SEND;
        const uint64_t at_ns = is_send ? stamps->begin_ns[i] : stamps->end_ns[i];

        if (is_send || record->kind == SCRIPT_RECEIVE || record->kind == SCRIPT_START_RECEIVE)
            own->ends[own->count++] =
                (message_end){.at_ns = control_clock_reference(clock, at_ns),
                              .bytes = record->value,
                              .peer = is_send ? record->peer : stamps->from[i],
                              .is_send = is_send};
    }
    return CB_OK;
}

/* Gather the ends of all ranks at rank 0, piece by piece. */
static cb_status gather_ends(control_team *team, const rank_ends *own, rank_ends *all)
{
    enum { PIECE = 4096 };
    const size_t ranks = control_team_size(team);
    const bool root = control_team_index(team) == 0;
    uint64_t *counts = cb_allocate(ranks, sizeof(*counts), "the times of messages");
    message_end *mine = cb_allocate(PIECE, sizeof(*mine), "the times of messages");
    message_end *pieces = cb_allocate(root ? ranks * PIECE : 1, sizeof(*pieces), "their times");
    uint64_t most = 0;
    cb_status status = counts != NULL && mine != NULL && pieces != NULL ? CB_OK : CB_ERROR_MEMORY;

    CB_TRY_TO(done, status = control_agree(team, status));
    CB_TRY_TO(done, status = control_exchange(team, &own->count, sizeof(own->count), counts));
    for (size_t rank = 0; status == CB_OK && rank < ranks; rank++) {
        most = counts[rank] > most ? counts[rank] : most;
        if (!root)
            continue;
        all[rank].ends = cb_allocate((size_t)counts[rank] + 1, sizeof(message_end), "their times");
        all[rank].count = counts[rank];
        status = all[rank].ends != NULL ? CB_OK : CB_ERROR_MEMORY;
    }
    CB_TRY_TO(done, status = control_agree(team, status));
    for (uint64_t at = 0; at < most; at += PIECE) {
        if (at < own->count)
            memcpy(mine, own->ends + at,
                   (size_t)(own->count - at < PIECE ? own->count - at : PIECE) * sizeof(*mine));
        CB_TRY_TO(done, status = control_gather(team, mine, PIECE * sizeof(*mine), pieces));
        for (size_t rank = 0; root && rank < ranks; rank++)
            if (at < counts[rank])
                memcpy(all[rank].ends + at, pieces + rank * PIECE,
                       (size_t)(counts[rank] - at < PIECE ? counts[rank] - at : PIECE) *
                           sizeof(*mine));
    }
done:
    free(counts);
    free(mine);
    free(pieces);
    return status;
}

/* Sort the sends of a rank by destination, without changing their order otherwise. */
static void sort_sends(message_matching *all, const rank_ends *sender)
{
    memset(all->first, 0, (all->ranks + 2) * sizeof(*all->first));
    for (uint64_t i = 0; i < sender->count; i++)
        if (sender->ends[i].is_send)
            all->first[sender->ends[i].peer + 2]++;
    for (size_t rank = 2; rank < all->ranks + 2; rank++)
        all->first[rank] += all->first[rank - 1];
    for (uint64_t i = 0; i < sender->count; i++)
        if (sender->ends[i].is_send)
            all->sends[all->first[sender->ends[i].peer + 1]++] = &sender->ends[i];
}

static void note_message(message_matching *all, const message_end *sent,
                         const message_end *received, message_times *out)
{
    /* Clocks of hosts agree within their bound only. */
    const uint64_t time_ns = received->at_ns > sent->at_ns ? received->at_ns - sent->at_ns : 0;
    ccmod_delay quiet;
    double quiet_us;

    stats_histogram_record(&out->times, time_ns);
    if (all->calibration == NULL)
        return;
    quiet = ccmod_default_quiet_delay(all->calibration, 2, sent->bytes);
    quiet_us = quiet.overhead_us + quiet.latency_us + quiet.transfer_us;
    /* A calibration may have no time for an empty message: there is nothing to divide by. */
    if (quiet_us > 0)
        all->slowdowns[all->slowdown_count++] = (double)time_ns / 1e3 / quiet_us;
}

/* The receives of all ranks from one sender. */
static void match_sender(message_matching *all, size_t sender, message_times *out)
{
    sort_sends(all, &all->of[sender]);
    for (size_t rank = 0; rank < all->ranks; rank++) {
        size_t next = all->first[rank], end = all->first[rank + 1];
        const rank_ends *receiver = &all->of[rank];

        for (uint64_t i = 0; next < end && i < receiver->count; i++)
            if (!receiver->ends[i].is_send && receiver->ends[i].peer == sender)
                note_message(all, all->sends[next++], &receiver->ends[i], out);
    }
}

static int compare_numbers(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

static cb_status match_all(message_matching *all, message_times *out)
{
    uint64_t most = 0, total = 0;

    for (size_t rank = 0; rank < all->ranks; rank++) {
        most = all->of[rank].count > most ? all->of[rank].count : most;
        total += all->of[rank].count;
    }
    all->sends = cb_allocate((size_t)most + 1, sizeof(*all->sends), "the times of messages");
    all->first = cb_allocate(all->ranks + 2, sizeof(*all->first), "the times of messages");
    all->slowdowns = cb_allocate(all->calibration != NULL ? (size_t)total + 1 : 1,
                                 sizeof(*all->slowdowns), "the slowdowns of messages");
    if (all->sends == NULL || all->first == NULL || all->slowdowns == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < all->ranks; rank++)
        match_sender(all, rank, out);
    qsort(all->slowdowns, all->slowdown_count, sizeof(double), compare_numbers);
    out->compared = all->slowdown_count;
    out->slowdown_p50 = stats_quantile(all->slowdowns, all->slowdown_count, 0.5);
    out->slowdown_p99 = stats_quantile(all->slowdowns, all->slowdown_count, 0.99);
    out->slowdown_worst = stats_quantile(all->slowdowns, all->slowdown_count, 1);
    return CB_OK;
}

cb_status messages_match(control_team *team, const control_clock *clock, const script *played,
                         const player_stamps *stamps, const ccmod_calibration *calibration,
                         message_times *out)
{
    rank_ends own = {0};
    message_matching all = {.ranks = control_team_size(team), .calibration = calibration};
    cb_status status = find_own_ends(clock, played, stamps, &own);

    all.of = cb_allocate(all.ranks, sizeof(*all.of), "the times of messages");
    status = control_agree(team, all.of != NULL ? status : CB_ERROR_MEMORY);
    if (status == CB_OK)
        status = gather_ends(team, &own, all.of);
    if (status == CB_OK && control_team_index(team) == 0)
        status = match_all(&all, out);
    for (size_t rank = 0; all.of != NULL && rank < all.ranks; rank++)
        free(all.of[rank].ends);
    free(own.ends);
    free(all.of);
    free(all.sends);
    free(all.first);
    free(all.slowdowns);
    return control_agree(team, status);
}

cb_status messages_compare(control_team *team, const script *played, const player_stamps *stamps,
                           recorded_times *out)
{
    const size_t ranks = control_team_size(team);
    recorded_times own = {0}, *all = cb_allocate(ranks, sizeof(*all), "the recorded times");
    cb_status status = control_agree(team, all != NULL ? CB_OK : CB_ERROR_MEMORY);

    for (size_t i = 0; i < played->mark_count && played->marks[i].last < stamps->count; i++) {
        const script_mark *mark = &played->marks[i];
        const double time_us =
            (double)(stamps->end_ns[mark->last] - stamps->begin_ns[mark->record]) / 1e3;
        double error;

        /* The end of a started receive is that of its message. */
        if (played->records[mark->record].kind == SCRIPT_START_RECEIVE)
            continue;
        own.records++;
        own.recorded_us += mark->recorded_us;
        own.replayed_us += time_us;
        error = mark->recorded_us > 0 ? fabs(time_us - mark->recorded_us) / mark->recorded_us : 0;
        if (error > own.worst_error) {
            own.worst_error = error;
            own.worst_line = mark->line;
        }
    }
    *out = (recorded_times){0};
    CB_TRY_TO(done, status);
    CB_TRY_TO(done, status = control_gather(team, &own, sizeof(own), all));
    for (size_t rank = 0; control_team_index(team) == 0 && rank < ranks; rank++) {
        out->records += all[rank].records;
        out->recorded_us += all[rank].recorded_us;
        out->replayed_us += all[rank].replayed_us;
        if (all[rank].worst_error > out->worst_error) {
            out->worst_error = all[rank].worst_error;
            out->worst_line = all[rank].worst_line;
        }
    }
done:
    free(all);
    return status;
}
