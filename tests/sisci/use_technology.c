/* Two processes that exchange messages of all forms over the technology sci: the test of detection
 * links it with the technology as compiled against Dolphin's names. */
#include <stdio.h>

#include "tests/transport/sci/pair.h"
#include "transport/transport.h"

extern const transport_technology transport_sci;

/* In place of the list of all, which needs MPI. */
const transport_technology *const transport_technologies[] = {&transport_sci, NULL};

enum { MESSAGES = 200, LARGEST = 700 };

/* In one line, in a buffer, and in pieces. */
static size_t size_of(uint64_t number)
{
    return (size_t)(number * 37 % (LARGEST + 1));
}

static void bounce(pair_end *end)
{
    for (uint64_t i = 0; i < MESSAGES; i++) {
        if (end->rank == 0)
            pair_send(end, i, size_of(i));
        pair_receive(end, i, size_of(i));
        if (end->rank == 1)
            pair_send(end, i, size_of(i));
    }
}

int main(void)
{
    pair_plan plan = {.form = {.outstanding = 4, .bytes = 256, .spare = 2, .lines = true},
                      .message_bytes = LARGEST,
                      .wait = TRANSPORT_WAIT_BLOCK,
                      .bodies = {bounce, bounce}};
    int outcomes[2];

    pair_run(&plan, outcomes);
    if (outcomes[0] != 0 || outcomes[1] != 0)
        return 1;
    printf("%d\n", MESSAGES);
    return 0;
}
