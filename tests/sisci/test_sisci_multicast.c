/* Multicast groups: joining and leaving, one store to all members, and lost members. */
#include "tests/sisci/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "sisci/registry.h"

enum { ID = 30, BYTES = 8192, WORDS = BYTES / 4 };

static sci_error_t try_to_create(sci_desc_t sd, size_t size, unsigned flags)
{
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, ID, size, NULL, NULL, flags, &error);
    return error;
}

static sci_error_t try_to_connect(sci_desc_t sd)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    SCIConnectSegment(sd, &segment, DIS_BROADCAST_NODEID_GROUP_ALL, ID, 0, NULL, NULL, 0,
                      SCI_FLAG_BROADCAST, &error);
    return error;
}

START_TEST(a_group_without_members_is_not_found)
{
    ck_error(try_to_connect(begin()), SCI_ERR_NO_SUCH_SEGMENT);
}
END_TEST

START_TEST(a_group_without_an_available_member_refuses)
{
    sci_desc_t sd = begin();

    ck_ok(try_to_create(sd, BYTES, SCI_FLAG_BROADCAST));
    ck_error(try_to_connect(sd), SCI_ERR_CONNECTION_REFUSED);
}
END_TEST

START_TEST(all_members_must_have_the_same_size)
{
    sci_desc_t sd = begin();

    offer_member(sd, ID, BYTES);
    ck_error(try_to_create(sd, 2 * BYTES, SCI_FLAG_BROADCAST), SCI_ERR_ILLEGAL_PARAMETER);
    ck_ok(try_to_create(sd, BYTES, SCI_FLAG_BROADCAST));
}
END_TEST

