/* The property that lossy mode is for: a small protocol that writes, checks and retries delivers
 * every message once and whole, or reports that the peer is lost, under any schedule of faults.
 *
 * The receiver has slots, each with data and one control line; the sender has one acknowledgement.
 * A control line carries number and length and is signed by its last word; it follows the data only
 * when they were checked, and after that alone may be sent again. All that travels differs from
 * message to message. */
#include "tests/sisci/fixture.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sisci/wire.h"

enum {
    RECEIVER_ID = 1,
    SENDER_ID = 2,
    SLOTS = 4,
    SLOT_BYTES = 512,
    CONTROL_WORDS = 16,
    SEGMENT_BYTES = SLOTS * (SLOT_BYTES + 4 * CONTROL_WORDS),
    MESSAGES = 60,
    LOST_LETTER = 100, /* smaller values are numbers of messages */
    STARTS = 100 /* number of calls of SCIStartSequence() after which the peer counts as lost */
};

typedef struct {
    unsigned seed;
    const char *faults;
} schedule;

/* One end: its own memory, which it polls, and that of the peer, which it writes. */
typedef struct {
    volatile unsigned *here;
    volatile unsigned *there;
    sci_map_t map;
    sci_sequence_t sequence;
    bool lost;
} end_point;

/* The content of a message follows from its number and the seed. */
static sisci_dice message_dice(const schedule *plan, unsigned number)
{
    return sisci_dice_make(plan->seed, number);
}

static unsigned message_words(const schedule *plan, unsigned number)
{
    sisci_dice dice = message_dice(plan, number);

    return (unsigned)sisci_dice_below(&dice, SLOT_BYTES / 4 + 1);
}

static unsigned message_word(const schedule *plan, unsigned number, unsigned word)
{
    sisci_dice dice = sisci_dice_make(plan->seed + word + 1, number);

    return (unsigned)sisci_dice_next(&dice);
}

static unsigned signature(const unsigned *control)
{
    uint64_t sum = 0x5eed;

    for (unsigned i = 0; i < CONTROL_WORDS - 1; i++) {
        sisci_dice dice = sisci_dice_make(sum, control[i]);

        sum = sisci_dice_next(&dice);
    }
    return (unsigned)sum | 1;
}

static volatile unsigned *slot_data(volatile unsigned *segment, unsigned number)
{
    return segment + number % SLOTS * (SLOT_BYTES / 4);
}

static volatile unsigned *slot_control(volatile unsigned *segment, unsigned number)
{
    return segment + SLOTS * (SLOT_BYTES / 4) + number % SLOTS * CONTROL_WORDS;
}

static void store(volatile unsigned *target, const unsigned *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        __atomic_store_n(&target[i], words[i], __ATOMIC_RELAXED);
}

/* Returns false if the peer is lost. */
static bool start_again(end_point *end)
{
    sci_error_t error;

    for (int i = 0; i < STARTS; i++)
        if (SCIStartSequence(end->sequence, 0, &error) == SCI_SEQ_OK)
            return true;
    end->lost = true;
    return false;
}

/* Repeat the write until it has arrived. */
static bool deliver(end_point *end, volatile unsigned *target, const unsigned *words,
                    unsigned count)
{
    sci_error_t error;

    for (;;) {
        store(target, words, count);
        switch (SCICheckSequence(end->sequence, 0, &error)) {
        case SCI_SEQ_OK:
            return true;
        case SCI_SEQ_RETRIABLE:
            break;
        case SCI_SEQ_PENDING:
        case SCI_SEQ_NOT_RETRIABLE:
            if (!start_again(end))
                return false;
        }
    }
}

static bool send_message(end_point *end, const schedule *plan, unsigned number)
{
    unsigned words[SLOT_BYTES / 4];
    unsigned control[CONTROL_WORDS] = {number, message_words(plan, number)};

    for (unsigned i = 0; i < control[1]; i++)
        words[i] = message_word(plan, number, i);
    control[CONTROL_WORDS - 1] = signature(control);
    return deliver(end, slot_data(end->there, number), words, control[1]) &&
           deliver(end, slot_control(end->there, number), control, CONTROL_WORDS);
}

/* Whether the control line of a message has arrived completely. */
static bool has_come(const end_point *end, unsigned number, unsigned *words)
{
    volatile unsigned *line = slot_control(end->here, number);
    unsigned control[CONTROL_WORDS];

    control[CONTROL_WORDS - 1] = __atomic_load_n(&line[CONTROL_WORDS - 1], __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < CONTROL_WORDS - 1; i++)
        control[i] = __atomic_load_n(&line[i], __ATOMIC_ACQUIRE);
    *words = control[1];
    return control[0] == number && control[CONTROL_WORDS - 1] == signature(control);
}

static end_point connect_ends(sci_desc_t sd, unsigned own_id, unsigned node, unsigned id,
                              helper *other)
{
    end_point end = {0};
    sci_map_t map;

    end.here = map_local(offer(sd, own_id, SEGMENT_BYTES), &map);
    tell(other, 'r');
    expect(other, 'r');
    end.there = map_remote(reach(sd, node, id), &end.map);
    end.sequence = watch(end.map);
    tell(other, 'c');
    expect(other, 'c');
    start_again(&end);
    return end;
}

