/* Interrupts, with and without data: numbers, waits, callbacks, and the end of their owners. */
#include "tests/sisci/fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sisci/internal.h"

/* The linker puts the wrapper where the library calls the function. */
void __real_sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt);
void __wrap_sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt);

static bool dies_before_trigger;

void __wrap_sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt)
{
    if (dies_before_trigger)
        kill(getpid(), SIGKILL);
    __real_sisci_interrupt_trigger(interrupt);
}

enum { NUMBER = 9, ROOM = 48 /* number of messages that a data interrupt can queue */ };

static sci_error_t create(sci_desc_t sd, unsigned *number, unsigned flags,
                          sci_local_interrupt_t *interrupt)
{
    sci_error_t error;

    SCICreateInterrupt(sd, interrupt, 0, number, NULL, NULL, flags, &error);
    return error;
}

static sci_local_interrupt_t create_fixed(sci_desc_t sd)
{
    unsigned number = NUMBER;
    sci_local_interrupt_t interrupt;

    ck_ok(create(sd, &number, SCI_FLAG_FIXED_INTNO, &interrupt));
    return interrupt;
}

static sci_local_data_interrupt_t create_data(sci_desc_t sd)
{
    unsigned number = NUMBER;
    sci_local_data_interrupt_t interrupt;
    sci_error_t error;

    SCICreateDataInterrupt(sd, &interrupt, 0, &number, NULL, NULL, SCI_FLAG_FIXED_INTNO, &error);
    ck_ok(error);
    return interrupt;
}

static sci_remote_interrupt_t connect_to(sci_desc_t sd, unsigned node)
{
    sci_remote_interrupt_t interrupt;
    sci_error_t error;

    SCIConnectInterrupt(sd, &interrupt, node, 0, NUMBER, SCI_INFINITE_TIMEOUT, 0, &error);
    ck_ok(error);
    return interrupt;
}

static sci_remote_data_interrupt_t connect_to_data(sci_desc_t sd, unsigned node)
{
    sci_remote_data_interrupt_t interrupt;
    sci_error_t error;

    SCIConnectDataInterrupt(sd, &interrupt, node, 0, NUMBER, SCI_INFINITE_TIMEOUT, 0, &error);
    ck_ok(error);
    return interrupt;
}

static sci_error_t trigger(sci_remote_interrupt_t interrupt)
{
    sci_error_t error;

    SCITriggerInterrupt(interrupt, 0, &error);
    return error;
}

static sci_error_t await(sci_local_interrupt_t interrupt, unsigned timeout_ms)
{
    sci_error_t error;

    SCIWaitForInterrupt(interrupt, timeout_ms, 0, &error);
    return error;
}

START_TEST(a_number_is_used_once_on_a_node)
{
    sci_desc_t sd = begin();
    unsigned number = NUMBER;
    sci_local_interrupt_t interrupt;

    create_fixed(sd);
    ck_error(create(sd, &number, SCI_FLAG_FIXED_INTNO, &interrupt), SCI_ERR_INTNO_USED);
    create_data(sd); /* data interrupts have separate numbers */
}
END_TEST

START_TEST(automatic_numbers_differ)
{
    sci_desc_t sd = begin();
    sci_local_interrupt_t interrupt;
    unsigned one, other;

    ck_ok(create(sd, &one, 0, &interrupt));
    ck_ok(create(sd, &other, SCI_FLAG_COUNTING_INT, &interrupt));
    ck_assert_uint_ne(one, other);
}
END_TEST

START_TEST(a_shared_interrupt_is_not_implemented)
{
    sci_local_interrupt_t interrupt;
    unsigned number;

    ck_error(create(begin(), &number, SCI_FLAG_SHARED_INT, &interrupt),
             SCI_ERR_FLAG_NOT_IMPLEMENTED);
}
END_TEST

START_TEST(an_unused_number_is_not_found)
{
    sci_desc_t sd = begin();
    sci_remote_interrupt_t interrupt;
    sci_error_t error;

    SCIConnectInterrupt(sd, &interrupt, 4, 0, NUMBER, 0, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_INTNO);
    SCIConnectInterrupt(sd, &interrupt, 8, 0, NUMBER, 0, 0, &error);
    ck_error(error, SCI_ERR_NO_SUCH_NODEID);
    SCIConnectInterrupt(sd, &interrupt, 9, 0, NUMBER, 0, 0, &error);
    ck_error(error, SCI_ERR_ILLEGAL_NODEID);
}
END_TEST

