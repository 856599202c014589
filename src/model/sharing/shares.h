/* The rates of all live messages, computed from nothing: for the plain path. Internal to src/model.
 */
#ifndef MODEL_SHARING_SHARES_H
#define MODEL_SHARING_SHARES_H

#include "model/sharing/traffic.h"

/* What a message gets: BA, and the cell that limits it. */
typedef struct {
    double rate;
    uint32_t bottleneck;
} share_entry;

/* Scratch of the rules; zero at first. */
typedef struct {
    uint32_t *seats; /* of each cell of the network: its number among those in use */
    uint32_t *cells; /* in use */
    double *left;    /* of each: capacity that is not given out */
    uint32_t *users; /* messages without a rate */
    uint32_t *first; /* of its messages in members; one more than cells */
    uint32_t *heap;  /* of numbers, by share */
    double *keys;    /* share of each when it was put there */
    size_t room;     /* of cells */
    uint32_t *members;
    size_t member_room;
} share_scratch;

typedef ccmod_status (*share_rule)(ccmod_traffic *traffic, const traffic_list *live,
                                   share_scratch *scratch, share_entry *shares);

/* Every link is shared equally, the one that presses most decides. */
ccmod_status ccmod_share_by_bottleneck(ccmod_traffic *traffic, const traffic_list *live,
                                       share_scratch *scratch, share_entry *shares);

/* Max-min fairness: the messages of the scarcest cell get equal shares of it, what they do not take
 * elsewhere is left to the others, and so on. No message gets more of a cell than it would alone.
 */
ccmod_status ccmod_share_max_min(ccmod_traffic *traffic, const traffic_list *live,
                                 share_scratch *scratch, share_entry *shares);

void ccmod_share_free(share_scratch *scratch);

#endif