/* The helper: reports the number of each complete message, and 'l' when the test is lost to it.
 * Numbers start at 1, so that zeroed memory contains none. */
static int receive(helper *test, const void *argument)
{
    const schedule *plan = argument;
    end_point end = connect_ends(begin_with(plan->faults), RECEIVER_ID, 4, SENDER_ID, test);

    for (unsigned number = 1; number <= MESSAGES && !end.lost; number++) {
        unsigned words;

        while (!has_come(&end, number, &words)) {
            if (pending_letter(test))
                return 0; /* the sender lost this receiver */
            sched_yield();
        }
        ck_assert_uint_eq(words, message_words(plan, number));
        for (unsigned i = 0; i < words; i++)
            ck_assert_uint_eq(slot_data(end.here, number)[i], message_word(plan, number, i));
        tell(test, (char)number);
        deliver(&end, end.there, &number, 1);
    }
    if (end.lost)
        tell(test, LOST_LETTER);
    expect(test, 'q');
    return 0;
}

static unsigned acknowledged(const end_point *end)
{
    return __atomic_load_n(&end->here[0], __ATOMIC_ACQUIRE);
}

/* The numbers received must be complete and in order, without duplicates. */
static void note_arrivals(const helper *receiver, unsigned *arrived, bool *lost)
{
    sched_yield();
    while (pending_letter(receiver)) {
        unsigned char letter = (unsigned char)hear(receiver);

        if (letter == LOST_LETTER)
            *lost = true;
        else
            ck_assert_uint_eq(letter, ++*arrived);
    }
}

/* Returns whether all messages were delivered; otherwise one side reported the other lost. */
static bool run(const schedule *plan)
{
    helper receiver = helper_start(receive, plan, 8);
    end_point end = connect_ends(begin_with(plan->faults), SENDER_ID, 8, RECEIVER_ID, &receiver);
    unsigned arrived = 0;
    bool receiver_lost = false;

    for (unsigned number = 1; number <= MESSAGES && !end.lost && !receiver_lost; number++) {
        while (acknowledged(&end) + SLOTS < number && !receiver_lost) {
            insist_on(&receiver);
            note_arrivals(&receiver, &arrived, &receiver_lost);
        }
        if (!receiver_lost)
            send_message(&end, plan, number);
    }
    while (arrived < MESSAGES && !end.lost && !receiver_lost) {
        insist_on(&receiver);
        note_arrivals(&receiver, &arrived, &receiver_lost);
    }
    tell(&receiver, 'q');
    helper_finish(&receiver);
    note_arrivals(&receiver, &arrived, &receiver_lost);
    SCITerminate();
    ck_assert(arrived == MESSAGES || end.lost || receiver_lost);
    return arrived == MESSAGES;
}

static unsigned first_seed(void)
{
    const char *text = getenv("SISCI_TEST_SEED");

    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 1;
}

/* Run the protocol with several seeds; returns the number of runs that delivered everything. */
static unsigned run_seeds(const char *kinds, unsigned count)
{
    unsigned delivered = 0;

    for (unsigned i = 0; i < count; i++) {
        char faults[128];
        schedule plan = {.seed = first_seed() + i, .faults = faults};

        snprintf(faults, sizeof(faults), "seed=%u,%s", plan.seed, kinds);
        delivered += run(&plan);
    }
    return delivered;
}

START_TEST(without_faults_all_messages_are_delivered)
{
    ck_assert_uint_eq(run_seeds("drop=0", 2), 2);
}
END_TEST

START_TEST(all_messages_are_delivered_out_of_order)
{
    ck_assert_uint_eq(run_seeds("reorder=1", 4), 4);
}
END_TEST

START_TEST(all_messages_are_delivered_though_lines_are_lost)
{
    ck_assert_uint_eq(run_seeds("drop=0.05,reorder=1", 8), 8);
}
END_TEST

START_TEST(all_messages_are_delivered_though_lines_are_torn)
{
    ck_assert_uint_eq(run_seeds("tear=0.05,reorder=1", 8), 8);
}
END_TEST

START_TEST(all_messages_are_delivered_under_all_temporary_faults)
{
    ck_assert_uint_eq(run_seeds("drop=0.05,tear=0.05,pending=0.3,cut=0.3,reorder=1", 10), 10);
}
END_TEST

START_TEST(a_lost_peer_is_reported)
{
    ck_assert_uint_lt(run_seeds("drop=0.05,tear=0.05,lose=0.1,reorder=1", 8), 8);
}
END_TEST

UNIT_MAIN("sisci protocol", without_faults_all_messages_are_delivered,
          all_messages_are_delivered_out_of_order, all_messages_are_delivered_though_lines_are_lost,
          all_messages_are_delivered_though_lines_are_torn,
          all_messages_are_delivered_under_all_temporary_faults, a_lost_peer_is_reported)