START_TEST(each_trigger_ends_one_wait)
{
    sci_desc_t sd = begin();
    sci_local_interrupt_t local = create_fixed(sd);
    sci_remote_interrupt_t remote = connect_to(sd, SCI_LOCAL_HOST);

    ck_error(await(local, NOT_MS), SCI_ERR_TIMEOUT);
    ck_ok(trigger(remote));
    ck_ok(trigger(remote));
    ck_ok(await(local, SOON_MS));
    ck_ok(await(local, SOON_MS));
    ck_error(await(local, NOT_MS), SCI_ERR_TIMEOUT);
}
END_TEST

START_TEST(a_removed_interrupt_cannot_be_triggered)
{
    sci_desc_t sd = begin();
    sci_local_interrupt_t local = create_fixed(sd);
    sci_remote_interrupt_t remote = connect_to(sd, 4);
    sci_error_t error;

    SCIRemoveInterrupt(local, 0, &error);
    ck_ok(error);
    ck_error(trigger(remote), SCI_ERR_NOT_CONNECTED);
    SCIDisconnectInterrupt(remote, 0, &error);
    ck_ok(error);
    SCIClose(sd, 0, &error);
    ck_ok(error);
}
END_TEST

static int echo(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    sci_local_interrupt_t local = create_fixed(sd);
    sci_remote_interrupt_t back;

    (void)unused;
    tell(test, 'r');
    expect(test, 'r');
    back = connect_to(sd, 4);
    for (int i = 0; i < 100; i++) {
        ck_ok(await(local, SOON_MS));
        ck_ok(trigger(back));
    }
    expect(test, 'q');
    SCITerminate();
    return 0;
}

START_TEST(interrupts_pass_between_processes)
{
    helper other = helper_start(echo, NULL, 8);
    sci_desc_t sd = begin();
    sci_local_interrupt_t local = create_fixed(sd);
    sci_remote_interrupt_t there;

    expect(&other, 'r');
    tell(&other, 'r');
    there = connect_to(sd, 8);
    for (int i = 0; i < 100; i++) {
        ck_ok(trigger(there));
        ck_ok(await(local, SOON_MS));
    }
    tell(&other, 'q');
    helper_finish(&other);
}
END_TEST

START_TEST(triggering_the_interrupt_of_a_killed_process_fails)
{
    helper other = helper_start(echo, NULL, 8);
    sci_desc_t sd = begin();
    sci_remote_interrupt_t there;

    expect(&other, 'r');
    there = connect_to(sd, 8);
    ck_ok(trigger(there));
    helper_kill(&other);
    until(trigger(there) != SCI_ERR_OK);
    ck_error(trigger(there), SCI_ERR_NOT_CONNECTED);
}
END_TEST

static void *wait_for_ever(void *interrupt)
{
    static sci_error_t error;

    error = await(interrupt, SCI_INFINITE_TIMEOUT);
    return &error;
}

/* Read from the library's internal state: the interface does not report waiting threads. */
static bool interrupt_has_waiter(sci_local_interrupt_t interrupt)
{
    bool waits;

    sisci_lock();
    waits = ((sisci_local_interrupt *)interrupt)->resource.waiters > 0;
    sisci_unlock();
    return waits;
}

START_TEST(removal_cancels_a_wait_for_an_interrupt)
{
    sci_local_interrupt_t local = create_fixed(begin());
    pthread_t waiter;
    void *result;
    sci_error_t error;

    pthread_create(&waiter, NULL, wait_for_ever, local);
    until(interrupt_has_waiter(local));
    SCIRemoveInterrupt(local, 0, &error);
    ck_ok(error);
    pthread_join(waiter, &result);
    ck_error(*(sci_error_t *)result, SCI_ERR_CANCELLED);
}
END_TEST

typedef struct {
    _Atomic unsigned calls;
    _Atomic unsigned sum;
    unsigned limit;
} record;

static sci_callback_action_t count_call(void *argument, sci_local_interrupt_t interrupt,
                                        sci_error_t status)
{
    record *seen = argument;

    ck_assert(interrupt != NULL && status == SCI_ERR_OK);
    return ++seen->calls == seen->limit ? SCI_CALLBACK_CANCEL : SCI_CALLBACK_CONTINUE;
}

