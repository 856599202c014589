/* Plays the records of a script over a technology. */
#ifndef REPLAY_PLAYER_H
#define REPLAY_PLAYER_H

#include "base/status.h"
#include "host/work.h"
#include "replay/script.h"
#include "transport/transport.h"

/* The times of the records of one play, on this rank's clock. */
typedef struct {
    size_t count;       /* records with times: the first of the script */
    uint64_t *begin_ns; /* when a record began ... */
    uint64_t *end_ns;   /* ... and when it ended: of a started receive, when its message was there
                         */
    uint32_t *from;     /* sender of the message of a receive */
} player_stamps;

/* What one play of this rank received. */
typedef struct {
    uint64_t messages, bytes;
    uint64_t sum;       /* of the words that were read */
    uint64_t corrupted; /* verification: messages with a wrong byte or size */
    uint64_t state;     /* of the computing; keeps the compiler from removing it */
} player_found;

typedef struct replay_player replay_player;

/* Create the nodes and groups of a rank and prepare the factory for its messages. `touch`: read all
 * data that is received. CB_ERROR_MEMORY or the technology's error, logged. player_destroy accepts
 * NULL; `played` and the factory outlive the player. */
cb_status player_create(const script *played, transport_factory *factory, bool touch,
                        replay_player **out);
void player_destroy(replay_player *me);

/* Play all records once. `stamps` NULL: without times of records. `verify`: every message has a
 * content of its own, which is checked. An error is of the technology, or CB_ERROR_DATA, logged, if
 * a message has another size than its receive; not of messages that arrive during a barrier or are
 * received from any rank, of which only the sum is checked. */
cb_status player_play(replay_player *me, player_stamps *stamps, bool verify, player_found *found);

#endif
