/* Storage of the tracer: records beyond the memory limit are kept and can be changed; requests
 * are found, also equal ones; and each record has its line in the trace. */
#include "tracer/records.h"
#include "tracer/requests.h"

#include <string.h>

#include "tests/common/unit.h"

enum { MANY = 5 * TRACER_IN_MEMORY + 3, REQUESTS = 5000 };

static tracer_record numbered(uint64_t number)
{
    return (tracer_record){.kind = TRACER_SEND, .peer = (int)(number % 7), .bytes = number};
}

static void expect_at(const tracer_records *records, uint64_t place, uint64_t bytes)
{
    tracer_record found;

    ck_assert_int_eq(tracer_records_get(records, place, &found), CB_OK);
    ck_assert_uint_eq(found.bytes, bytes);
}

START_TEST(records_beyond_the_memory_limit_are_kept_and_can_be_changed)
{
    tracer_records records;

    ck_assert_int_eq(tracer_records_open(&records, MANY), CB_OK);
    for (uint64_t i = 0; i < MANY; i++) {
        tracer_record record = numbered(i);

        ck_assert_int_eq(tracer_records_add(&records, &record), CB_OK);
    }
    ck_assert_uint_gt(records.spilled, 0);
    for (uint64_t i = 0; i < MANY; i += 1000) {
        tracer_record changed = numbered(i + 1000000);

        ck_assert_int_eq(tracer_records_set(&records, i, &changed), CB_OK);
    }
    for (uint64_t i = 0; i < MANY; i++)
        expect_at(&records, i, i % 1000 == 0 ? i + 1000000 : i);
    tracer_records_close(&records);
}
END_TEST

START_TEST(records_beyond_the_limit_are_refused)
{
    tracer_record record = numbered(1);
    tracer_records records;

    ck_assert_int_eq(tracer_records_open(&records, 2), CB_OK);
    ck_assert_int_eq(tracer_records_add(&records, &record), CB_OK);
    ck_assert_int_eq(tracer_records_add(&records, &record), CB_OK);
    ck_assert_int_eq(tracer_records_add(&records, &record), CB_EMPTY);
    ck_assert_uint_eq(records.count, 2);
    tracer_records_close(&records);
}
END_TEST

START_TEST(each_kind_of_record_has_its_line)
{
    static const struct {
        tracer_record record;
        const char *line;
    } rows[] = {
        {{TRACER_COMPUTE, 0, 0, 12.5, NULL}, "c 12.500\n"},
        {{TRACER_SEND, 3, 1024, 1.25, NULL}, "s 3 1024 t=1.250\n"},
        {{TRACER_RECEIVE, 0, 0, -1, NULL}, "r 0 0\n"},
        {{TRACER_START_SEND, 1, 5, 0, NULL}, "is 1 5 t=0.000\n"},
        {{TRACER_START_RECEIVE, 2, 6, -1, NULL}, "ir 2 6\n"},
        {{TRACER_WAIT, 0, 0, 7, NULL}, "w t=7.000\n"},
        {{TRACER_SYNCHRONOUS_SEND, 1, 8, 8, NULL}, "ss 1 8 t=8.000\n"},
        {{TRACER_START_SYNCHRONOUS_SEND, 1, 8, -1, NULL}, "iss 1 8\n"},
        {{TRACER_BUFFERED_SEND, 1, 8, -1, NULL}, "bs 1 8\n"},
        {{TRACER_COLLECTIVE, 0, 40, 9, "MPI_Bcast"}, "# MPI_Bcast of 40 bytes: 9.000 us\n"},
        {{TRACER_COLLECTIVE, 0, 40, -1, "MPI_Bcast"}, "# MPI_Bcast of 40 bytes\n"},
    };
    char line[TRACER_LINE_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ck_assert_uint_eq(tracer_line(&rows[i].record, line), strlen(rows[i].line));
        ck_assert_str_eq(line, rows[i].line);
    }
    ck_assert_uint_eq(tracer_line(&(tracer_record){.kind = TRACER_NOTHING}, line), 0);
}
END_TEST

