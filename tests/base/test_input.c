/* Reading input files: what is refused, and that a pipe is read to its end but not beyond the
 * limit. */
#include "base/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/unit.h"

static char why[CB_INPUT_WHY_BYTES];

/* The read end of a pipe that contains `text`. */
static int pipe_of(const char *text)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    return ends[0];
}

START_TEST(a_device_is_refused)
{
    errno = 0;
    ck_assert_int_eq(cb_input_open("/dev/zero", 100, why), -1);
    ck_assert_int_eq(errno, EINVAL);
    ck_assert_str_eq(why, "it is a device");
    ck_assert_ptr_null(cb_input_stream("/dev/zero", 100, why));
}
END_TEST

START_TEST(a_missing_file_is_refused_with_the_error_of_the_system)
{
    ck_assert_int_eq(cb_input_open("/nowhere/at/all", 100, why), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_str_eq(why, strerror(ENOENT));
}
END_TEST

START_TEST(a_pipe_is_read_to_its_end)
{
    const int from = pipe_of("0123456789");
    const int input = cb_input_of(from, 10, why);
    char text[16] = "";

    ck_assert_int_ge(input, 0);
    ck_assert_int_eq(read(input, text, sizeof(text)), 10);
    ck_assert_str_eq(text, "0123456789");
    close(input);
    close(from);
}
END_TEST

START_TEST(a_pipe_with_more_bytes_than_the_limit_is_refused)
{
    const int from = pipe_of("0123456789");

    ck_assert_int_eq(cb_input_of(from, 9, why), -1);
    ck_assert_int_eq(errno, EFBIG);
    ck_assert_ptr_nonnull(strstr(why, "which only a file may have"));
    close(from);
}
END_TEST

START_TEST(a_closed_descriptor_is_refused)
{
    const int closed = pipe_of("");

    close(closed);
    ck_assert_int_eq(cb_input_of(closed, 10, why), -1);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_str_eq(why, strerror(EBADF));
}
END_TEST

UNIT_MAIN("input", a_device_is_refused, a_missing_file_is_refused_with_the_error_of_the_system,
          a_pipe_is_read_to_its_end, a_pipe_with_more_bytes_than_the_limit_is_refused,
          a_closed_descriptor_is_refused)