static sci_local_interrupt_t create_with_callback(sci_desc_t sd, record *seen)
{
    unsigned number = NUMBER;
    sci_local_interrupt_t interrupt;
    sci_error_t error;

    SCICreateInterrupt(sd, &interrupt, 0, &number, count_call, seen,
                       SCI_FLAG_FIXED_INTNO | SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    return interrupt;
}

START_TEST(each_trigger_makes_one_callback)
{
    sci_desc_t sd = begin();
    record seen = {0};
    sci_local_interrupt_t local = create_with_callback(sd, &seen);
    sci_remote_interrupt_t remote = connect_to(sd, 4);

    for (int i = 0; i < 50; i++)
        ck_ok(trigger(remote));
    until(seen.calls == 50);
    ck_error(await(local, NOT_MS), SCI_ERR_ILLEGAL_OPERATION);
    SCITerminate();
    ck_assert_uint_eq(seen.calls, 50);
}
END_TEST

START_TEST(a_cancelled_callback_is_not_called_again)
{
    sci_desc_t sd = begin();
    record seen = {.limit = 3};
    sci_remote_interrupt_t remote;

    create_with_callback(sd, &seen);
    remote = connect_to(sd, 4);
    for (int i = 0; i < 10; i++)
        ck_ok(trigger(remote));
    until(seen.calls == 3);
    SCITerminate();
    ck_assert_uint_eq(seen.calls, 3);
}
END_TEST

static sci_error_t send(sci_remote_data_interrupt_t interrupt, const void *data, unsigned length)
{
    char copy[2048];
    sci_error_t error;

    memcpy(copy, data, length);
    SCITriggerDataInterrupt(interrupt, copy, length, 0, &error);
    return error;
}

START_TEST(data_arrive_in_the_order_of_their_triggers)
{
    sci_desc_t sd = begin();
    sci_local_data_interrupt_t local = create_data(sd);
    sci_remote_data_interrupt_t remote = connect_to_data(sd, SCI_LOCAL_HOST);

    for (unsigned i = 0; i < 3 * ROOM; i++) {
        unsigned came = 0, length = sizeof(came);
        sci_error_t error;

        ck_ok(send(remote, &i, sizeof(i)));
        SCIWaitForDataInterrupt(local, &came, &length, SOON_MS, 0, &error);
        ck_ok(error);
        ck_assert_uint_eq(length, sizeof(came));
        ck_assert_uint_eq(came, i);
    }
}
END_TEST

START_TEST(a_trigger_with_data_waits_for_room)
{
    sci_desc_t sd = begin();
    sci_local_data_interrupt_t local = create_data(sd);
    char room[64];
    unsigned length = 4;
    sci_error_t error;

    ck_ok(send(connect_to_data(sd, 4), "twelve bytes", 12));
    SCIWaitForDataInterrupt(local, room, &length, SOON_MS, 0, &error);
    ck_error(error, SCI_ERR_OUT_OF_RANGE);
    ck_assert_uint_eq(length, 12);
    SCIWaitForDataInterrupt(local, room, &length, SOON_MS, 0, &error);
    ck_ok(error);
    ck_assert_mem_eq(room, "twelve bytes", 12);
    SCIWaitForDataInterrupt(local, room, &length, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_TIMEOUT);
}
END_TEST

START_TEST(data_may_be_empty)
{
    sci_desc_t sd = begin();
    sci_local_data_interrupt_t local = create_data(sd);
    char room[1];
    unsigned length = sizeof(room);
    sci_error_t error;

    SCITriggerDataInterrupt(connect_to_data(sd, 4), NULL, 0, 0, &error);
    ck_ok(error);
    SCIWaitForDataInterrupt(local, room, &length, SOON_MS, 0, &error);
    ck_ok(error);
    ck_assert_uint_eq(length, 0);
}
END_TEST

START_TEST(data_beyond_the_limit_are_refused)
{
    sci_desc_t sd = begin();
    char data[1025] = "";
    sci_remote_data_interrupt_t remote;

    create_data(sd);
    remote = connect_to_data(sd, 4);
    ck_ok(send(remote, data, 1024));
    ck_error(send(remote, data, 1025), SCI_ERR_OUT_OF_RANGE);
}
END_TEST

START_TEST(unreceived_data_overflow)
{
    sci_desc_t sd = begin();
    sci_local_data_interrupt_t local = create_data(sd);
    sci_remote_data_interrupt_t remote = connect_to_data(sd, 4);
    unsigned came, length = sizeof(came);
    sci_error_t error;

    for (unsigned i = 0; i < ROOM; i++)
        ck_ok(send(remote, &i, sizeof(i)));
    ck_error(send(remote, &length, sizeof(length)), SCI_ERR_OVERFLOW);
    for (unsigned i = 0; i < ROOM; i++) {
        SCIWaitForDataInterrupt(local, &came, &length, SOON_MS, 0, &error);
        ck_ok(error);
        ck_assert_uint_eq(came, i);
    }
    SCIWaitForDataInterrupt(local, &came, &length, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_TIMEOUT);
}
END_TEST

static sci_callback_action_t sum_data(void *argument, sci_local_data_interrupt_t interrupt,
                                      void *data, unsigned length, sci_error_t status)
{
    record *seen = argument;
    unsigned number;

    ck_assert(interrupt != NULL && length == sizeof(number) && status == SCI_ERR_OK);
    memcpy(&number, data, sizeof(number));
    seen->sum += number;
    seen->calls++;
    return SCI_CALLBACK_CONTINUE;
}

static int send_ten(helper *test, const void *unused)
{
    sci_desc_t sd = begin();
    sci_remote_data_interrupt_t there;

    (void)unused;
    expect(test, 's');
    there = connect_to_data(sd, 4);
    for (unsigned i = 1; i <= 10; i++)
        ck_ok(send(there, &i, sizeof(i)));
    SCITerminate();
    return 0;
}

START_TEST(data_from_another_process_are_passed_to_the_callback)
{
    helper other = helper_start(send_ten, NULL, 8);
    sci_desc_t sd = begin();
    record seen = {0};
    unsigned number = NUMBER;
    sci_local_data_interrupt_t local;
    sci_error_t error;

    SCICreateDataInterrupt(sd, &local, 0, &number, sum_data, &seen,
                           SCI_FLAG_FIXED_INTNO | SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    tell(&other, 's');
    until(seen.calls == 10);
    ck_assert_uint_eq(seen.sum, 55);
    helper_finish(&other);
    SCIRemoveDataInterrupt(local, 0, &error);
    ck_ok(error);
    SCIClose(sd, 0, &error);
    ck_ok(error);
}
END_TEST

static int die_before_trigger(helper *test, const void *unused)
{
    const unsigned number = 1;
    sci_desc_t sd = begin();

    (void)unused;
    expect(test, 's');
    dies_before_trigger = true;
    send(connect_to_data(sd, 4), &number, sizeof(number));
    return 1;
}

/* Message 1 is sent by a process that is killed before it triggers, message 2 by this one. */
static void send_after_a_killed_process(helper *other, sci_desc_t sd)
{
    const unsigned number = 2;
    int status;

    tell(other, 's');
    ck_assert_int_eq(waitpid(other->pid, &status, 0), other->pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_ok(send(connect_to_data(sd, 4), &number, sizeof(number)));
}

START_TEST(a_process_killed_before_its_trigger_does_not_delay_waits)
{
    helper other = helper_start(die_before_trigger, NULL, 8);
    sci_desc_t sd = begin();
    sci_local_data_interrupt_t local = create_data(sd);
    unsigned came = 0, length = sizeof(came);
    sci_error_t error;

    send_after_a_killed_process(&other, sd);
    for (unsigned i = 1; i <= 2; i++) {
        SCIWaitForDataInterrupt(local, &came, &length, SOON_MS, 0, &error);
        ck_ok(error);
        ck_assert_uint_eq(came, i);
    }
    SCIWaitForDataInterrupt(local, &came, &length, NOT_MS, 0, &error);
    ck_error(error, SCI_ERR_TIMEOUT);
}
END_TEST

START_TEST(a_process_killed_before_its_trigger_does_not_delay_callbacks)
{
    helper other = helper_start(die_before_trigger, NULL, 8);
    sci_desc_t sd = begin();
    record seen = {0};
    unsigned number = NUMBER;
    sci_local_data_interrupt_t local;
    sci_error_t error;

    SCICreateDataInterrupt(sd, &local, 0, &number, sum_data, &seen,
                           SCI_FLAG_FIXED_INTNO | SCI_FLAG_USE_CALLBACK, &error);
    ck_ok(error);
    send_after_a_killed_process(&other, sd);
    until(seen.calls == 2);
    ck_assert_uint_eq(seen.sum, 3);
    SCIRemoveDataInterrupt(local, 0, &error);
    ck_ok(error);
}
END_TEST

UNIT_MAIN("sisci interrupt", a_number_is_used_once_on_a_node, automatic_numbers_differ,
          a_shared_interrupt_is_not_implemented, an_unused_number_is_not_found,
          each_trigger_ends_one_wait, a_removed_interrupt_cannot_be_triggered,
          interrupts_pass_between_processes, triggering_the_interrupt_of_a_killed_process_fails,
          removal_cancels_a_wait_for_an_interrupt, each_trigger_makes_one_callback,
          a_cancelled_callback_is_not_called_again, data_arrive_in_the_order_of_their_triggers,
          a_trigger_with_data_waits_for_room, data_may_be_empty, data_beyond_the_limit_are_refused,
          unreceived_data_overflow, data_from_another_process_are_passed_to_the_callback,
          a_process_killed_before_its_trigger_does_not_delay_waits,
          a_process_killed_before_its_trigger_does_not_delay_callbacks)