START_TEST(the_longest_line_fits)
{
    tracer_record record = {TRACER_START_RECEIVE, 2147483647, UINT64_MAX, 1e15, NULL};
    tracer_record collective = {TRACER_COLLECTIVE, 0, UINT64_MAX, 1e15, "MPI_Reduce_scatter_block"};
    char line[TRACER_LINE_BYTES];

    ck_assert_uint_eq(tracer_line(&record, line), strlen(line));
    ck_assert_uint_lt(strlen(line), TRACER_LINE_BYTES - 1);
    ck_assert_uint_eq(tracer_line(&collective, line), strlen(line));
    ck_assert_uint_lt(strlen(line), TRACER_LINE_BYTES - 1);
}
END_TEST

/* Colliding handles, removed in another order than they were added. */
START_TEST(requests_are_found_until_they_are_removed)
{
    tracer_requests table = {0};
    tracer_request found;

    for (uint64_t i = 0; i < REQUESTS; i++)
        ck_assert_int_eq(
            tracer_requests_add(&table, &(tracer_request){.handle = 64 * i, .place = i}), CB_OK);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        uint64_t which = i * 7 % REQUESTS;

        ck_assert_msg(tracer_requests_take(&table, 64 * which, UINT64_MAX, &found),
                      "request %d is not there", (int)which);
        ck_assert_uint_eq(found.place, which);
        ck_assert_msg(!tracer_requests_take(&table, 64 * which, UINT64_MAX, &found),
                      "request %d is there twice", (int)which);
    }
    ck_assert_uint_eq(table.count, 0);
    tracer_requests_free(&table);
}
END_TEST

START_TEST(equal_requests_are_kept_separately)
{
    tracer_requests table = {0};
    tracer_request found, same = {.handle = 99};

    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(tracer_requests_add(&table, &same), CB_OK);
    for (int i = 0; i < 200; i++)
        ck_assert_msg(tracer_requests_take(&table, 99, UINT64_MAX, &found),
                      "the one of round %d is not there", i);
    ck_assert(!tracer_requests_take(&table, 99, UINT64_MAX, &found));
    tracer_requests_free(&table);
}
END_TEST

/* A reused handle belongs to a request of another thread, unless it was added before the call. */
START_TEST(of_equal_requests_the_latest_before_the_call_is_removed)
{
    tracer_requests table = {0};
    tracer_request found;
    uint64_t before;

    for (uint64_t place = 0; place < REQUESTS; place++)
        ck_assert_int_eq(
            tracer_requests_add(&table, &(tracer_request){.handle = 5, .place = place}), CB_OK);
    before = table.added - 10;
    ck_assert(tracer_requests_take(&table, 5, before, &found));
    ck_assert_uint_eq(found.place, REQUESTS - 11);
    ck_assert(!tracer_requests_take(&table, 5, 0, &found));
    ck_assert(tracer_requests_take(&table, 5, UINT64_MAX, &found));
    ck_assert_uint_eq(found.place, REQUESTS - 1);
    tracer_requests_free(&table);
}
END_TEST

START_TEST(an_empty_table_finds_no_request)
{
    tracer_requests table = {0};
    tracer_request found;

    ck_assert(!tracer_requests_take(&table, 1, UINT64_MAX, &found));
    tracer_requests_free(&table);
}
END_TEST

UNIT_MAIN("records", records_beyond_the_memory_limit_are_kept_and_can_be_changed,
          records_beyond_the_limit_are_refused, each_kind_of_record_has_its_line,
          the_longest_line_fits, requests_are_found_until_they_are_removed,
          equal_requests_are_kept_separately,
          of_equal_requests_the_latest_before_the_call_is_removed, an_empty_table_finds_no_request)
