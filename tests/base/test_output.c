/* Files that are written: through which links, with which permissions, and which paths are one
 * file. Each test works in its own directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "tests/common/messages.h"
#include "tests/common/unit.h"

enum { OTHER_USER = 65534 };

static const cb_output_use use = {.what = "the result", .option = "--output"};

/* In a new directory, what is made is removed by leave(). */
static char directory[] = "/tmp/combench-output-XXXXXX";
static const char *const names[] = {"file",        "link",   "second", "shared/file",
                                    "shared/link", "shared", "pipe"};

static void enter(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    umask(022);
}

static void leave(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        remove(names[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(remove(directory) == 0, "%s holds what no case made", directory);
}

static void write_word(FILE *stream, void *word)
{
    fputs(*(const char *const *)word, stream);
}

static cb_status replace(const char *path, const char *word)
{
    char *target = cb_output_target(path, &use);
    const cb_status status =
        target != NULL ? cb_output_replace(target, &use, write_word, &word) : CB_ERROR_USAGE;

    free(target);
    return status;
}

static void expect_content(const char *path, const char *expected)
{
    char text[16] = "";
    FILE *file = fopen(path, "r");

    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
    fclose(file);
    ck_assert_str_eq(text, expected);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    ck_assert_int_eq(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void make_file(const char *path, mode_t mode)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, "old", 3), 3);
    ck_assert_int_eq(fchmod(descriptor, mode), 0);
    close(descriptor);
}

/* A folder like /tmp, in which all may write. */
static void make_shared(mode_t mode)
{
    ck_assert_int_eq(mkdir("shared", 0700), 0);
    ck_assert_int_eq(chmod("shared", mode), 0);
}

static void give_away(const char *path)
{
    ck_assert_int_eq(lchown(path, OTHER_USER, OTHER_USER), 0);
}

static bool is_root(void)
{
    if (geteuid() != 0)
        puts("(not tried: files of another user, which only root can make)");
    return geteuid() == 0;
}

START_TEST(permissions_of_a_replaced_file_are_kept)
{
    const mode_t modes[] = {0600, 0640, 0666, 0400};

    enter();
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        make_file("file", modes[i]);
        ck_assert_int_eq(replace("file", "new"), CB_OK);
        expect_content("file", "new");
        ck_assert_uint_eq(mode_of("file"), modes[i]);
        remove("file");
    }
    ck_assert_int_eq(replace("file", "new"), CB_OK);
    ck_assert_uint_eq(mode_of("file"), 0644);
    leave();
}
END_TEST

START_TEST(a_group_that_is_lost_takes_no_permissions_with_it)
{
    enter();
    if (is_root()) {
        make_file("file", 0640);
        ck_assert_int_eq(chown("file", (uid_t)-1, OTHER_USER), 0);
        ck_assert_int_eq(chmod(".", 0777), 0);
        ck_assert_int_eq(setegid(1), 0);
        ck_assert_int_eq(seteuid(1), 0);
        ck_assert_int_eq(replace("file", "new"), CB_OK);
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_uint_eq(mode_of("file"), 0600);
    }
    leave();
}
END_TEST

