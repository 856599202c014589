/* Messages of a farm: control messages of 16 bytes, and fragments. farm.h has the functions for
 * programs. */
#ifndef FARM_MESSAGES_H
#define FARM_MESSAGES_H

#include <string.h>

#include "farm/rank.h"
#include "timeline/trace.h"

/* Names of a farm's roles and messages in a timeline. */
extern const timeline_words farm_timeline_words;

/* The same as farm_read, with a timeline too. A message that does not have the size of a control
 * message is returned as a message about no event if messages may be lost, else CB_ERROR_DATA,
 * logged. */
cb_status farm_read_any(bench_rank *me, size_t role, size_t from, transport_buffer *buffer,
                        farm_message *out);

/* Hot. Read a control message of a rank of that role and release its buffer. */
static inline cb_status farm_read(bench_rank *me, size_t role, size_t from,
                                  transport_buffer *buffer, farm_message *out)
{
    if (__builtin_expect(buffer->size != sizeof(*out) || farm_of(me)->timeline != NULL, 0))
        return farm_read_any(me, role, from, buffer, out);
    memcpy(out, buffer->data, sizeof(*out));
    transport_buffer_release(buffer);
    return CB_OK;
}

/* How fragments are made and read: with --touch all, --touch none, and --verify. */
extern const farm_fragments farm_fragments_touched;
extern const farm_fragments farm_fragments_bare;
extern const farm_fragments farm_fragments_varied; /* --fragments, --touch all */
extern const farm_fragments farm_fragments_varied_bare;
extern const farm_fragments farm_fragments_verified;

/* Those for the options --touch and --fragments. */
const farm_fragments *farm_fragments_for(const bench_options *options);

/* Compare the sum of all data that a destination has read with the expected one. CB_ERROR_DATA,
 * logged, if they differ. */
cb_status farm_check_sum(bench_rank *me);

#endif
