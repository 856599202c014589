/* Shares of --max-time, of all methods. A method has some of these parts, in this order; what it
 * does not use belongs to the parts after it. */
#ifndef ENGINE_SHARES_H
#define ENGINE_SHARES_H

/* When parts end, after the start of the measurement. */
static const double share_groups_end = 0.10;       /* making and freeing groups */
static const double share_warm_up_end = 0.12;      /* finding the steps of a block */
static const double share_trials_end = 0.25;       /* finding the number of events in flight */
static const double share_blocks_end = 0.70;       /* blocks; single steps follow */
static const double share_event_blocks_end = 0.76; /* blocks of a farm; latencies follow */
static const double share_map_end = 0.85;          /* a map of links; its steps follow */
static const double share_turns_end = 0.90;        /* blocks in turn with others */
static const double share_steps_end = 0.92;        /* single steps; the baselines follow */
static const double share_map_steps_end = 0.95;
static const double share_latencies_end = 0.98;

/* How long a part may take. */
static const double share_probe = 0.01;             /* one that finds the time of an event; ... */
static const double share_chain_probe = 0.05;       /* ... without a supervisor, ... */
static const double share_short_chain_probe = 0.10; /* ... and of a few events only */
static const double share_trial = 0.04;             /* of a number in flight */
static const double share_latencies = 0.22;
static const double share_load = 0.90;           /* an open loop at one rate, ... */
static const double share_load_least = 0.50;     /* ... at least this, however late it starts */
static const double share_timeline_trial = 0.02; /* of what recording costs */

#endif