START_TEST(links_are_followed_and_kept)
{
    struct stat status;

    enter();
    ck_assert_int_eq(mkdir("shared", 0700), 0);
    ck_assert_int_eq(symlink("second", "link"), 0);
    ck_assert_int_eq(symlink("shared/link", "second"), 0);
    ck_assert_int_eq(symlink("../file", "shared/link"), 0); /* leads to nothing yet */
    ck_assert_int_eq(replace("link", "new"), CB_OK);
    expect_content("file", "new");
    ck_assert_int_eq(lstat("link", &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_int_eq(lstat("shared/link", &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    leave();
}
END_TEST

/* Expect a refusal with this cause, which leaves "file" as it is. */
static void expect_refusal(const char *path, const char *cause)
{
    const int messages = messages_capture();

    ck_assert_int_ne(replace(path, "new"), CB_OK);
    messages_expect(messages, cause);
    close(messages);
}

START_TEST(links_in_a_circle_are_refused)
{
    enter();
    ck_assert_int_eq(symlink("second", "link"), 0);
    ck_assert_int_eq(symlink("link", "second"), 0);
    expect_refusal("link", strerror(ELOOP));
    leave();
}
END_TEST

START_TEST(what_cannot_be_replaced_is_refused)
{
    enter();
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    expect_refusal("pipe", "no regular file");
    expect_refusal(".", "no regular file");
    expect_refusal("/dev/full", "no regular file");
    expect_refusal("", strerror(ENOENT));
    expect_refusal("missing/file", "make its directory");
    leave();
}
END_TEST

START_TEST(a_link_of_another_user_in_a_shared_folder_is_refused)
{
    enter();
    if (is_root()) {
        make_file("file", 0600);
        make_shared(01777);
        ck_assert_int_eq(symlink("../file", "shared/link"), 0);
        ck_assert_int_eq(replace("shared/link", "own"), CB_OK);
        give_away("shared/link");
        expect_refusal("shared/link", "another user");
        expect_content("file", "own");
        /* The owner of the folder may replace any entry of it, so his links are followed. */
        give_away("shared");
        ck_assert_int_eq(replace("shared/link", "new"), CB_OK);
        expect_content("file", "new");
    }
    leave();
}
END_TEST

START_TEST(a_file_of_another_user_in_a_shared_folder_is_refused)
{
    enter();
    if (is_root()) {
        make_shared(01777);
        make_file("shared/file", 0666);
        give_away("shared/file");
        expect_refusal("shared/file", "another user");
        expect_content("shared/file", "old");
    }
    leave();
}
END_TEST

START_TEST(other_users_are_trusted_in_folders_that_not_all_may_write)
{
    enter();
    if (is_root()) {
        make_file("file", 0600);
        make_shared(0755);
        ck_assert_int_eq(symlink("../file", "shared/link"), 0);
        give_away("shared/link");
        ck_assert_int_eq(replace("shared/link", "new"), CB_OK);
        expect_content("file", "new");
    }
    leave();
}
END_TEST

START_TEST(a_name_as_long_as_any_can_be_written)
{
    char name[256];

    enter();
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_assert_int_eq(replace(name, "new"), CB_OK);
    expect_content(name, "new");
    remove(name);
    leave();
}
END_TEST

START_TEST(what_is_discarded_leaves_the_file)
{
    cb_output output;

    enter();
    make_file("file", 0600);
    ck_assert_int_eq(cb_output_begin("file", &use, &output), CB_OK);
    fputs("new", output.stream);
    ck_assert_int_eq(cb_output_end(&output, false), CB_OK);
    expect_content("file", "old");
    leave();
}
END_TEST

START_TEST(paths_of_one_file_are_recognised)
{
    enter();
    make_shared(0755);
    ck_assert(cb_output_is_same("file", "./file")); /* neither exists */
    ck_assert(cb_output_is_same("file", "shared/../file"));
    ck_assert(!cb_output_is_same("file", "second"));
    ck_assert(!cb_output_is_same("file", "shared/file"));
    ck_assert(!cb_output_is_same("missing/file", "missing/file"));
    make_file("file", 0600);
    ck_assert_int_eq(symlink("file", "link"), 0);
    ck_assert(cb_output_is_same("file", "link"));
    ck_assert(cb_output_is_same("link", "shared/../file"));
    ck_assert(!cb_output_is_same("file", "second"));
    ck_assert(!cb_output_is_same("second", "file"));
    leave();
}
END_TEST

UNIT_MAIN("output", permissions_of_a_replaced_file_are_kept,
          a_group_that_is_lost_takes_no_permissions_with_it, links_are_followed_and_kept,
          links_in_a_circle_are_refused, what_cannot_be_replaced_is_refused,
          a_link_of_another_user_in_a_shared_folder_is_refused,
          a_file_of_another_user_in_a_shared_folder_is_refused,
          other_users_are_trusted_in_folders_that_not_all_may_write,
          a_name_as_long_as_any_can_be_written, what_is_discarded_leaves_the_file,
          paths_of_one_file_are_recognised)
