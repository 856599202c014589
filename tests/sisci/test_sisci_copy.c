/* Remote maps, sequences, barriers and copies in plain mode. */
#include "tests/sisci/fixture.h"

#include <stdint.h>
#include <string.h>

enum { ID = 3, BYTES = 16384 };

typedef struct {
    sci_desc_t sd;
    sci_local_segment_t local;
    unsigned char *here;
    sci_remote_segment_t remote;
    sci_map_t local_map, map;
    volatile unsigned char *there;
    sci_sequence_t sequence;
} path;

/* A segment of this process, mapped as if it belonged to another one. */
static path make_path(void)
{
    path way = {.sd = begin()};

    way.local = offer(way.sd, ID, BYTES);
    way.here = (unsigned char *)map_local(way.local, &way.local_map);
    way.remote = reach(way.sd, SCI_LOCAL_HOST, ID);
    way.there = (volatile unsigned char *)map_remote(way.remote, &way.map);
    way.sequence = watch(way.map);
    return way;
}

static sci_error_t map_part(const path *way, size_t offset, size_t size, unsigned flags)
{
    sci_error_t error;
    sci_map_t map;

    SCIMapRemoteSegment(way->remote, &map, offset, size, NULL, flags, &error);
    return error;
}

START_TEST(a_remote_map_checks_its_parameters)
{
    path way = make_path();

    ck_ok(map_part(&way, 4096, BYTES - 4096, 0));
    ck_error(map_part(&way, 4096, BYTES, 0), SCI_ERR_OUT_OF_RANGE);
    ck_error(map_part(&way, 0, 0, 0), SCI_ERR_SIZE_ALIGNMENT);
    ck_error(map_part(&way, 8, 8, 0), SCI_ERR_OFFSET_ALIGNMENT);
    ck_error(map_part(&way, 0, 8, SCI_FLAG_BROADCAST), SCI_ERR_ILLEGAL_FLAG);
    ck_error(map_part(&way, 0, 8, SCI_FLAG_DMA_READ), SCI_ERR_ILLEGAL_FLAG);
}
END_TEST

