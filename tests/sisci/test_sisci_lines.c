/* The state machines of interrupts, data interrupts and DMA queues, as tables. */
#include "tests/sisci/states.h"

enum { ID = 23, NUMBER = 5, BYTES = 8192, MESSAGES = 48 };

/* Interrupts. */

static sci_callback_action_t ignore(void *argument, sci_local_interrupt_t interrupt,
                                    sci_error_t status)
{
    (void)argument, (void)interrupt, (void)status;
    return SCI_CALLBACK_CONTINUE;
}

static sci_error_t create_with(world *here, sci_cb_interrupt_t callback, unsigned flags)
{
    unsigned number = NUMBER;
    sci_error_t error;

    SCICreateInterrupt(here->sd, &here->interrupt, 0, &number, callback, NULL,
                       SCI_FLAG_FIXED_INTNO | flags, &error);
    return error;
}

static sci_error_t create(world *here)
{
    return create_with(here, NULL, 0);
}

static sci_error_t connect(world *here)
{
    sci_error_t error;

    SCIConnectInterrupt(here->sd, &here->trigger, 4, 0, NUMBER, 0, 0, &error);
    return error;
}

static sci_error_t await(world *here)
{
    sci_error_t error;

    SCIWaitForInterrupt(here->interrupt, NOT_MS, 0, &error);
    return error;
}

static sci_error_t trigger(world *here)
{
    sci_error_t error;

    SCITriggerInterrupt(here->trigger, 0, &error);
    return error;
}

static sci_error_t disconnect(world *here)
{
    sci_error_t error;

    SCIDisconnectInterrupt(here->trigger, 0, &error);
    return error;
}

static sci_error_t remove_it(world *here)
{
    sci_error_t error;

    SCIRemoveInterrupt(here->interrupt, 0, &error);
    return error;
}

static void be_created(world *here)
{
    ck_ok(create(here));
}

static void be_watched(world *here)
{
    ck_ok(create_with(here, ignore, SCI_FLAG_USE_CALLBACK));
}

static void be_connected(world *here)
{
    be_created(here);
    ck_ok(connect(here));
}

static void be_triggered(world *here)
{
    be_connected(here);
    ck_ok(trigger(here));
}

static void be_left(world *here)
{
    be_connected(here);
    ck_ok(remove_it(here));
}

