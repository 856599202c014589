/* Log messages: their form, that each is written by one call, and the standard streams that they
 * use. stderr is a datagram socket here, since a file or a pipe would not keep the writes apart. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/unit.h"

static int receiver;

static void capture_stderr(void)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
    close(ends[1]);
    receiver = ends[0];
}

/* The bytes of the next write; empty if there was none. */
static const char *next_write(void)
{
    static char text[2 * PIPE_BUF];
    ssize_t length = recv(receiver, text, sizeof(text) - 1, MSG_DONTWAIT);

    text[length > 0 ? length : 0] = '\0';
    return text;
}

START_TEST(a_message_names_program_and_level)
{
    capture_stderr();
    cb_log_identify("cb_test", -1);
    cb_warning("%d packets", 3);
    ck_assert_str_eq(next_write(), "cb_test: warning: 3 packets\n");
}
END_TEST

START_TEST(a_message_names_the_rank_where_there_is_one)
{
    capture_stderr();
    cb_log_identify("cb_test", 0);
    cb_error("lost");
    ck_assert_str_eq(next_write(), "cb_test: rank 0: error: lost\n");
}
END_TEST

START_TEST(a_note_is_marked_as_note)
{
    capture_stderr();
    cb_log_identify("cb_test", -1);
    cb_note("idle");
    ck_assert_str_eq(next_write(), "cb_test: note: idle\n");
}
END_TEST

START_TEST(a_process_without_identity_can_log)
{
    capture_stderr();
    cb_error("early");
    ck_assert_str_eq(next_write(), "combench: error: early\n");
}
END_TEST

START_TEST(a_silenced_process_writes_nothing)
{
    capture_stderr();
    cb_log_silence(1);
    cb_error("lost");
    ck_assert_str_eq(next_write(), "");
}
END_TEST

START_TEST(a_silenced_process_can_log_again)
{
    capture_stderr();
    cb_log_silence(1);
    cb_log_silence(0);
    cb_error("lost");
    ck_assert_str_ne(next_write(), "");
}
END_TEST

START_TEST(control_characters_of_a_text_are_escaped)
{
    capture_stderr();
    cb_log_identify("cb_test", -1);
    cb_error("a\nb\tc\033[2Jd");
    ck_assert_str_eq(next_write(), "cb_test: error: a b c?[2Jd\n");
    cb_error("C1 \xc2\x9b"
             "31m, bidi \xe2\x80\xae\xe2\x81\xa6, no UTF-8 \x9b\xe2\x80, \xc2\xb5s \xe7\xb6\xb2");
    ck_assert_str_eq(next_write(), "cb_test: error: C1 ??31m, bidi ??????, no UTF-8 ???, \xc2\xb5s "
                                   "\xe7\xb6\xb2\n");
    cb_error("cut off \xe2\n\xf4\x8f");
    ck_assert_str_eq(next_write(), "cb_test: error: cut off ? ??\n");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_cut_in_one_write)
{
    char text[2 * PIPE_BUF];
    const char *line;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    capture_stderr();
    cb_error("%s", text);
    line = next_write();
    ck_assert_uint_le(strlen(line), PIPE_BUF);
    ck_assert_str_eq(line + strlen(line) - 5, "x...\n");
}
END_TEST

START_TEST(logging_leaves_errno_alone)
{
    close(STDERR_FILENO);
    errno = ENOSPC;
    cb_error("no process reads this");
    ck_assert_int_eq(errno, ENOSPC);
}
END_TEST

/* Streams */

static void make_pipe(int ends[2])
{
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "words", 5), 5);
}

START_TEST(the_last_error_can_be_read)
{
    capture_stderr();
    ck_assert_str_eq(cb_last_error(), "");
    cb_error("cannot open '%s'\n", "x");
    cb_warning("a warning");
    ck_assert_str_eq(cb_last_error(), "cannot open 'x' ");
    cb_log_silence(1);
    cb_error("silent");
    ck_assert_str_eq(cb_last_error(), "silent");
}
END_TEST

static void *last_error_of_thread(void *ignored)
{
    static char text[CB_LAST_ERROR_BYTES];

    (void)ignored;
    strcpy(text, cb_last_error());
    cb_error("another");
    return text;
}

START_TEST(each_thread_has_a_last_error_of_its_own)
{
    pthread_t thread;
    void *text = NULL;

    capture_stderr();
    cb_error("one");
    ck_assert_int_eq(pthread_create(&thread, NULL, last_error_of_thread, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &text), 0);
    ck_assert_str_eq(text, "");
    ck_assert_str_eq(cb_last_error(), "one");
}
END_TEST

