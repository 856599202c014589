/* Connections to segments: how they are made and refused, and which segments they keep busy. */
#include "tests/sisci/fixture.h"

#include <stdlib.h>

#include "sisci/connections.h"
#include "sisci/registry.h"

enum { ID = 17, BYTES = 8192 };

static sci_error_t try_to_connect(sci_desc_t sd, unsigned node, unsigned id, unsigned flags)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    SCIConnectSegment(sd, &segment, node, id, 0, NULL, NULL, SCI_INFINITE_TIMEOUT, flags, &error);
    return error;
}

START_TEST(connecting_to_a_node_without_processes_fails)
{
    ck_error(try_to_connect(begin(), 8, ID, 0), SCI_ERR_NO_SUCH_NODEID);
}
END_TEST

START_TEST(a_missing_segment_is_not_found)
{
    ck_error(try_to_connect(begin(), SCI_LOCAL_HOST, ID, 0), SCI_ERR_NO_SUCH_SEGMENT);
}
END_TEST

START_TEST(an_unavailable_segment_refuses_connections)
{
    sci_desc_t sd = begin();
    sci_local_segment_t segment;
    sci_error_t error;

    SCICreateSegment(sd, &segment, ID, BYTES, NULL, NULL, 0, &error);
    ck_error(try_to_connect(sd, 4, ID, 0), SCI_ERR_CONNECTION_REFUSED);
    SCIPrepareSegment(segment, 0, 0, &error);
    ck_error(try_to_connect(sd, 4, ID, 0), SCI_ERR_CONNECTION_REFUSED);
    SCISetSegmentAvailable(segment, 0, 0, &error);
    ck_ok(try_to_connect(sd, 4, ID, 0));
    SCISetSegmentUnavailable(segment, 0, 0, &error);
    ck_error(try_to_connect(sd, 4, ID, 0), SCI_ERR_CONNECTION_REFUSED);
}
END_TEST

START_TEST(a_removed_segment_is_not_found)
{
    sci_desc_t sd = begin();
    sci_error_t error;

    SCIRemoveSegment(offer(sd, ID, BYTES), 0, &error);
    ck_ok(error);
    ck_error(try_to_connect(sd, 4, ID, 0), SCI_ERR_NO_SUCH_SEGMENT);
}
END_TEST

START_TEST(an_invalid_node_id_is_illegal)
{
    sci_desc_t sd = begin();

    ck_error(try_to_connect(sd, 5, ID, 0), SCI_ERR_ILLEGAL_NODEID);
    ck_error(try_to_connect(sd, 0, ID, 0), SCI_ERR_ILLEGAL_NODEID);
    ck_error(try_to_connect(sd, 252, ID, 0), SCI_ERR_ILLEGAL_NODEID);
    ck_error(try_to_connect(sd, 4, ID, SCI_FLAG_BROADCAST), SCI_ERR_ILLEGAL_NODEID);
}
END_TEST

START_TEST(an_asynchronous_connection_is_not_implemented)
{
    ck_error(try_to_connect(begin(), 4, ID, SCI_FLAG_ASYNCHRONOUS_CONNECT),
             SCI_ERR_FLAG_NOT_IMPLEMENTED);
}
END_TEST

START_TEST(a_connection_reports_size_and_node_of_its_segment)
{
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;

    offer(sd, ID, 12345);
    remote = reach(sd, SCI_LOCAL_HOST, ID);
    ck_assert_uint_eq(SCIGetRemoteSegmentSize(remote), 12345);
    ck_assert_uint_eq(SCIGetRemoteSegmentId(remote), ID);
    ck_assert_uint_eq(SCIGetRemoteSegmentNodeId(remote), 4);
}
END_TEST

START_TEST(stores_reach_the_segment)
{
    sci_desc_t sd = begin();
    sci_local_segment_t local = offer(sd, ID, BYTES);
    sci_map_t local_map, remote_map;
    const unsigned *here = map_local(local, &local_map);
    volatile unsigned *there = map_remote(reach(sd, 4, ID), &remote_map);

    there[2047] = 42;
    ck_assert_uint_eq(here[2047], 42);
}
END_TEST

