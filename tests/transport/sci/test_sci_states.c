/* Segments, sequences and devices as state machines: each operation in each state. In a wrong one
 * it is refused, and changes nothing. */
#include "transport/sci/sisci.h"

#include <string.h>

#include "base/log.h"
#include "tests/common/unit.h"

enum { ID = 40, OTHER_ID = 41, GROUP_ID = 0x80000100u, BYTES = 8192 };

/* All objects that a state may consist of. `offered` is what remote segments connect to. */
typedef struct {
    sci_device device;
    unsigned node_id;
    sci_local offered, local, member;
    sci_remote remote;
    sci_sequence sequence;
} world;

typedef struct {
    const char *name;
    cb_status (*make)(world *here);
} operation;

static cb_status open_device(world *here)
{
    return sci_device_open(&here->device);
}

static cb_status create(world *here)
{
    return sci_local_create(&here->local, &here->device, ID, 1, BYTES);
}

static cb_status join(world *here)
{
    return sci_local_join(&here->local, &here->device, GROUP_ID, BYTES);
}

static cb_status map(world *here)
{
    return sci_local_map(&here->local);
}

static cb_status offer(world *here)
{
    return sci_local_offer(&here->local);
}

static cb_status connect_to(world *here)
{
    return sci_remote_connect(&here->remote, &here->device, here->node_id, here->offered.id);
}

static cb_status connect_group(world *here)
{
    return sci_remote_connect_group(&here->remote, &here->device, GROUP_ID);
}

static cb_status map_remote(world *here)
{
    return sci_remote_map(&here->remote);
}

static cb_status open_sequence(world *here)
{
    return sci_sequence_open(&here->sequence, &here->remote);
}

static void enter(world *here)
{
    *here = (world){0};
    ck_assert_int_eq(sci_library_start(), CB_OK);
    ck_assert_int_eq(sci_library_node_id(&here->node_id), CB_OK);
}

/* Segments to connect to, of a device of their own. */
static void offer_segments(world *here, sci_device *device)
{
    ck_assert_int_eq(sci_device_open(device), CB_OK);
    ck_assert_int_eq(sci_local_create(&here->offered, device, OTHER_ID, 1, BYTES), CB_OK);
    ck_assert_int_eq(sci_local_map(&here->offered), CB_OK);
    ck_assert_int_eq(sci_local_offer(&here->offered), CB_OK);
    ck_assert_int_eq(sci_local_join(&here->member, device, GROUP_ID, BYTES), CB_OK);
    ck_assert_int_eq(sci_local_map(&here->member), CB_OK);
    ck_assert_int_eq(sci_local_offer(&here->member), CB_OK);
}

static void leave(world *here)
{
    sci_sequence_close(&here->sequence);
    sci_remote_disconnect(&here->remote);
    sci_local_destroy(&here->local);
    sci_local_destroy(&here->offered);
    sci_local_destroy(&here->member);
    sci_device_close(&here->device);
    sci_library_stop();
}

/* The operations that lead to a state, and those that are accepted in it, as bits. */
typedef struct {
    const char *name;
    size_t steps;
    unsigned accepted;
} state;

static void expect(const state *in, const operation *tried, cb_status status, bool accepted)
{
    ck_assert_msg(status == (accepted ? CB_OK : CB_ERROR_USAGE), "%s, %s: %s", in->name,
                  tried->name, cb_status_text(status));
    ck_assert_msg(accepted || strstr(cb_last_error(), tried->name) != NULL, "%s, %s: '%s'",
                  in->name, tried->name, cb_last_error());
}

START_TEST(an_operation_on_a_local_segment_requires_its_state)
{
    static cb_status (*const way[])(world *) = {open_device, create, map, offer};
    static const operation operations[] = {{"create the local segment", create},
                                           {"create a member of the multicast group", join},
                                           {"map the local segment", map},
                                           {"offer the local segment", offer}};
    static const state states[] = {{"without a device", 0, 0},
                                   {"destroyed", 1, 1u << 0 | 1u << 1},
                                   {"created", 2, 1u << 2},
                                   {"mapped", 3, 1u << 3},
                                   {"available", 4, 0}};

    cb_log_silence(true);
    for (size_t s = 0; s < sizeof(states) / sizeof(*states); s++)
        for (size_t o = 0; o < sizeof(operations) / sizeof(*operations); o++) {
            const bool accepted = (states[s].accepted >> o & 1) != 0;
            world here;
            sci_local before;

            enter(&here);
            for (size_t step = 0; step < states[s].steps; step++)
                ck_assert_int_eq(way[step](&here), CB_OK);
            before = here.local;
            expect(&states[s], &operations[o], operations[o].make(&here), accepted);
            if (!accepted)
                ck_assert_mem_eq(&here.local, &before, sizeof(before));
            leave(&here);
        }
}
END_TEST

START_TEST(an_operation_on_a_remote_segment_requires_its_state)
{
    static cb_status (*const way[])(world *) = {open_device, connect_to, map_remote, open_sequence};
    static const operation operations[] = {{"connect to the segment", connect_to},
                                           {"connect to the segment", connect_group},
                                           {"map the segment", map_remote},
                                           {"create a sequence", open_sequence}};
    static const state states[] = {{"without a device", 0, 0},
                                   {"disconnected", 1, 1u << 0 | 1u << 1},
                                   {"connected", 2, 1u << 2},
                                   {"mapped", 3, 1u << 3},
                                   {"with a sequence", 4, 0}};

    cb_log_silence(true);
    for (size_t s = 0; s < sizeof(states) / sizeof(*states); s++)
        for (size_t o = 0; o < sizeof(operations) / sizeof(*operations); o++) {
            const bool accepted = (states[s].accepted >> o & 1) != 0;
            sci_device device = {0};
            sci_remote before;
            world here;

            enter(&here);
            offer_segments(&here, &device);
            for (size_t step = 0; step < states[s].steps; step++)
                ck_assert_int_eq(way[step](&here), CB_OK);
            before = here.remote;
            expect(&states[s], &operations[o], operations[o].make(&here), accepted);
            if (!accepted)
                ck_assert_mem_eq(&here.remote, &before, sizeof(before));
            sci_sequence_close(&here.sequence);
            sci_remote_disconnect(&here.remote);
            sci_local_destroy(&here.offered);
            sci_local_destroy(&here.member);
            sci_device_close(&device);
            leave(&here);
        }
}
END_TEST

/* Destroying twice is harmless. */
START_TEST(every_state_leads_back_to_the_first)
{
    static cb_status (*const way[])(world *) = {create, map, offer};
    world here;

    enter(&here);
    ck_assert_int_eq(open_device(&here), CB_OK);
    for (size_t steps = 0; steps <= sizeof(way) / sizeof(*way); steps++) {
        for (size_t step = 0; step < steps; step++)
            ck_assert_int_eq(way[step](&here), CB_OK);
        ck_assert_int_eq(sci_local_is_available(&here.local), steps == 3);
        sci_local_destroy(&here.local);
        ck_assert_int_eq(here.local.state, SCI_LOCAL_DESTROYED);
        sci_local_destroy(&here.local);
    }
    sci_remote_disconnect(&here.remote);
    ck_assert_int_eq(here.remote.state, SCI_REMOTE_DISCONNECTED);
    leave(&here);
}
END_TEST

UNIT_MAIN("sci states", an_operation_on_a_local_segment_requires_its_state,
          an_operation_on_a_remote_segment_requires_its_state, every_state_leads_back_to_the_first)
