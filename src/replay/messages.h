/* Times of single messages and records, from the times of the records of all ranks. */
#ifndef REPLAY_MESSAGES_H
#define REPLAY_MESSAGES_H

#include <ccmod/calibration.h>

#include "control/control.h"
#include "replay/player.h"
#include "stats/stats.h"

/* Messages whose send and receive both have times. */
typedef struct {
    stats_histogram times; /* from the beginning of the send to the end of the receive */
    uint64_t compared;     /* messages with a slowdown: their time / that on the quiet network */
    double slowdown_p50, slowdown_p99, slowdown_worst;
} message_times;

/* Records that have a recorded time (t=). */
typedef struct {
    uint64_t records;
    double recorded_us, replayed_us; /* sums */
    double worst_error;              /* |replayed - recorded| / recorded */
    uint32_t worst_line;
} recorded_times;

/* Match the messages of all ranks at rank 0, where *out is valid; in the order of sending for each
 * pair. `calibration` NULL: no slowdowns. CB_ERROR_MEMORY, logged. Collective over the team. */
cb_status messages_match(control_team *team, const control_clock *clock, const script *played,
                         const player_stamps *stamps, const ccmod_calibration *calibration,
                         message_times *out);

/* Compare the times of this rank's records with the recorded ones, and sum over the team; *out is
 * valid at rank 0. Collective over the team. */
cb_status messages_compare(control_team *team, const script *played, const player_stamps *stamps,
                           recorded_times *out);

#endif