START_TEST(an_error_is_new_once)
{
    capture_stderr();
    ck_assert_ptr_null(cb_new_error());
    cb_error("one");
    ck_assert_str_eq(cb_new_error(), "one");
    ck_assert_ptr_null(cb_new_error());
    ck_assert_str_eq(cb_last_error(), "one");
}
END_TEST

START_TEST(ranks_of_one_thread_log_as_the_context_that_is_selected)
{
    cb_log_context one, other;

    capture_stderr();
    cb_log_identify("cb_test", -1);
    cb_error("of the process");
    cb_log_context_begin(&one);
    cb_log_context_begin(&other);
    ck_assert_ptr_null(cb_log_select(&one));
    ck_assert_str_eq(cb_last_error(), "");
    cb_log_identify("cb_test", 1);
    ck_assert_ptr_eq(cb_log_select(&other), &one);
    cb_log_identify("cb_test", 2);
    cb_log_silence(true);
    cb_error("of rank 2");
    (void)cb_log_select(&one);
    ck_assert_str_eq(next_write(), "cb_test: error: of the process\n");
    ck_assert_str_eq(next_write(), "");
    cb_error("of rank 1");
    ck_assert_str_eq(next_write(), "cb_test: rank 1: error: of rank 1\n");
    ck_assert_str_eq(cb_last_error(), "of rank 1");
    (void)cb_log_select(&other);
    ck_assert_str_eq(cb_new_error(), "of rank 2");
    (void)cb_log_select(NULL);
    ck_assert_str_eq(cb_last_error(), "of the process");
    cb_note("idle");
    ck_assert_str_eq(next_write(), "cb_test: note: idle\n");
}
END_TEST

START_TEST(unread_bytes_of_a_pipe_are_reported)
{
    int ends[2];

    make_pipe(ends);
    ck_assert(!cb_streams_await_reader(ends[1], 0));
}
END_TEST

/* Loops forever: Check's timeout ends a test that waits. */
static const uint64_t for_ever = UINT64_MAX;

START_TEST(closing_waits_for_the_reader)
{
    char words[6] = "";
    int ends[2];
    pid_t reader;

    make_pipe(ends);
    reader = fork();
    ck_assert_int_ge(reader, 0);
    if (reader == 0)
        _exit(read(ends[0], words, 5) == 5 ? EXIT_SUCCESS : EXIT_FAILURE);
    ck_assert(cb_streams_await_reader(ends[1], for_ever));
    ck_assert_int_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    ck_assert_int_eq(read(ends[0], words, 5), -1);
}
END_TEST

START_TEST(closing_does_not_wait_for_a_reader_that_exited)
{
    int ends[2];

    make_pipe(ends);
    close(ends[0]);
    ck_assert(cb_streams_await_reader(ends[1], for_ever));
}
END_TEST

START_TEST(closing_does_not_wait_where_the_stream_is_no_pipe)
{
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs("words", file), 0);
    rewind(file);
    ck_assert(cb_streams_await_reader(fileno(file), for_ever));
    ck_assert(cb_streams_await_reader(-1, for_ever));
}
END_TEST

START_TEST(the_descriptor_of_a_closed_stream_is_not_reused)
{
    int file;

    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    cb_streams_hold_closed();
    file = open("/dev/null", O_RDWR);
    ck_assert_int_gt(file, STDERR_FILENO);
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        errno = 0;
        ck_assert_int_eq(write(stream, "words", 5), -1);
        ck_assert_int_eq(errno, EBADF);
    }
}
END_TEST

START_TEST(open_streams_stay_as_they_are)
{
    capture_stderr();
    cb_streams_hold_closed();
    cb_error("lost");
    ck_assert_str_ne(next_write(), "");
}
END_TEST

UNIT_MAIN("log", a_message_names_program_and_level, a_message_names_the_rank_where_there_is_one,
          a_note_is_marked_as_note, a_process_without_identity_can_log,
          a_silenced_process_writes_nothing, a_silenced_process_can_log_again,
          control_characters_of_a_text_are_escaped, a_text_that_is_too_long_is_cut_in_one_write,
          the_last_error_can_be_read, each_thread_has_a_last_error_of_its_own, an_error_is_new_once,
          ranks_of_one_thread_log_as_the_context_that_is_selected, logging_leaves_errno_alone,
          unread_bytes_of_a_pipe_are_reported, closing_waits_for_the_reader,
          closing_does_not_wait_for_a_reader_that_exited,
          closing_does_not_wait_where_the_stream_is_no_pipe,
          the_descriptor_of_a_closed_stream_is_not_reused, open_streams_stay_as_they_are)