START_TEST(a_connected_segment_is_busy)
{
    sci_desc_t sd = begin();
    sci_local_segment_t local = offer(sd, ID, BYTES);
    sci_remote_segment_t remote = reach(sd, 4, ID);
    sci_error_t error;

    SCIRemoveSegment(local, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIDisconnectSegment(remote, 0, &error);
    ck_ok(error);
    SCIRemoveSegment(local, 0, &error);
    ck_ok(error);
}
END_TEST

START_TEST(a_mapped_connection_is_busy)
{
    sci_desc_t sd = begin();
    sci_remote_segment_t remote;
    sci_error_t error;
    sci_map_t map;

    offer(sd, ID, BYTES);
    remote = reach(sd, 4, ID);
    map_remote(remote, &map);
    SCIDisconnectSegment(remote, 0, &error);
    ck_error(error, SCI_ERR_BUSY);
    SCIUnmapSegment(map, 0, &error);
    SCIDisconnectSegment(remote, 0, &error);
    ck_ok(error);
}
END_TEST

/* Tests of the connection table only, in memory of this process. */
static sisci_control *make_table(void)
{
    sisci_control *table = calloc(1, sizeof(*table));

    ck_assert_ptr_nonnull(table);
    ck_assert(sisci_shared_mutex_initialise(&table->lock));
    table->available = 1;
    return table;
}

static sisci_ticket take_as(sisci_control *table, unsigned node)
{
    sisci_process self = sisci_process_self();
    sisci_ticket ticket;

    ck_assert_int_eq(sisci_connections_take(table, node, &self, &ticket), SISCI_CONNECT_OK);
    return ticket;
}

static void expect_change(sisci_control *table, bool connected, unsigned node)
{
    uint32_t slot;
    bool found;

    ck_assert(sisci_connections_next_change(table, &slot, &found));
    ck_assert_int_eq(found, connected);
    ck_assert_uint_eq(table->slots[slot].node, node);
}

START_TEST(changes_are_reported_in_order_for_any_slot)
{
    sisci_control *table = make_table();
    sisci_ticket first = take_as(table, 4), second = take_as(table, 8);
    uint32_t slot;
    bool connected;

    sisci_connections_give(table, &first);
    expect_change(table, true, 4);
    expect_change(table, true, 8);
    expect_change(table, false, 4);
    ck_assert(!sisci_connections_next_change(table, &slot, &connected));
    sisci_connections_give(table, &second);
    ck_assert_uint_lt(take_as(table, 12).slot, second.slot);
    expect_change(table, false, 8);
    expect_change(table, true, 12);
    ck_assert(!sisci_connections_next_change(table, &slot, &connected));
    free(table);
}
END_TEST

START_TEST(a_slot_is_reused_only_after_all_its_changes_were_reported)
{
    sisci_control *table = make_table();
    sisci_ticket first = take_as(table, 4);

    sisci_connections_give(table, &first);
    ck_assert_uint_ne(take_as(table, 8).slot, first.slot);
    expect_change(table, true, 4);
    expect_change(table, false, 4);
    ck_assert_uint_eq(take_as(table, 12).slot, first.slot);
    free(table);
}
END_TEST

START_TEST(a_cut_connection_cannot_be_released)
{
    sisci_control *table = make_table();
    sisci_ticket ticket = take_as(table, 4);

    ck_assert(!sisci_connections_is_cut(table, &ticket));
    sisci_connections_cut_all(table);
    ck_assert(sisci_connections_is_cut(table, &ticket));
    ck_assert(!sisci_connections_give(table, &ticket));
    free(table);
}
END_TEST

/* A segment supports a limited number of connections and reports when it is full. */
START_TEST(a_segment_with_all_connections_in_use_refuses_another)
{
    sci_desc_t sd = begin();
    sci_error_t error = SCI_ERR_OK;
    unsigned connections = 0;

    offer(sd, ID, 64);
    while (error == SCI_ERR_OK && connections < 5000) {
        error = try_to_connect(sd, 4, ID, 0);
        connections++;
    }
    ck_error(error, SCI_ERR_API_NOSPC);
    ck_assert_uint_gt(connections, 512);
}
END_TEST

UNIT_MAIN("sisci connection", connecting_to_a_node_without_processes_fails,
          a_missing_segment_is_not_found, an_unavailable_segment_refuses_connections,
          a_removed_segment_is_not_found, an_invalid_node_id_is_illegal,
          an_asynchronous_connection_is_not_implemented,
          a_connection_reports_size_and_node_of_its_segment, stores_reach_the_segment,
          a_connected_segment_is_busy, a_mapped_connection_is_busy,
          changes_are_reported_in_order_for_any_slot,
          a_slot_is_reused_only_after_all_its_changes_were_reported,
          a_cut_connection_cannot_be_released,
          a_segment_with_all_connections_in_use_refuses_another)