START_TEST(a_member_cannot_be_private)
{
    ck_error(try_to_create(begin(), BYTES, SCI_FLAG_BROADCAST | SCI_FLAG_PRIVATE),
             SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(a_member_must_be_prepared_with_the_multicast_flag)
{
    sci_desc_t sd = begin();
    sci_local_segment_t member, single;
    sci_error_t error;

    SCICreateSegment(sd, &member, ID, BYTES, NULL, NULL, SCI_FLAG_BROADCAST, &error);
    SCIPrepareSegment(member, 0, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
    SCICreateSegment(sd, &single, ID, BYTES, NULL, NULL, 0, &error);
    ck_ok(error);
    SCIPrepareSegment(single, 0, SCI_FLAG_BROADCAST, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
}
END_TEST

START_TEST(a_group_must_be_mapped_with_the_multicast_flag)
{
    sci_desc_t sd = begin();
    sci_remote_segment_t group;
    sci_error_t error;
    sci_map_t map;

    offer_member(sd, ID, BYTES);
    group = reach_group(sd, ID);
    SCIMapRemoteSegment(group, &map, 0, BYTES, NULL, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
}
END_TEST

/* A member on a separate node: reports when the word following the given one has arrived. */
static int be_member(helper *test, const void *unused)
{
    sci_map_t map;
    volatile unsigned *here = map_local(offer_member(begin(), ID, BYTES), &map);

    (void)unused;
    tell(test, 'r');
    until(__atomic_load_n(&here[WORDS - 1], __ATOMIC_ACQUIRE) == 99);
    tell(test, here[0] == 98 ? 'y' : 'n');
    expect(test, 'q');
    SCITerminate();
    return 0;
}

static void send_to_group(sci_remote_segment_t group)
{
    sci_map_t map;
    volatile unsigned *there = map_remote(group, &map);
    sci_sequence_t sequence = watch(map);
    sci_error_t error;

    there[0] = 98;
    SCIStoreBarrier(sequence, 0);
    there[WORDS - 1] = 99;
    ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_OK);
}

static void check_that_one_store_reaches_all(const char *faults)
{
    helper others[3];
    sci_map_t map;
    const unsigned *here;
    sci_desc_t sd;

    setenv("SISCI_SHM_FAULTS", faults, 1);
    for (unsigned i = 0; i < 3; i++)
        others[i] = helper_start(be_member, NULL, 8 + 4 * i);
    for (unsigned i = 0; i < 3; i++)
        expect(&others[i], 'r');
    sd = begin();
    here = map_local(offer_member(sd, ID, BYTES), &map);
    send_to_group(reach_group(sd, ID));
    ck_assert_uint_eq(here[WORDS - 1], 99);
    for (unsigned i = 0; i < 3; i++) {
        expect(&others[i], 'y');
        tell(&others[i], 'q');
        helper_finish(&others[i]);
    }
}

START_TEST(one_store_reaches_all_members)
{
    check_that_one_store_reaches_all("");
}
END_TEST

START_TEST(one_store_reaches_all_members_in_lossy_mode)
{
    check_that_one_store_reaches_all("seed=5,reorder=1");
}
END_TEST

START_TEST(a_transfer_by_dma_reaches_all_members)
{
    helper other = helper_start(be_member, NULL, 8);
    sci_desc_t sd = begin();
    sci_map_t map;
    sci_local_segment_t source = offer(sd, ID, BYTES);
    unsigned *from = map_local(source, &map);
    sci_dma_queue_t queue;
    sci_remote_segment_t group;
    sci_error_t error;

    expect(&other, 'r');
    group = reach_group(sd, ID);
    from[0] = 98;
    from[WORDS - 1] = 99;
    SCICreateDMAQueue(sd, &queue, 0, 1, 0, &error);
    SCIStartDmaTransfer(queue, source, group, 0, BYTES, 0, NULL, NULL, SCI_FLAG_DMA_WAIT, &error);
    ck_ok(error);
    expect(&other, 'y');
    SCIStartDmaTransfer(queue, source, group, 0, BYTES, 0, NULL, NULL, SCI_FLAG_DMA_READ, &error);
    ck_error(error, SCI_ERR_ILLEGAL_OPERATION);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(a_member_that_joins_later_shares_the_memory)
{
    sci_desc_t sd = begin();
    sci_map_t first_map, map, later_map;
    volatile unsigned *there;

    map_local(offer_member(sd, ID, BYTES), &first_map);
    there = map_remote(reach_group(sd, ID), &map);
    there[5] = 50;
    ck_assert_uint_eq(map_local(offer_member(sd, ID, BYTES), &later_map)[5], 50);
}
END_TEST

START_TEST(in_lossy_mode_each_member_has_its_own_memory)
{
    sci_desc_t sd = begin_with("seed=1");
    sci_map_t one, other;
    unsigned *first = map_local(offer_member(sd, ID, BYTES), &one);
    unsigned *second = map_local(offer_member(sd, ID, BYTES), &other);

    first[5] = 50;
    ck_assert_uint_eq(second[5], 0);
}
END_TEST

START_TEST(a_line_may_reach_one_member_and_not_the_other)
{
    sci_desc_t sd = begin_with("seed=1,drop=0.5");
    sci_map_t one, other, map;
    const unsigned *first = map_local(offer_member(sd, ID, BYTES), &one);
    const unsigned *second = map_local(offer_member(sd, ID, BYTES), &other);
    volatile unsigned *there = map_remote(reach_group(sd, ID), &map);
    sci_sequence_t sequence = watch(map);
    unsigned only_first = 0, only_second = 0;
    sci_error_t error;

    for (unsigned i = 0; i < WORDS; i += 16)
        there[i] = 1;
    ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_RETRIABLE);
    for (unsigned i = 0; i < WORDS; i += 16) {
        only_first += first[i] > second[i];
        only_second += second[i] > first[i];
    }
    ck_assert_uint_gt(only_first, 0);
    ck_assert_uint_gt(only_second, 0);
}
END_TEST

static size_t objects_of_group(void)
{
    sisci_name user = sisci_name_user();
    sisci_names all;
    size_t count = 0;

    ck_assert(sisci_names_list(&user, &all));
    for (size_t i = 0; i < all.count; i++)
        count += is_of_this_job(all.names[i].text) &&
                 (sisci_name_kind(&all.names[i]) == SISCI_KIND_GROUP ||
                  sisci_name_kind(&all.names[i]) == SISCI_KIND_MEMBER);
    sisci_names_free(&all);
    return count;
}

START_TEST(the_memory_of_a_group_is_removed_with_its_last_member)
{
    sci_desc_t sd = begin();
    sci_local_segment_t one = offer_member(sd, ID, BYTES);
    sci_local_segment_t other = offer_member(sd, ID, BYTES);
    sci_error_t error;

    ck_assert_uint_eq(objects_of_group(), 3);
    SCIRemoveSegment(one, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(objects_of_group(), 2);
    SCIRemoveSegment(other, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(objects_of_group(), 0);
}
END_TEST

START_TEST(a_group_of_killed_members_can_be_created_again)
{
    helper other = helper_start(be_member, NULL, 8);
    sci_desc_t sd = begin();
    sci_map_t map;

    expect(&other, 'r');
    map_remote(reach_group(sd, ID), &map)[7] = 70;
    helper_kill(&other);
    ck_assert_uint_eq(map_local(offer_member(sd, ID, 2 * BYTES), &map)[7], 0);
}
END_TEST

START_TEST(a_connected_member_is_busy)
{
    sci_desc_t sd = begin();
    sci_local_segment_t member = offer_member(sd, ID, BYTES);
    sci_remote_segment_t group = reach_group(sd, ID);
    sci_error_t error;

    SCIRemoveSegment(member, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIDisconnectSegment(group, 0, &error);
    ck_ok(error);
    SCIRemoveSegment(member, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(a_group_is_lost_with_its_last_member)
{
    helper one = helper_start(be_member, NULL, 8), other = helper_start(be_member, NULL, 12);
    sci_remote_segment_t group;
    sci_map_t map;
    sci_sequence_t sequence;
    sci_error_t error, status;

    expect(&one, 'r');
    expect(&other, 'r');
    group = reach_group(begin(), ID);
    map_remote(group, &map);
    sequence = watch(map);
    helper_kill(&one);
    ck_assert_int_eq(SCIWaitForRemoteSegmentEvent(group, &status, SOON_MS, 0, &error), SCI_CB_LOST);
    ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_OK);
    helper_kill(&other);
    ck_assert_int_eq(SCIWaitForRemoteSegmentEvent(group, &status, SOON_MS, 0, &error), SCI_CB_LOST);
    ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_NOT_RETRIABLE);
}
END_TEST

UNIT_MAIN("sisci multicast", a_group_without_members_is_not_found,
          a_group_without_an_available_member_refuses, all_members_must_have_the_same_size,
          a_member_cannot_be_private, a_member_must_be_prepared_with_the_multicast_flag,
          a_group_must_be_mapped_with_the_multicast_flag, one_store_reaches_all_members,
          one_store_reaches_all_members_in_lossy_mode, a_transfer_by_dma_reaches_all_members,
          a_member_that_joins_later_shares_the_memory, in_lossy_mode_each_member_has_its_own_memory,
          a_line_may_reach_one_member_and_not_the_other,
          the_memory_of_a_group_is_removed_with_its_last_member,
          a_group_of_killed_members_can_be_created_again, a_connected_member_is_busy,
          a_group_is_lost_with_its_last_member)
