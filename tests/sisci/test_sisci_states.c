/* State machines of the interface as tables: for each kind of object, the result of every call
 * in every state. Each cell is tested on newly created objects. */
#include "tests/sisci/states.h"

enum { ID = 23, BYTES = 8192 };

/* Local segments. */

static sci_callback_action_t ignore_local(void *argument, sci_local_segment_t segment,
                                          sci_segment_cb_reason_t reason, unsigned node,
                                          unsigned adapter, sci_error_t status)
{
    (void)argument, (void)segment, (void)reason, (void)node, (void)adapter, (void)status;
    return SCI_CALLBACK_CONTINUE;
}

static void create(world *here, sci_cb_local_segment_t callback, unsigned flags)
{
    sci_error_t error;

    SCICreateSegment(here->sd, &here->local, ID, BYTES, callback, NULL, flags, &error);
    ck_ok(error);
}

static sci_error_t prepare(world *here)
{
    sci_error_t error;

    SCIPrepareSegment(here->local, 0, 0, &error);
    return error;
}

static sci_error_t set_available(world *here)
{
    sci_error_t error;

    SCISetSegmentAvailable(here->local, 0, 0, &error);
    return error;
}

static sci_error_t set_unavailable_with(world *here, unsigned flags)
{
    sci_error_t error;

    SCISetSegmentUnavailable(here->local, 0, flags, &error);
    return error;
}

static sci_error_t set_unavailable(world *here)
{
    return set_unavailable_with(here, 0);
}

static sci_error_t map_here(world *here)
{
    sci_error_t error;

    SCIMapLocalSegment(here->local, &here->map, 0, BYTES, NULL, 0, &error);
    return error;
}

static sci_error_t connect_with(world *here, sci_cb_remote_segment_t callback, unsigned flags)
{
    sci_error_t error;

    SCIConnectSegment(here->sd, &here->remote, 4, ID, 0, callback, NULL, 0, flags, &error);
    return error;
}

static sci_error_t connect(world *here)
{
    return connect_with(here, NULL, 0);
}

static sci_error_t wait_for_local(world *here)
{
    unsigned node, adapter;
    sci_error_t error;

    SCIWaitForLocalSegmentEvent(here->local, &node, &adapter, NOT_MS, 0, &error);
    return error;
}

static sci_error_t remove_segment(world *here)
{
    sci_error_t error;

    SCIRemoveSegment(here->local, 0, &error);
    return error;
}

static void be_created(world *here)
{
    create(here, NULL, 0);
}

static void be_prepared(world *here)
{
    be_created(here);
    ck_ok(prepare(here));
}

static void be_available(world *here)
{
    be_prepared(here);
    ck_ok(set_available(here));
}

static void be_unavailable(world *here)
{
    be_available(here);
    ck_ok(set_unavailable(here));
}

static void be_mapped_here(world *here)
{
    be_available(here);
    ck_ok(map_here(here));
}

static void be_connected(world *here)
{
    be_available(here);
    ck_ok(connect(here));
}

static void be_private(world *here)
{
    create(here, NULL, SCI_FLAG_PRIVATE);
    ck_ok(prepare(here));
}

static void be_watched(world *here)
{
    create(here, ignore_local, SCI_FLAG_USE_CALLBACK);
    ck_ok(prepare(here));
    ck_ok(set_available(here));
}