START_TEST(a_map_with_a_sequence_is_busy)
{
    path way = make_path();
    sci_error_t error;

    SCIUnmapSegment(way.map, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIRemoveSequence(way.sequence, 0, &error);
    ck_ok(error);
    SCIUnmapSegment(way.map, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(a_local_map_has_no_sequence)
{
    path way = make_path();
    sci_sequence_t sequence;
    sci_error_t error;

    SCICreateMapSequence(way.local_map, &sequence, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(a_sequence_in_plain_mode_never_fails)
{
    path way = make_path();
    sci_error_t error;

    ck_assert_int_eq(SCIStartSequence(way.sequence, 0, &error), SCI_SEQ_OK);
    ck_ok(error);
    way.there[0] = 1;
    SCIStoreBarrier(way.sequence, 0);
    SCIFlush(way.sequence, 0);
    SCIFlush(NULL, SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY);
    ck_assert_int_eq(
        SCICheckSequence(way.sequence, SCI_FLAG_NO_FLUSH | SCI_FLAG_NO_STORE_BARRIER, &error),
        SCI_SEQ_OK);
    ck_ok(error);
}
END_TEST

START_TEST(a_checked_copy_without_a_sequence_has_a_distinct_error)
{
    sci_error_t error;

    begin();
    ck_assert_int_ne(SCICheckSequence(NULL, 0, &error), SCI_SEQ_OK);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
    ck_assert_int_ne(SCIStartSequence(NULL, 0, &error), SCI_SEQ_OK);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(a_copy_arrives_and_can_be_read_back)
{
    path way = make_path();
    char sent[] = "a copy of odd size", back[sizeof(sent)] = "";
    sci_error_t error;

    SCIMemCpy(NULL, sent, way.map, 101, sizeof(sent), 0, &error);
    ck_ok(error);
    ck_assert_mem_eq(way.here + 101, sent, sizeof(sent));
    SCIMemCpy(way.sequence, back, way.map, 101, sizeof(back), SCI_FLAG_BLOCK_READ, &error);
    ck_ok(error);
    ck_assert_str_eq(back, sent);
}
END_TEST

START_TEST(a_checked_copy_needs_the_sequence_of_its_map)
{
    path way = make_path();
    sci_map_t other;
    int sent = 1;
    sci_error_t error;

    SCIMemCpy(way.sequence, &sent, way.map, 0, sizeof(sent), SCI_FLAG_ERROR_CHECK, &error);
    ck_ok(error);
    SCIMemCpy(NULL, &sent, way.map, 0, sizeof(sent), SCI_FLAG_ERROR_CHECK, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
    map_remote(way.remote, &other);
    SCIMemCpy(way.sequence, &sent, other, 0, sizeof(sent), SCI_FLAG_ERROR_CHECK, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
}
END_TEST

START_TEST(a_copy_beyond_its_map_is_refused)
{
    path way = make_path();
    char sent[16] = "";
    sci_error_t error;

    SCIMemCpy(NULL, sent, way.map, BYTES - 16, 16, 0, &error);
    ck_ok(error);
    SCIMemCpy(NULL, sent, way.map, BYTES - 15, 16, 0, &error);
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
    SCIMemCpy(NULL, sent, way.map, SIZE_MAX, 16, 0, &error);
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
}
END_TEST

START_TEST(a_write_is_assigned_to_its_map_by_address)
{
    path way = make_path();
    char sent[] = "written";
    sci_error_t error;

    SCIMemWrite(sent, way.there + 5, sizeof(sent), 0, &error);
    ck_ok(error);
    ck_assert_mem_eq(way.here + 5, sent, sizeof(sent));
    SCIMemWrite(sent, way.there + BYTES - 4, sizeof(sent), 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_ADDRESS);
    SCIMemWrite(sent, sent, sizeof(sent), 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(a_block_is_transferred_between_maps)
{
    path way = make_path();
    sci_map_t source_map;
    unsigned char *source = (unsigned char *)map_local(offer(way.sd, ID + 1, 9000), &source_map);
    sci_error_t error;

    memset(source, 0x5a, 9000);
    SCITransferBlock(source_map, 1, way.map, 2, 8999, 0, &error);
    ck_ok(error);
    ck_assert_int_eq(way.here[1], 0);
    ck_assert_int_eq(way.here[2], 0x5a);
    ck_assert_int_eq(way.here[9000], 0x5a);
    ck_assert_int_eq(way.here[9001], 0);
    SCITransferBlock(source_map, 1, way.map, 0, 9000, 0, &error);
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
}
END_TEST

START_TEST(a_block_can_be_transferred_from_a_remote_map)
{
    path way = make_path();
    sci_map_t back_map;
    unsigned char *back = (unsigned char *)map_local(offer(way.sd, ID + 1, 64), &back_map);
    sci_error_t error;

    memset(way.here, 0x17, 64);
    SCITransferBlock(way.map, 0, back_map, 0, 64, 0, &error);
    ck_ok(error);
    ck_assert_mem_eq(back, way.here, 64);
}
END_TEST

/* The basic use of remote memory: data, a barrier, a flag. */
static int send_numbers(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    sci_map_t map;
    volatile unsigned *there;
    sci_sequence_t sequence;
    sci_error_t error;

    (void)unused;
    expect(test, 'r');
    there = map_remote(reach(sd, 4, ID), &map);
    sequence = watch(map);
    for (unsigned i = 1; i <= 1000; i++) {
        for (unsigned word = 64; word < 128; word++)
            there[word] = i;
        SCIStoreBarrier(sequence, 0);
        ck_assert_int_eq(SCICheckSequence(sequence, 0, &error), SCI_SEQ_OK);
        there[0] = i;
        expect(test, 'n');
    }
    SCITerminate();
    return 0;
}

START_TEST(a_flag_after_a_barrier_arrives_after_the_data)
{
    helper other = helper_start(send_numbers, NULL, 8);
    sci_map_t map;
    volatile unsigned *here = map_local(offer(begin(), ID, BYTES), &map);

    tell(&other, 'r');
    for (unsigned i = 1; i <= 1000; i++) {
        until(__atomic_load_n(&here[0], __ATOMIC_ACQUIRE) == i);
        for (unsigned word = 64; word < 128; word++)
            ck_assert_uint_eq(here[word], i);
        tell(&other, 'n');
    }
    helper_finish(&other);
}
END_TEST

UNIT_MAIN("sisci copy", a_remote_map_checks_its_parameters, a_map_with_a_sequence_is_busy,
          a_local_map_has_no_sequence, a_sequence_in_plain_mode_never_fails,
          a_checked_copy_without_a_sequence_has_a_distinct_error,
          a_copy_arrives_and_can_be_read_back, a_checked_copy_needs_the_sequence_of_its_map,
          a_copy_beyond_its_map_is_refused, a_write_is_assigned_to_its_map_by_address,
          a_block_is_transferred_between_maps, a_block_can_be_transferred_from_a_remote_map,
          a_flag_after_a_barrier_arrives_after_the_data)
