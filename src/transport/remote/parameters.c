/* Parameters and counters that the technologies over remote/ have in common. */
#include "transport/remote/parameters.h"

#include <stdio.h>

#include "base/memory.h"

bool remote_accepts_outstanding(uint64_t value, char why[CB_WHY_BYTES])
{
    if ((value & (value - 1)) == 0)
        return true;
    snprintf(why, CB_WHY_BYTES, "not a power of 2; use 1, 2, 4, ... %d",
             (int)REMOTE_OUTSTANDING_MOST);
    return false;
}

static uint64_t few_slots(size_t held)
{
    uint64_t few = 4;

    while (few < 2 * held && few < REMOTE_OUTSTANDING_MOST)
        few *= 2;
    return few;
}

/* Limits of all slots of a process. The first, which caches hold, applies to more than a few slots
 * for each peer, the second to the few, beyond which messages are sent in pieces. A few are more
 * than the user holds, so that a sender can go on meanwhile. */
void remote_derive(const cb_job *job, remote_settings *settings)
{
    const uint64_t moderate_bytes = UINT64_C(1) << 20, most_bytes = UINT64_C(64) << 20;
    const uint64_t few = few_slots(job->held_buffers);
    const uint64_t peers = job->ranks > 1 ? job->ranks - 1 : 1;
    const uint64_t lines = (job->largest_bytes + CB_CACHE_LINE - 1) / CB_CACHE_LINE;
    const uint64_t most_lines = most_bytes / (peers * few * CB_CACHE_LINE);
    uint64_t outstanding = REMOTE_OUTSTANDING_MOST, slot_bytes;

    settings->buffer_size = (lines < most_lines ? lines : most_lines) * CB_CACHE_LINE;
    if (settings->buffer_size == 0)
        settings->buffer_size = CB_CACHE_LINE;
    slot_bytes = settings->buffer_size + REMOTE_PREFIX_BYTES;
    while (outstanding > few && peers * outstanding * slot_bytes > moderate_bytes)
        outstanding /= 2;
    settings->outstanding = outstanding;
}

static const cb_counter counters[REMOTE_COUNTERS] = {
    [REMOTE_PATH_MESSAGE] = {.key = "message",
                             .unit = "messages",
                             .meaning =
                                 "received as messages of the library; a piece counts as one"},
    [REMOTE_PATH_WRITE] = {.key = "write",
                           .unit = "messages",
                           .meaning = "received by a remote write with a completion"},
    [REMOTE_PATH_PUT] = {.key = "put",
                         .unit = "messages",
                         .meaning = "received by a remote write and a notification after it"},
    [REMOTE_PATH_AM] = {.key = "am",
                        .unit = "messages",
                        .meaning = "received with an active message"},
    [REMOTE_PATH_RENDEZVOUS] = {.key = "rendezvous",
                                .unit = "messages",
                                .meaning = "announced, then fetched by the receiver"},
    [REMOTE_RETRIES] = {.key = "retries",
                        .unit = "operations",
                        .meaning = "refused by the library and tried again by the technology"},
    [REMOTE_QUEUE_FULL] = {.key = "queue_full",
                           .unit = "operations",
                           .meaning = "for which the library had no room: the message was queued"},
    [REMOTE_DROPPED] = {.key = "dropped",
                        .unit = "messages",
                        .meaning = "dropped: without the key of the job, or not granted"},
};

const cb_counter_set remote_counters = {
    .group = "paths", .rows = counters, .count = REMOTE_COUNTERS};