START_TEST(local_segments)
{
    static const call calls[] = {{"prepare", prepare},
                                 {"set available", set_available},
                                 {"set unavailable", set_unavailable},
                                 {"map", map_here},
                                 {"connect", connect},
                                 {"wait", wait_for_local},
                                 {"remove", remove_segment},
                                 {"close", close_device}};
    static const state states[] = {
        {"created",
         be_created,
         {SCI_ERR_OK, SCI_ERR_SEGMENT_NOT_PREPARED, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK,
          SCI_ERR_CONNECTION_REFUSED, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"prepared",
         be_prepared,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_CONNECTION_REFUSED,
          SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"available",
         be_available,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"unavailable",
         be_unavailable,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_CONNECTION_REFUSED,
          SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"mapped",
         be_mapped_here,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_BUSY,
          SCI_ERR_BUSY}},
        {"connected",
         be_connected,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY,
          SCI_ERR_BUSY}},
        {"private",
         be_private,
         {SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK,
          SCI_ERR_NO_SUCH_SEGMENT, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"with a callback",
         be_watched,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION,
          SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

/* Remote segments. */

static sci_callback_action_t ignore_remote(void *argument, sci_remote_segment_t segment,
                                           sci_segment_cb_reason_t reason, sci_error_t status)
{
    (void)argument, (void)segment, (void)reason, (void)status;
    return SCI_CALLBACK_CONTINUE;
}

static sci_error_t map_there(world *here)
{
    sci_error_t error;

    SCIMapRemoteSegment(here->remote, &here->map, 0, BYTES, NULL, 0, &error);
    return error;
}

static sci_error_t wait_for_remote(world *here, unsigned timeout_ms)
{
    sci_error_t error, status;

    SCIWaitForRemoteSegmentEvent(here->remote, &status, timeout_ms, 0, &error);
    return error;
}

static sci_error_t wait_shortly_for_remote(world *here)
{
    return wait_for_remote(here, NOT_MS);
}

static sci_error_t disconnect(world *here)
{
    sci_error_t error;

    SCIDisconnectSegment(here->remote, 0, &error);
    return error;
}

static void be_mapped_there(world *here)
{
    be_connected(here);
    ck_ok(map_there(here));
}

static void be_asked(world *here)
{
    be_connected(here);
    ck_ok(set_unavailable_with(here, SCI_FLAG_NOTIFY));
}

static void be_lost(world *here)
{
    be_connected(here);
    ck_ok(set_unavailable_with(here, SCI_FLAG_FORCE_DISCONNECT));
    ck_ok(wait_for_remote(here, SOON_MS));
}

static void be_watched_there(world *here)
{
    be_available(here);
    ck_ok(connect_with(here, ignore_remote, SCI_FLAG_USE_CALLBACK));
}

START_TEST(remote_segments)
{
    static const call calls[] = {{"map", map_there},
                                 {"wait", wait_shortly_for_remote},
                                 {"disconnect", disconnect},
                                 {"close", close_device}};
    static const state states[] = {
        {"connected", be_connected, {SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"mapped", be_mapped_there, {SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_BUSY, SCI_ERR_BUSY}},
        {"asked to disconnect", be_asked, {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"lost",
         be_lost,
         {SCI_ERR_SEGMENT_NOT_CONNECTED, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"with a callback",
         be_watched_there,
         {SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

/* Maps and sequences. */

static sci_error_t create_sequence(world *here)
{
    sci_error_t error;

    SCICreateMapSequence(here->map, &here->sequence, 0, &error);
    return error;
}

static sci_error_t copy_with(world *here, unsigned flags)
{
    unsigned word = 1;
    sci_error_t error;

    SCIMemCpy(here->sequence, &word, here->map, 0, sizeof(word), flags, &error);
    return error;
}

static sci_error_t copy(world *here)
{
    return copy_with(here, 0);
}

static sci_error_t copy_back(world *here)
{
    return copy_with(here, SCI_FLAG_BLOCK_READ);
}

static sci_error_t copy_checked(world *here)
{
    return copy_with(here, SCI_FLAG_ERROR_CHECK);
}

static sci_error_t write_to_address(world *here)
{
    unsigned word = 1;
    sci_error_t error;

    SCIMemWrite(&word, SCIGetMapPointer(here->map), sizeof(word), 0, &error);
    return error;
}

static sci_error_t transfer_block(world *here)
{
    sci_error_t error;

    SCITransferBlock(here->map, 0, here->map, BYTES / 2, BYTES / 2, 0, &error);
    return error;
}

static sci_error_t unmap(world *here)
{
    sci_error_t error;

    SCIUnmapSegment(here->map, 0, &error);
    return error;
}

static void be_mapped_for_reading(world *here)
{
    sci_error_t error;

    be_connected(here);
    SCIMapRemoteSegment(here->remote, &here->map, 0, BYTES, NULL, SCI_FLAG_READONLY_MAP, &error);
    ck_ok(error);
    ck_ok(create_sequence(here));
}

static void have_sequence(world *here)
{
    be_mapped_there(here);
    ck_ok(create_sequence(here));
}

static void lose_map(world *here)
{
    be_mapped_there(here);
    ck_ok(set_unavailable_with(here, SCI_FLAG_FORCE_DISCONNECT));
    ck_ok(wait_for_remote(here, SOON_MS));
}

static void lose_sequence(world *here)
{
    have_sequence(here);
    ck_ok(set_unavailable_with(here, SCI_FLAG_FORCE_DISCONNECT));
    ck_ok(wait_for_remote(here, SOON_MS));
}

START_TEST(maps)
{
    static const call calls[] = {{"create a sequence", create_sequence},
                                 {"copy", copy},
                                 {"copy back", copy_back},
                                 {"copy checked", copy_checked},
                                 {"write", write_to_address},
                                 {"transfer a block", transfer_block},
                                 {"unmap", unmap},
                                 {"close", close_device}};
    static const state states[] = {
        {"of a local segment",
         be_mapped_here,
         {SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_ILLEGAL_PARAMETER,
          SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_ILLEGAL_ADDRESS, SCI_ERR_OK, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"of a remote segment",
         be_mapped_there,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_OK, SCI_ERR_OK,
          SCI_ERR_OK, SCI_ERR_BUSY}},
        {"with a sequence",
         have_sequence,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY,
          SCI_ERR_BUSY}},
        {"for reading, with a sequence",
         be_mapped_for_reading,
         {SCI_ERR_OK, SCI_ERR_ACCESS, SCI_ERR_OK, SCI_ERR_ACCESS, SCI_ERR_ACCESS, SCI_ERR_ACCESS,
          SCI_ERR_BUSY, SCI_ERR_BUSY}},
        {"of a lost segment",
         lose_map,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_OK,
          SCI_ERR_TRANSFER_FAILED, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"of a lost segment, with a sequence",
         lose_sequence,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_TRANSFER_FAILED, SCI_ERR_OK,
          SCI_ERR_TRANSFER_FAILED, SCI_ERR_BUSY, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

/* A status that must accompany SCI_ERR_OK, converted to an error to fit into the table. */
static sci_error_t as_error(sci_sequence_status_t status, sci_error_t error)
{
    ck_ok(error);
    ck_assert(status == SCI_SEQ_OK || status == SCI_SEQ_NOT_RETRIABLE);
    return status == SCI_SEQ_OK ? SCI_ERR_OK : SCI_ERR_TRANSFER_FAILED;
}

static sci_error_t start_sequence(world *here)
{
    sci_error_t error;
    sci_sequence_status_t status = SCIStartSequence(here->sequence, 0, &error);

    return as_error(status, error);
}

static sci_error_t check_sequence(world *here)
{
    sci_error_t error;
    sci_sequence_status_t status = SCICheckSequence(here->sequence, 0, &error);

    return as_error(status, error);
}

static sci_error_t remove_sequence(world *here)
{
    sci_error_t error;

    SCIRemoveSequence(here->sequence, 0, &error);
    return error;
}

static void start_and_lose_sequence(world *here)
{
    have_sequence(here);
    ck_ok(start_sequence(here));
    ck_ok(set_unavailable_with(here, SCI_FLAG_FORCE_DISCONNECT));
    ck_ok(wait_for_remote(here, SOON_MS));
}

static void create_lost_sequence(world *here)
{
    lose_map(here);
    ck_ok(create_sequence(here));
}

START_TEST(sequences)
{
    static const call calls[] = {{"start", start_sequence},
                                 {"check", check_sequence},
                                 {"remove", remove_sequence},
                                 {"disconnect", disconnect}};
    static const state states[] = {
        {"new", have_sequence, {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"lost before its start",
         lose_sequence,
         {SCI_ERR_TRANSFER_FAILED, SCI_ERR_TRANSFER_FAILED, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"lost after its start",
         start_and_lose_sequence,
         {SCI_ERR_TRANSFER_FAILED, SCI_ERR_TRANSFER_FAILED, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"made on a lost map",
         create_lost_sequence,
         {SCI_ERR_TRANSFER_FAILED, SCI_ERR_TRANSFER_FAILED, SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

UNIT_MAIN("sisci states", local_segments, remote_segments, maps, sequences)
