/* Conversations: what a processor has received from another and not yet acknowledged, and whether
 * it usually answers; a table by pair. Internal to src/model. */
#ifndef MODEL_SHARING_CONVERSATIONS_H
#define MODEL_SHARING_CONVERSATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the receiver usually sends something soon after it has received. */
typedef enum {
    CONVERSATION_UNKNOWN,
    CONVERSATION_ANSWERS,
    CONVERSATION_SILENT
} conversation_manner;

typedef struct {
    uint64_t pair;           /* receiver and sender; UINT64_MAX: empty */
    double received_us;      /* when the last message arrived; minus infinity: never */
    uint32_t unacknowledged; /* number of packets */
    conversation_manner manner;
} conversation;

typedef struct {
    conversation *entries;
    size_t count, room; /* room is a power of two */
} conversation_table;

bool ccmod_conversations_open(conversation_table *table); /* false if out of memory */
void ccmod_conversations_close(conversation_table *table);

/* The pair's conversation, initially empty; valid until the next call; NULL if out of memory. Hot.
 */
conversation *ccmod_conversation_of(conversation_table *table, uint32_t receiver, uint32_t sender);

#endif
