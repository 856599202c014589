/* Every status has a distinct text and the exit status that status.h documents. */
#include "base/status.h"

#include <string.h>

#include "tests/common/unit.h"

enum { NO_STATUS = -1 };

/* The exit status of each status. Because of -Wswitch the compiler demands a line for each new
 * one. */
static int expected_exit(cb_status status)
{
    switch (status) {
    case CB_OK:
        return 0;
    case CB_ERROR_USAGE:
        return 2;
    case CB_ERROR_UNSUPPORTED:
        return 77;
    case CB_EMPTY:
    case CB_LOST:
    case CB_ERROR_MEMORY:
    case CB_ERROR_SYSTEM:
    case CB_ERROR_CONTROL:
    case CB_ERROR_TRANSPORT:
    case CB_ERROR_DATA:
    case CB_ERROR_DEADLINE:
    case CB_ERROR_INTERRUPTED:
        return 1;
    }
    return NO_STATUS;
}

/* The number of statuses, which count from 0 without gaps. */
static int statuses(void)
{
    int count = 0;

    while (expected_exit((cb_status)count) != NO_STATUS)
        count++;
    return count;
}

START_TEST(every_status_has_its_exit_status)
{
    for (int status = 0; status < statuses(); status++)
        ck_assert_msg(cb_status_exit((cb_status)status) == expected_exit((cb_status)status),
                      "'%s' (status %d) exits with %d, not with %d",
                      cb_status_text((cb_status)status), status, cb_status_exit((cb_status)status),
                      expected_exit((cb_status)status));
}
END_TEST

START_TEST(every_status_has_a_text_of_its_own)
{
    ck_assert_int_gt(statuses(), CB_ERROR_INTERRUPTED);
    for (int status = 0; status < statuses(); status++) {
        const char *text = cb_status_text((cb_status)status);

        ck_assert_msg(text != NULL && text[0] != '\0', "status %d has no text", status);
        ck_assert_msg(strcmp(text, cb_status_text((cb_status)1000)) != 0,
                      "status %d has the text of a number that is no status", status);
        for (int other = 0; other < status; other++)
            ck_assert_msg(strcmp(text, cb_status_text((cb_status)other)) != 0,
                          "statuses %d and %d have the same text, '%s'", other, status, text);
    }
}
END_TEST

START_TEST(an_unknown_status_exits_with_1)
{
    const int none[] = {statuses(), 1000, -1};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_int_eq(cb_status_exit((cb_status)none[i]), 1);
        ck_assert_str_eq(cb_status_text((cb_status)none[i]), "unknown status");
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

START_TEST(try_returns_every_status_but_success)
{
    for (int status = CB_OK + 1; status < statuses(); status++)
        ck_assert_int_eq(call_twice((cb_status)status), status);
    ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(try_continues_after_success)
{
    ck_assert_int_eq(call_twice(CB_OK), CB_OK);
    ck_assert_int_eq(calls, 1);
}
END_TEST

UNIT_MAIN("status", every_status_has_its_exit_status, every_status_has_a_text_of_its_own,
          an_unknown_status_exits_with_1, try_returns_every_status_but_success,
          try_continues_after_success)
