/* The states of local segments, and maps. */
#include "tests/sisci/fixture.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static sci_local_segment_t create(sci_desc_t sd, unsigned id, size_t size, unsigned flags,
                                  sci_error_t *error)
{
    sci_local_segment_t segment = NULL;

    SCICreateSegment(sd, &segment, id, size, NULL, NULL, flags, error);
    return segment;
}

START_TEST(a_new_segment_is_zeroed)
{
    sci_local_segment_t segment = offer(begin(), 1, 100000);
    sci_map_t map;
    const unsigned *memory = map_local(segment, &map);

    for (size_t i = 0; i < 100000 / sizeof(*memory); i++)
        ck_assert_uint_eq(memory[i], 0);
}
END_TEST

START_TEST(id_and_size_can_be_queried)
{
    sci_local_segment_t segment = offer(begin(), 0xfffffffe, 123);

    ck_assert_uint_eq(SCIGetLocalSegmentId(segment), 0xfffffffe);
    ck_assert_uint_eq(SCIGetLocalSegmentSize(segment), 123);
}
END_TEST

START_TEST(an_id_is_used_once_on_a_node)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    offer(sd, 1, 64);
    create(sd, 1, 64, 0, &error);
    ck_error(error, SCI_ERR_SEGMENTID_USED);
}
END_TEST

static int offer_and_stay(helper *test, const void *unused)
{
    (void)unused;
    offer(begin(), 1, 64);
    tell(test, 'r');
    expect(test, 'q');
    SCITerminate();
    return 0;
}

START_TEST(an_id_is_used_once_by_all_processes_of_a_node)
{
    helper other = helper_start(offer_and_stay, NULL, 0);
    sci_desc_t sd = begin();
    sci_error_t error;

    expect(&other, 'r');
    create(sd, 1, 64, 0, &error);
    ck_error(error, SCI_ERR_SEGMENTID_USED);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(nodes_have_separate_ids)
{
    helper other = helper_start(offer_and_stay, NULL, 8);

    expect(&other, 'r');
    offer(begin(), 1, 64);
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(an_automatic_id_is_the_next_free_one)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    offer(sd, 7, 64);
    ck_assert_uint_eq(SCIGetLocalSegmentId(create(sd, 7, 64, SCI_FLAG_AUTO_ID, &error)), 8);
}
END_TEST

START_TEST(an_id_is_free_after_removal)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment = offer(sd, 1, 64);
    sci_error_t error;

    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
    offer(sd, 1, 64);
}
END_TEST

START_TEST(creation_checks_its_parameters)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    create(sd, 1, 0, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
    create(NULL, 1, 64, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
    create(sd, 1, 64, SCI_FLAG_USE_CALLBACK, &error);
    ck_error(error, SCI_ERR_ILLEGAL_PARAMETER);
    create(sd, 1, 64, SCI_FLAG_DMA_READ, &error);
    ck_error(error, SCI_ERR_ILLEGAL_FLAG);
    create(sd, 1, 64, SCI_FLAG_EMPTY, &error);
    ck_error(error, SCI_ERR_FLAG_NOT_IMPLEMENTED);
}
END_TEST

START_TEST(a_segment_too_large_for_the_host_is_refused)
{
    sci_error_t error;

    create(begin(), 1, (size_t)1 << 56, 0, &error);
    ck_error(error, SCI_ERR_NOSPC);
}
END_TEST

START_TEST(an_unprepared_segment_cannot_be_available)
{
    sci_error_t error;
    sci_local_segment_t segment = create(begin(), 1, 64, 0, &error);

    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_error(error, SCI_ERR_SEGMENT_NOT_PREPARED);
}
END_TEST

START_TEST(a_private_segment_cannot_be_available)
{
    sci_error_t error;
    sci_local_segment_t segment = create(begin(), 1, 64, SCI_FLAG_PRIVATE, &error);

    SCIPrepareSegment(segment, 0, 0, &error);
    ck_ok(error);
    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_OPERATION);
}
END_TEST

START_TEST(private_segments_do_not_occupy_ids)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    create(sd, 1, 64, SCI_FLAG_PRIVATE, &error);
    ck_ok(error);
    create(sd, 1, 64, SCI_FLAG_PRIVATE, &error);
    ck_ok(error);
}
END_TEST

