/* Statuses: what a program's exit status says, and that each has a text of its own. */
#include "base/status.h"

#include <string.h>

#include "tests/common/unit.h"

static const cb_status all[] = {CB_OK,
                                CB_EMPTY,
                                CB_LOST,
                                CB_ERROR_USAGE,
                                CB_ERROR_UNSUPPORTED,
                                CB_ERROR_MEMORY,
                                CB_ERROR_SYSTEM,
                                CB_ERROR_CONTROL,
                                CB_ERROR_TRANSPORT,
                                CB_ERROR_DATA,
                                CB_ERROR_INTERRUPTED};

enum { STATUSES = sizeof(all) / sizeof(all[0]) };

START_TEST(success_exits_with_0)
{
    ck_assert_int_eq(cb_status_exit(CB_OK), 0);
}
END_TEST

START_TEST(wrong_use_exits_with_2)
{
    ck_assert_int_eq(cb_status_exit(CB_ERROR_USAGE), 2);
}
END_TEST

START_TEST(a_missing_capability_exits_with_77)
{
    ck_assert_int_eq(cb_status_exit(CB_ERROR_UNSUPPORTED), 77);
}
END_TEST

START_TEST(every_other_error_exits_with_1)
{
    for (int status = CB_ERROR_MEMORY; status <= CB_ERROR_INTERRUPTED; status++)
        ck_assert_int_eq(cb_status_exit((cb_status)status), 1);
}
END_TEST

START_TEST(a_number_that_is_no_status_exits_with_1)
{
    ck_assert_int_eq(cb_status_exit((cb_status)1000), 1);
}
END_TEST

START_TEST(every_status_has_a_text_of_its_own)
{
    for (size_t i = 0; i < STATUSES; i++) {
        ck_assert_str_ne(cb_status_text(all[i]), cb_status_text((cb_status)1000));
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(cb_status_text(all[i]), cb_status_text(all[j]));
    }
}
END_TEST

static int calls;

static cb_status call_twice(cb_status first)
{
    CB_TRY(first);
    calls++;
    return CB_OK;
}

START_TEST(try_returns_the_first_error)
{
    ck_assert_int_eq(call_twice(CB_ERROR_DATA), CB_ERROR_DATA);
    ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(try_goes_on_after_success)
{
    ck_assert_int_eq(call_twice(CB_OK), CB_OK);
    ck_assert_int_eq(calls, 1);
}
END_TEST

UNIT_MAIN("status", success_exits_with_0, wrong_use_exits_with_2,
          a_missing_capability_exits_with_77, every_other_error_exits_with_1,
          a_number_that_is_no_status_exits_with_1, every_status_has_a_text_of_its_own,
          try_returns_the_first_error, try_goes_on_after_success)
