/* The writer of timelines: the file for given slices and arrows, and where it can be written.
 * Each test works in its own directory. */
#include "report/trace.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/unit.h"

static const char *const tracks[] = {"supervisor", "source \"0\" (rank 1)"};

static const report_slice slices[] = {
    {.begin_ns = 0,
     .end_ns = 1250,
     .event = 7,
     .track = 0,
     .peer = REPORT_NO_TRACK,
     .kind = "issue",
     .name = "issue"},
    {.begin_ns = 12345678901234,
     .end_ns = 12345678901235,
     .event = 7,
     .track = 1,
     .peer = 0,
     .kind = "take",
     .name = "take assignment"},
};

static const report_arrow arrows[] = {{.from = 0, .to = 1, .name = "assignment"}};

static const report_fact facts[] = {
    {.key = "mode", .text = "closed"},
    {.key = "events", .number = 64},
    {.key = "offered_Hz", .number = (double)NAN},
};

static const report_trace example = {
    .title = "push farm",
    .tracks = tracks,
    .track_count = 2,
    .slices = slices,
    .slice_count = 2,
    .arrows = arrows,
    .arrow_count = 1,
    .facts = facts,
    .fact_count = 3,
};

static char directory[] = "/tmp/combench-trace-XXXXXX";

static void enter_directory(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    remove("trace.json");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(remove(directory) == 0, "%s holds what no case made", directory);
}

static json_t *load(void)
{
    json_error_t error;
    json_t *root = json_load_file("trace.json", 0, &error);

    ck_assert_msg(root != NULL, "no JSON: line %d: %s", error.line, error.text);
    return root;
}

/* The example, read back. */
static json_t *write_example(void)
{
    enter_directory();
    ck_assert_int_eq(report_trace_write("trace.json", &example), CB_OK);
    return load();
}

static void leave(json_t *root)
{
    json_decref(root);
    leave_directory();
}

/* The n-th event of a phase. */
static const json_t *event_of(const json_t *root, const char *phase, size_t n)
{
    size_t index;
    json_t *event;

    json_array_foreach(json_object_get(root, "traceEvents"), index, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 && n-- == 0)
            return event;
    }
    ck_abort_msg("there is no such event of phase %s", phase);
}

/* A member of an event: one key, one value. */
static void assert_has(const json_t *event, const char *key, json_t *expected)
{
    ck_assert_msg(json_equal(json_object_get(event, key), expected), "%s is not as expected", key);
    json_decref(expected);
}

START_TEST(every_track_has_a_name_and_a_position)
{
    json_t *root = write_example();

    assert_has(event_of(root, "M", 0), "args", json_pack("{s:s}", "name", "push farm"));
    for (size_t track = 0; track < 2; track++) {
        const json_t *name = event_of(root, "M", 1 + 2 * track);
        const json_t *place = event_of(root, "M", 2 + 2 * track);

        assert_has(name, "name", json_string("thread_name"));
        assert_has(name, "tid", json_integer((json_int_t)track + 1));
        assert_has(name, "args", json_pack("{s:s}", "name", tracks[track]));
        assert_has(place, "name", json_string("thread_sort_index"));
        assert_has(place, "tid", json_integer((json_int_t)track + 1));
        assert_has(place, "args", json_pack("{s:i}", "sort_index", (int)track));
    }
    leave(root);
}
END_TEST

START_TEST(process_and_thread_ids_are_positive)
{
    json_t *root = write_example(), *event;
    size_t index;

    json_array_foreach(json_object_get(root, "traceEvents"), index, event)
    {
        ck_assert_int_gt(json_integer_value(json_object_get(event, "pid")), 0);
        if (json_object_get(event, "tid") != NULL)
            ck_assert_int_gt(json_integer_value(json_object_get(event, "tid")), 0);
    }
    leave(root);
}
END_TEST

START_TEST(a_slice_has_its_time_in_us_and_its_event)
{
    json_t *root = write_example();
    const json_t *slice = event_of(root, "X", 0);

    assert_has(slice, "ts", json_real(0));
    assert_has(slice, "dur", json_real(1.25));
    assert_has(slice, "cat", json_string("issue"));
    assert_has(slice, "name", json_string("issue 7"));
    assert_has(slice, "args", json_pack("{s:i}", "event", 7));
    leave(root);
}
END_TEST

START_TEST(a_slice_names_its_peer)
{
    json_t *root = write_example();

    assert_has(event_of(root, "X", 1), "args",
               json_pack("{s:i, s:s}", "event", 7, "peer", "supervisor"));
    leave(root);
}
END_TEST

START_TEST(times_of_hours_are_exact_to_the_ns)
{
    json_t *root = write_example();

    assert_has(event_of(root, "X", 1), "ts", json_real(12345678901.234));
    assert_has(event_of(root, "X", 1), "dur", json_real(0.001));
    leave(root);
}
END_TEST

START_TEST(an_arrow_starts_and_ends_at_its_slices)
{
    json_t *root = write_example();
    const json_t *start = event_of(root, "s", 0), *finish = event_of(root, "f", 0);

    ck_assert(json_equal(json_object_get(start, "id"), json_object_get(finish, "id")));
    assert_has(start, "tid", json_integer(1));
    assert_has(start, "ts", json_real(0));
    assert_has(start, "name", json_string("assignment"));
    assert_has(finish, "tid", json_integer(2));
    assert_has(finish, "ts", json_real(12345678901.234));
    assert_has(finish, "bp", json_string("e"));
    assert_has(finish, "name", json_string("assignment"));
    leave(root);
}
END_TEST

START_TEST(unknown_facts_are_omitted)
{
    json_t *root = write_example();

    assert_has(root, "otherData", json_pack("{s:s, s:i}", "mode", "closed", "events", 64));
    leave(root);
}
END_TEST

START_TEST(an_empty_trace_is_written_before_the_first_measurement)
{
    char *target;
    json_t *root;

    enter_directory();
    ck_assert_int_eq(report_trace_direct("trace.json", &target), CB_OK);
    root = load();
    ck_assert(json_is_array(json_object_get(root, "traceEvents")));
    ck_assert_uint_eq(json_array_size(json_object_get(root, "traceEvents")), 0);
    free(target);
    leave(root);
}
END_TEST

START_TEST(a_path_in_a_missing_directory_is_a_usage_error)
{
    char *target;

    enter_directory();
    ck_assert_int_eq(report_trace_direct("missing/trace.json", &target), CB_ERROR_USAGE);
    ck_assert_ptr_null(target);
    leave_directory();
}
END_TEST

START_TEST(a_failed_write_is_a_system_error)
{
    enter_directory();
    ck_assert_int_eq(report_trace_write("missing/trace.json", &example), CB_ERROR_SYSTEM);
    leave_directory();
}
END_TEST

UNIT_MAIN("trace", every_track_has_a_name_and_a_position, process_and_thread_ids_are_positive,
          a_slice_has_its_time_in_us_and_its_event, a_slice_names_its_peer,
          times_of_hours_are_exact_to_the_ns, an_arrow_starts_and_ends_at_its_slices,
          unknown_facts_are_omitted, an_empty_trace_is_written_before_the_first_measurement,
          a_path_in_a_missing_directory_is_a_usage_error, a_failed_write_is_a_system_error)
