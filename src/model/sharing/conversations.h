/* What a processor has heard of another and not acknowledged, and whether it answers: a table of
 * pairs. Internal to src/model. */
#ifndef MODEL_SHARING_CONVERSATIONS_H
#define MODEL_SHARING_CONVERSATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the hearer sends something soon after what it hears. */
typedef enum {
    CONVERSATION_UNKNOWN,
    CONVERSATION_ANSWERS,
    CONVERSATION_SILENT
} conversation_manner;

typedef struct {
    uint64_t pair;           /* hearer and speaker; UINT64_MAX: empty */
    double heard_us;         /* when the last message came; minus infinity: never */
    uint32_t unacknowledged; /* packets */
    conversation_manner manner;
} conversation;

typedef struct {
    conversation *entries;
    size_t count, room; /* room is a power of two */
} conversation_table;

bool ccmod_conversations_open(conversation_table *table); /* false without memory */
void ccmod_conversations_close(conversation_table *table);

/* That of the pair, which begins with nothing heard, until the next call; NULL without memory.
 * Hot. */
conversation *ccmod_conversation_of(conversation_table *table, uint32_t hearer, uint32_t speaker);

#endif