START_TEST(only_an_available_segment_can_become_unavailable)
{
    sci_error_t error;
    sci_local_segment_t segment = offer(begin(), 1, 64);

    SCISetSegmentUnavailable(segment, 0, 0, &error);
    ck_ok(error);
    SCISetSegmentUnavailable(segment, 0, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_OPERATION);
    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(operations_on_other_adapters_are_refused)
{
    sci_error_t error;
    sci_local_segment_t segment = offer(begin(), 1, 64);

    SCIPrepareSegment(segment, 1, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_ADAPTERNO);
    SCISetSegmentAvailable(segment, 99, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_ADAPTERNO);
    SCISetSegmentUnavailable(segment, 1, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_ADAPTERNO);
}
END_TEST

START_TEST(a_mapped_segment_is_busy)
{
    sci_error_t error;
    sci_local_segment_t segment = offer(begin(), 1, 64);
    sci_map_t map;

    map_local(segment, &map);
    SCIRemoveSegment(segment, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIUnmapSegment(map, 0, &error);
    ck_ok(error);
    SCIRemoveSegment(segment, 0, &error);
    ck_ok(error);
}
END_TEST

static void *map_part(sci_local_segment_t segment, size_t offset, size_t size, void *where,
                      unsigned flags, sci_error_t *error)
{
    sci_map_t map;

    return SCIMapLocalSegment(segment, &map, offset, size, where, flags, error);
}

START_TEST(a_map_must_lie_within_its_segment)
{
    sci_local_segment_t segment = offer(begin(), 1, 8192);
    sci_error_t error;

    ck_assert_ptr_nonnull(map_part(segment, 4096, 4096, NULL, 0, &error));
    ck_assert_ptr_null(map_part(segment, 4096, 4097, NULL, 0, &error));
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
    ck_assert_ptr_null(map_part(segment, 12288, 1, NULL, 0, &error));
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
    ck_assert_ptr_null(map_part(segment, 4096, SIZE_MAX, NULL, 0, &error));
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
}
END_TEST

START_TEST(a_map_of_zero_bytes_is_refused)
{
    sci_error_t error;

    map_part(offer(begin(), 1, 8192), 0, 0, NULL, 0, &error);
    ck_error(error, SCI_ERR_SIZE_ALIGNMENT);
}
END_TEST

START_TEST(an_offset_that_is_not_page_aligned_is_refused)
{
    sci_error_t error;

    map_part(offer(begin(), 1, 8192), 64, 64, NULL, 0, &error);
    ck_error(error, SCI_ERR_OFFSET_ALIGNMENT);
}
END_TEST

START_TEST(maps_of_one_segment_show_the_same_memory)
{
    sci_local_segment_t segment = offer(begin(), 1, 8192);
    sci_error_t error;
    unsigned *whole = map_part(segment, 0, 8192, NULL, 0, &error);
    const unsigned *second = map_part(segment, 4096, 4096, NULL, SCI_FLAG_READONLY_MAP, &error);

    ck_ok(error);
    whole[1024] = 17;
    ck_assert_uint_eq(second[0], 17);
}
END_TEST

START_TEST(a_fixed_address_is_used_or_refused)
{
    sci_local_segment_t segment = offer(begin(), 1, 8192);
    void *room = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sci_error_t error;

    ck_assert_ptr_null(map_part(segment, 0, 8192, room, SCI_FLAG_FIXED_MAP_ADDR, &error));
    ck_error(error, SCI_ERR_ILLEGAL_ADDRESS);
    munmap(room, 1 << 20);
    ck_assert_ptr_eq(map_part(segment, 0, 8192, room, SCI_FLAG_FIXED_MAP_ADDR, &error), room);
    ck_assert_ptr_null(
        map_part(segment, 0, 8192, (char *)room + 1, SCI_FLAG_FIXED_MAP_ADDR, &error));
    ck_error(error, SCI_ERR_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(the_address_of_a_map_can_be_queried)
{
    sci_map_t map;
    unsigned *memory = map_local(offer(begin(), 1, 8192), &map);

    ck_assert(SCIGetMapPointer(map) == memory);
}
END_TEST

START_TEST(a_wait_for_an_event_times_out)
{
    sci_local_segment_t segment = offer(begin(), 1, 64);
    unsigned node, adapter;
    sci_error_t error;

    SCIWaitForLocalSegmentEvent(segment, &node, &adapter, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_TIMEOUT);
}
END_TEST

UNIT_MAIN("sisci segment", a_new_segment_is_zeroed, id_and_size_can_be_queried,
          an_id_is_used_once_on_a_node, an_id_is_used_once_by_all_processes_of_a_node,
          nodes_have_separate_ids, an_automatic_id_is_the_next_free_one,
          an_id_is_free_after_removal, creation_checks_its_parameters,
          a_segment_too_large_for_the_host_is_refused, an_unprepared_segment_cannot_be_available,
          a_private_segment_cannot_be_available, private_segments_do_not_occupy_ids,
          only_an_available_segment_can_become_unavailable,
          operations_on_other_adapters_are_refused, a_mapped_segment_is_busy,
          a_map_must_lie_within_its_segment, a_map_of_zero_bytes_is_refused,
          an_offset_that_is_not_page_aligned_is_refused, maps_of_one_segment_show_the_same_memory,
          a_fixed_address_is_used_or_refused, the_address_of_a_map_can_be_queried,
          a_wait_for_an_event_times_out)