START_TEST(interrupts_of_this_process)
{
    static const call calls[] = {{"create another", create},
                                 {"connect", connect},
                                 {"wait", await},
                                 {"remove", remove_it},
                                 {"close", close_device}};
    static const state states[] = {
        {"created",
         be_created,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"connected",
         be_connected,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"triggered",
         be_triggered,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"with a callback",
         be_watched,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

START_TEST(interrupts_of_others)
{
    static const call calls[] = {
        {"trigger", trigger}, {"disconnect", disconnect}, {"close", close_device}};
    static const state states[] = {
        {"connected", be_connected, {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"triggered", be_triggered, {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"left by its owner", be_left, {SCI_ERR_NOT_CONNECTED, SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

/* Data interrupts. */

static sci_callback_action_t ignore_data(void *argument, sci_local_data_interrupt_t interrupt,
                                         void *data, unsigned length, sci_error_t status)
{
    (void)argument, (void)interrupt, (void)data, (void)length, (void)status;
    return SCI_CALLBACK_CONTINUE;
}

static sci_error_t create_data_with(world *here, sci_cb_data_interrupt_t callback, unsigned flags)
{
    unsigned number = NUMBER;
    sci_error_t error;

    SCICreateDataInterrupt(here->sd, &here->data_interrupt, 0, &number, callback, NULL,
                           SCI_FLAG_FIXED_INTNO | flags, &error);
    return error;
}

static sci_error_t create_data(world *here)
{
    return create_data_with(here, NULL, 0);
}

static sci_error_t connect_data(world *here)
{
    sci_error_t error;

    SCIConnectDataInterrupt(here->sd, &here->data_trigger, 4, 0, NUMBER, 0, 0, &error);
    return error;
}

static sci_error_t await_data_of(world *here, unsigned length)
{
    unsigned word;
    sci_error_t error;

    SCIWaitForDataInterrupt(here->data_interrupt, &word, &length, NOT_MS, 0, &error);
    return error;
}

static sci_error_t await_data(world *here)
{
    return await_data_of(here, sizeof(unsigned));
}

static sci_error_t await_less_data(world *here)
{
    return await_data_of(here, 1);
}

static sci_error_t trigger_data(world *here)
{
    unsigned word = 1;
    sci_error_t error;

    SCITriggerDataInterrupt(here->data_trigger, &word, sizeof(word), 0, &error);
    return error;
}

static sci_error_t disconnect_data(world *here)
{
    sci_error_t error;

    SCIDisconnectDataInterrupt(here->data_trigger, 0, &error);
    return error;
}

static sci_error_t remove_data(world *here)
{
    sci_error_t error;

    SCIRemoveDataInterrupt(here->data_interrupt, 0, &error);
    return error;
}

static void have_created(world *here)
{
    ck_ok(create_data(here));
}

static void have_watched(world *here)
{
    ck_ok(create_data_with(here, ignore_data, SCI_FLAG_USE_CALLBACK));
}

static void have_connected(world *here)
{
    have_created(here);
    ck_ok(connect_data(here));
}

static void have_triggered(world *here)
{
    have_connected(here);
    ck_ok(trigger_data(here));
}

static void have_filled(world *here)
{
    have_connected(here);
    for (int i = 0; i < MESSAGES; i++)
        ck_ok(trigger_data(here));
}

static void have_left(world *here)
{
    have_connected(here);
    ck_ok(remove_data(here));
}

START_TEST(data_interrupts_of_this_process)
{
    static const call calls[] = {
        {"create another", create_data},    {"connect", connect_data}, {"wait", await_data},
        {"wait for less", await_less_data}, {"remove", remove_data},   {"close", close_device}};
    static const state states[] = {
        {"created",
         have_created,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_TIMEOUT, SCI_ERR_TIMEOUT, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"triggered",
         have_triggered,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OUT_OF_RANGE, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"full",
         have_filled,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_OUT_OF_RANGE, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"with a callback",
         have_watched,
         {SCI_ERR_INTNO_USED, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_ILLEGAL_OPERATION,
          SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

START_TEST(data_interrupts_of_others)
{
    static const call calls[] = {
        {"trigger", trigger_data}, {"disconnect", disconnect_data}, {"close", close_device}};
    static const state states[] = {
        {"connected", have_connected, {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"full", have_filled, {SCI_ERR_OVERFLOW, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"left by its owner", have_left, {SCI_ERR_NOT_CONNECTED, SCI_ERR_OK, SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

/* Queues, and the segments that a transfer needs. */

static sci_error_t post(world *here, unsigned flags)
{
    sci_error_t error;

    SCIStartDmaTransfer(here->queue, here->local, here->remote, 0, BYTES, 0, NULL, NULL, flags,
                        &error);
    return error;
}

static sci_error_t transfer(world *here)
{
    return post(here, SCI_FLAG_DMA_WAIT);
}

static sci_error_t await_queue(world *here)
{
    sci_error_t error;

    SCIWaitForDMAQueue(here->queue, SOON_MS, 0, &error);
    return error;
}

static sci_error_t abort_queue(world *here)
{
    sci_error_t error;

    SCIAbortDMAQueue(here->queue, 0, &error);
    return error;
}

static sci_error_t remove_queue(world *here)
{
    sci_error_t error;

    SCIRemoveDMAQueue(here->queue, 0, &error);
    return error;
}

static void be_idle(world *here)
{
    sci_error_t error;

    here->local = offer(here->sd, ID, BYTES);
    here->remote = reach(here->sd, 4, ID);
    SCICreateDMAQueue(here->sd, &here->queue, 0, 4, 0, &error);
    ck_ok(error);
    ck_assert_int_eq(SCIDMAQueueState(here->queue), SCI_DMAQUEUE_IDLE);
}

static void be_done(world *here)
{
    be_idle(here);
    ck_ok(transfer(here));
    ck_assert_int_eq(SCIDMAQueueState(here->queue), SCI_DMAQUEUE_DONE);
}

static void be_without_peer(world *here)
{
    sci_error_t error, status;

    be_idle(here);
    SCISetSegmentUnavailable(here->local, 0, SCI_FLAG_FORCE_DISCONNECT, &error);
    ck_ok(error);
    SCIWaitForRemoteSegmentEvent(here->remote, &status, SOON_MS, 0, &error);
    ck_ok(error);
}

static void be_unprepared(world *here)
{
    sci_error_t error;

    be_idle(here);
    SCICreateSegment(here->sd, &here->local, ID + 1, BYTES, NULL, NULL, 0, &error);
    ck_ok(error);
}

START_TEST(queues)
{
    static const call calls[] = {{"transfer", transfer},
                                 {"wait", await_queue},
                                 {"abort", abort_queue},
                                 {"remove", remove_queue},
                                 {"close", close_device}};
    static const state states[] = {
        {"idle",
         be_idle,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"done",
         be_done,
         {SCI_ERR_OK, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK, SCI_ERR_BUSY}},
        {"with a lost segment",
         be_without_peer,
         {SCI_ERR_SEGMENT_NOT_CONNECTED, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK,
          SCI_ERR_BUSY}},
        {"with an unprepared segment",
         be_unprepared,
         {SCI_ERR_SEGMENT_NOT_PREPARED, SCI_ERR_OK, SCI_ERR_ILLEGAL_OPERATION, SCI_ERR_OK,
          SCI_ERR_BUSY}},
    };

    try_all(states, calls);
}
END_TEST

UNIT_MAIN("sisci lines", interrupts_of_this_process, interrupts_of_others,
          data_interrupts_of_this_process, data_interrupts_of_others, queues)
