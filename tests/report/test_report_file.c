/* Result files: replaced as a whole or not at all, refused before the first measurement if they
 * cannot be written, and read back. Each test works in its own directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/reading.h"
#include "report/report.h"
#include "tests/common/messages.h"
#include "tests/common/unit.h"

/* Change to a new, empty directory, so that names are short. */
static char *enter_directory(void)
{
    static char directory[] = "/tmp/combench-report-XXXXXX";

    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    return directory;
}

static size_t count_files(void)
{
    DIR *directory = opendir(".");
    size_t count = 0;

    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void leave_directory(const char *directory)
{
    static const char *const names[] = {"result.json", "link", "target", "pipe", "gone", "errors"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        remove(names[i]);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(remove(directory) == 0, "%s holds what no case made", directory);
}

static report_document *new_document(void)
{
    report_document *document;

    ck_assert_int_eq(report_create("oneway", "1.1", "title", "mpi", &document), CB_OK);
    return document;
}

static report_document *directed_to(const char *path)
{
    report_document *document = new_document();

    ck_assert_int_eq(report_direct(document, REPORT_JSON, path, NULL), CB_OK);
    return document;
}

static cb_status add_row(report_document *document)
{
    report_row row = {.broken = false};

    report_set_number(&row, REPORT_SIZE_BYTES, 64);
    return report_add(document, &row);
}

static json_t *load(const char *path)
{
    json_t *root = json_load_file(path, 0, NULL);

    ck_assert_msg(root != NULL, "%s is no JSON document", path);
    return root;
}

static size_t rows_in(const char *path)
{
    json_t *root = load(path);
    size_t count = json_array_size(json_object_get(root, "results"));

    json_decref(root);
    return count;
}

/* After this call no file can be written, as on a full disk. */
static void limit_files(void)
{
    const struct rlimit limit = {.rlim_cur = 16, .rlim_max = RLIM_INFINITY};

    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void unlimit_files(void)
{
    const struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(the_file_exists_before_the_first_measurement)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");
    json_t *root = load("result.json");

    ck_assert(json_is_false(json_object_get(root, "complete")));
    ck_assert_str_eq(json_string_value(json_object_get(root, "reason")), "running");
    json_decref(root);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(each_row_is_in_the_file_when_it_is_added)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");

    ck_assert_int_eq(add_row(document), CB_OK);
    ck_assert_uint_eq(rows_in("result.json"), 1);
    ck_assert_int_eq(add_row(document), CB_OK);
    ck_assert_uint_eq(rows_in("result.json"), 2);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(no_temporary_file_is_left)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");

    add_row(document);
    ck_assert_int_eq(report_finish(document, NULL), CB_OK);
    ck_assert_uint_eq(count_files(), 1);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_path_in_a_missing_directory_is_a_usage_error)
{
    char *directory = enter_directory();
    report_document *document = new_document();

    ck_assert_int_eq(report_direct(document, REPORT_JSON, "missing/result.json", NULL),
                     CB_ERROR_USAGE);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_directory_as_path_is_a_usage_error)
{
    char *directory = enter_directory();
    report_document *document = new_document();

    ck_assert_int_eq(report_direct(document, REPORT_JSON, directory, NULL), CB_ERROR_USAGE);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(only_regular_files_are_replaced)
{
    char *directory = enter_directory();
    report_document *document = new_document();
    struct stat status;

    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_assert_int_eq(report_direct(document, REPORT_JSON, "pipe", NULL), CB_ERROR_USAGE);
    ck_assert_int_eq(lstat("pipe", &status), 0);
    ck_assert(S_ISFIFO(status.st_mode));
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(the_target_of_a_symbolic_link_is_replaced)
{
    char *directory = enter_directory();
    report_document *document;
    struct stat status;
    FILE *target = fopen("target", "w");

    ck_assert_ptr_nonnull(target);
    fclose(target);
    ck_assert_int_eq(symlink("target", "link"), 0);
    document = directed_to("link");
    ck_assert_int_eq(lstat("link", &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_uint_eq(rows_in("target"), 0);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(the_permissions_of_the_file_follow_the_umask)
{
    char *directory = enter_directory();
    report_document *document;
    struct stat status;

    umask(027);
    document = directed_to("result.json");
    ck_assert_int_eq(stat("result.json", &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0640);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_failed_write_is_a_system_error)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");
    cb_status status;

    limit_files();
    status = add_row(document);
    unlimit_files();
    ck_assert_int_eq(status, CB_ERROR_SYSTEM);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_failed_write_keeps_the_last_complete_document)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");

    add_row(document);
    limit_files();
    add_row(document);
    unlimit_files();
    ck_assert_uint_eq(rows_in("result.json"), 1);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_failed_write_leaves_no_temporary_file)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");

    limit_files();
    add_row(document);
    unlimit_files();
    ck_assert_uint_eq(count_files(), 1);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_row_that_could_not_be_written_is_written_with_the_next)
{
    char *directory = enter_directory();
    report_document *document = directed_to("result.json");

    limit_files();
    add_row(document);
    unlimit_files();
    ck_assert_int_eq(report_finish(document, NULL), CB_OK);
    ck_assert_uint_eq(rows_in("result.json"), 1);
    report_free(document);
    leave_directory(directory);
}
END_TEST

START_TEST(a_removed_directory_is_a_system_error)
{
    char *directory = enter_directory();
    report_document *document;

    ck_assert_int_eq(mkdir("gone", 0700), 0);
    document = directed_to("gone/result.json");
    ck_assert_int_eq(unlink("gone/result.json"), 0);
    ck_assert_int_eq(rmdir("gone"), 0);
    ck_assert_int_eq(report_finish(document, NULL), CB_ERROR_SYSTEM);
    report_free(document);
    leave_directory(directory);
}
END_TEST

/* The messages logged while `document` is written to `path`. */
static void log_of_directing(report_document *document, const char *path, char *text, size_t bytes)
{
    int saved = dup(STDERR_FILENO), errors = open("errors", O_RDWR | O_CREAT | O_TRUNC, 0600);
    ssize_t length;

    ck_assert_int_ge(saved, 0);
    ck_assert_int_ge(errors, 0);
    dup2(errors, STDERR_FILENO);
    report_direct(document, REPORT_JSON, path, NULL);
    dup2(saved, STDERR_FILENO);
    length = pread(errors, text, bytes - 1, 0);
    ck_assert_int_ge(length, 0);
    text[length] = '\0';
    close(errors);
    close(saved);
}

START_TEST(an_error_names_file_cause_and_remedy)
{
    char *directory = enter_directory(), text[1024];
    report_document *document = new_document();

    log_of_directing(document, "missing/result.json", text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "missing/result.json"));
    ck_assert_ptr_nonnull(strstr(text, strerror(ENOENT)));
    ck_assert_ptr_nonnull(strstr(text, "make its directory"));
    report_free(document);
    leave_directory(directory);
}
END_TEST

static cb_status add_to_full_stream(report_format format)
{
    report_document *document = new_document();
    FILE *full = fopen("/dev/full", "w");
    cb_status added, finished;

    ck_assert_ptr_nonnull(full);
    ck_assert_int_eq(report_direct(document, format, NULL, full), CB_OK);
    added = add_row(document);
    finished = report_finish(document, NULL);
    fclose(full);
    report_free(document);
    return added != CB_OK ? added : finished;
}

START_TEST(a_full_stream_is_a_system_error_in_every_form)
{
    ck_assert_int_eq(add_to_full_stream(REPORT_TEXT), CB_ERROR_SYSTEM);
    ck_assert_int_eq(add_to_full_stream(REPORT_CSV), CB_ERROR_SYSTEM);
    ck_assert_int_eq(add_to_full_stream(REPORT_JSON), CB_ERROR_SYSTEM);
}
END_TEST

START_TEST(a_full_stream_does_not_prevent_writing_the_file)
{
    char *directory = enter_directory();
    report_document *document = new_document();
    FILE *full = fopen("/dev/full", "w");

    ck_assert_int_eq(report_direct(document, REPORT_JSON, "result.json", full), CB_OK);
    ck_assert_int_eq(add_row(document), CB_ERROR_SYSTEM);
    ck_assert_uint_eq(rows_in("result.json"), 1);
    fclose(full);
    report_free(document);
    leave_directory(directory);
}
END_TEST

/* Reading back */

static void write_file(const char *text)
{
    FILE *file = fopen("result.json", "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Expect that a file with this text is refused with a message that contains `cause`. */
static void expect_refusal(const char *text, const char *cause)
{
    int messages = messages_capture();
    report_reading *reading = NULL;

    write_file(text);
    ck_assert_msg(report_reading_open("result.json", &reading) == CB_ERROR_USAGE, "'%s' was read",
                  text);
    ck_assert_ptr_null(reading);
    messages_expect(messages, cause);
    close(messages);
}

START_TEST(invalid_json_is_refused_with_its_line)
{
    char *directory = enter_directory();

    expect_refusal("", "result.json:1:");
    expect_refusal("{\n\"schema\": \"combench-result/1\",\n", "result.json:3:");
    expect_refusal("{\"schema\": \"combench-result/1\"} {", "not a JSON");
    expect_refusal("size,latency\n64,0.3\n", "not a JSON");
    expect_refusal("{\"schema\": \"combench-result/1\", \"id\": \"\xff\xfe\"}", "not a JSON");
    leave_directory(directory);
}
END_TEST

START_TEST(another_schema_is_refused_by_its_name)
{
    char *directory = enter_directory();

    expect_refusal("{\"schema\": \"combench-result/2\"}", "combench-result/2");
    expect_refusal("{\"schema\": \"combench-model/1\"}", "combench-model/1");
    expect_refusal("{\"schema\": 1}", "'nothing'");
    expect_refusal("{\"results\": []}", "'nothing'");
    expect_refusal("[\"combench-result/1\"]", "'nothing'");
    leave_directory(directory);
}
END_TEST

START_TEST(an_unreadable_file_is_refused_with_the_cause)
{
    char *directory = enter_directory();
    int messages = messages_capture();
    report_reading *reading = NULL;

    ck_assert_int_eq(report_reading_open("gone", &reading), CB_ERROR_USAGE);
    messages_expect(messages, strerror(ENOENT));
    ck_assert_int_eq(report_reading_open("..", &reading), CB_ERROR_USAGE);
    messages_expect(messages, strerror(EISDIR));
    ck_assert_ptr_null(reading);
    close(messages);
    leave_directory(directory);
}
END_TEST

static report_reading *read_file(const char *text)
{
    report_reading *reading = NULL;

    write_file(text);
    ck_assert_int_eq(report_reading_open("result.json", &reading), CB_OK);
    return reading;
}

START_TEST(values_are_found_by_their_paths)
{
    char *directory = enter_directory();
    report_reading *reading = read_file(
        "{\"schema\": \"combench-result/1\", \"unknown\": {},\n"
        "\"results\": [{\"mode\": \"stream\"}, {\"latency_us\": {\"ci95\": [0.25, 1]}}]}");

    ck_assert_uint_eq(report_reading_count(reading, "results"), 2);
    ck_assert_str_eq(report_reading_text(reading, "results.%d.mode", 0), "stream");
    ck_assert_double_eq(report_reading_number(reading, "results.%d.latency_us.ci95.0", 1), 0.25);
    ck_assert_double_eq(report_reading_number(reading, "results.%d.latency_us.ci95.1", 1), 1);
    report_reading_close(reading);
    leave_directory(directory);
}
END_TEST

START_TEST(values_missing_or_of_another_type_are_absent)
{
    static const char *const paths[] = {"nothing",    "results.2", "results.x",
                                        "results.-1", "results.0", "results.0.size",
                                        "schema.0",   "flag",      "null"};
    char *directory = enter_directory();
    report_reading *reading = read_file("{\"schema\": \"combench-result/1\", \"text\": \"7\", "
                                        "\"number\": 7, \"flag\": true, \"null\": null, "
                                        "\"results\": [{\"mode\": []}, {}]}");

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        ck_assert_msg(report_reading_text(reading, "%s", paths[i]) == NULL, "%s", paths[i]);
        ck_assert_msg(isnan(report_reading_number(reading, "%s", paths[i])), "%s", paths[i]);
        ck_assert_msg(report_reading_count(reading, paths[i]) == 0, "%s", paths[i]);
    }
    ck_assert(isnan(report_reading_number(reading, "text")));
    ck_assert_ptr_null(report_reading_text(reading, "number"));
    ck_assert_uint_eq(report_reading_count(reading, "text"), 0);
    report_reading_close(reading);
    leave_directory(directory);
}
END_TEST

UNIT_MAIN("report file", the_file_exists_before_the_first_measurement,
          each_row_is_in_the_file_when_it_is_added, no_temporary_file_is_left,
          a_path_in_a_missing_directory_is_a_usage_error, a_directory_as_path_is_a_usage_error,
          only_regular_files_are_replaced, the_target_of_a_symbolic_link_is_replaced,
          the_permissions_of_the_file_follow_the_umask, a_failed_write_is_a_system_error,
          a_failed_write_keeps_the_last_complete_document, a_failed_write_leaves_no_temporary_file,
          a_row_that_could_not_be_written_is_written_with_the_next,
          a_removed_directory_is_a_system_error, an_error_names_file_cause_and_remedy,
          a_full_stream_is_a_system_error_in_every_form,
          a_full_stream_does_not_prevent_writing_the_file, invalid_json_is_refused_with_its_line,
          another_schema_is_refused_by_its_name, an_unreadable_file_is_refused_with_the_cause,
          values_are_found_by_their_paths, values_missing_or_of_another_type_are_absent)
