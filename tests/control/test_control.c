/* The control plane: teams of ranks in any order, agreement, gathering, waiting without using a
 * core, and clocks of ranks on one host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "tests/common/job.h"

/* Teams */

typedef struct {
    int *ranks;
    size_t count, index; /* index of this process in the team; count if it is no member */
} member_list;

static member_list empty_list(void)
{
    member_list list = {.ranks = cb_allocate((size_t)job.size, sizeof(int), "the ranks of a team")};

    ck_assert_ptr_nonnull(list.ranks);
    return list;
}

static void append(member_list *list, int rank)
{
    list->ranks[list->count++] = rank;
}

static void find_itself(member_list *list)
{
    list->index = 0;
    while (list->index < list->count && list->ranks[list->index] != job.rank)
        list->index++;
}

/* Every rank has a distinct value, so that a wrong order shows. */
static uint64_t value_of(int rank)
{
    return 1000u + (uint64_t)rank * (uint64_t)rank;
}

static void check_exchange(control_team *team, const member_list *list, bool at_all)
{
    uint64_t mine = value_of(job.rank);
    uint64_t *all = cb_allocate(list->count, sizeof(*all), "the values of a team");

    ck_assert_ptr_nonnull(all);
    if (at_all)
        REQUIRE_OK(control_exchange(team, &mine, sizeof(mine), all));
    else
        REQUIRE_OK(control_gather(team, &mine, sizeof(mine), all));
    for (size_t i = 0; (at_all || list->index == 0) && i < list->count; i++)
        ck_assert_uint_eq(all[i], value_of(list->ranks[i]));
    free(all);
}

static void check_broadcast(control_team *team, const member_list *list)
{
    uint64_t value = value_of(job.rank);

    REQUIRE_OK(control_broadcast(team, &value, sizeof(value)));
    ck_assert_uint_eq(value, value_of(list->ranks[0]));
}

static void check_sum(control_team *team, const member_list *list)
{
    uint64_t values[2] = {value_of(job.rank), UINT64_C(1) << 60}, sum = 0;

    for (size_t i = 0; i < list->count; i++)
        sum += value_of(list->ranks[i]);
    REQUIRE_OK(control_sum(team, values, 2));
    if (list->index > 0)
        return;
    ck_assert_uint_eq(values[0], sum);
    ck_assert_uint_eq(values[1], (UINT64_C(1) << 60) * list->count);
}

static void check_maximum(control_team *team, const member_list *list)
{
    double values[2] = {(double)job.rank, -(double)job.rank};
    int highest = list->ranks[0], lowest = list->ranks[0];

    for (size_t i = 1; i < list->count; i++) {
        highest = list->ranks[i] > highest ? list->ranks[i] : highest;
        lowest = list->ranks[i] < lowest ? list->ranks[i] : lowest;
    }
    REQUIRE_OK(control_maximum(team, values, 2));
    ck_assert_double_eq(values[0], (double)highest);
    ck_assert_double_eq(values[1], -(double)lowest);
}

/* Called by members only; frees the list. */
static void check_team(member_list list)
{
    control_team *team = NULL;

    find_itself(&list);
    if (list.index < list.count) {
        REQUIRE_OK(control_team_create(job.plane, list.ranks, list.count, &team));
        ck_assert_uint_eq(control_team_size(team), list.count);
        ck_assert_uint_eq(control_team_index(team), list.index);
        check_exchange(team, &list, true);
        check_exchange(team, &list, false);
        check_broadcast(team, &list);
        check_sum(team, &list);
        check_maximum(team, &list);
        REQUIRE_OK(control_barrier(team));
        control_team_free(team);
    }
    free(list.ranks);
}

JOB_TEST(all_ranks_form_a_team_in_order_of_rank)
{
    ck_assert_uint_eq(control_team_size(job.everyone), (size_t)job.size);
    ck_assert_uint_eq(control_team_index(job.everyone), (size_t)job.rank);
}

JOB_TEST(a_team_keeps_the_order_of_its_list)
{
    member_list list = empty_list();

    for (int rank = job.size - 1; rank >= 0; rank--)
        append(&list, rank);
    check_team(list);
}

JOB_TEST(a_team_may_exclude_rank_0)
{
    member_list list = empty_list();

    for (int rank = 1; rank < job.size; rank++)
        append(&list, rank);
    check_team(list);
}

JOB_TEST(a_team_may_have_every_second_rank)
{
    member_list list = empty_list();

    for (int rank = 0; rank < job.size; rank += 2)
        append(&list, rank);
    check_team(list);
}

JOB_TEST(a_team_may_have_one_rank)
{
    member_list list = empty_list();

    append(&list, job.size - 1);
    check_team(list);
}

JOB_TEST(teams_of_different_ranks_work_at_the_same_time)
{
    member_list list = empty_list();

    for (int rank = job.rank % 2; rank < job.size; rank += 2)
        append(&list, rank);
    check_team(list);
}

/* Agreement */

JOB_TEST(ranks_agree_on_ok_if_all_are_ok)
{
    ck_assert_int_eq(control_agree(job.everyone, CB_OK), CB_OK);
}

JOB_TEST(ranks_agree_on_the_status_of_a_failed_rank)
{
    for (int rank = 0; rank < job.size; rank++)
        ck_assert_int_eq(control_agree(job.everyone, rank == job.rank ? CB_ERROR_MEMORY : CB_OK),
                         CB_ERROR_MEMORY);
}

JOB_TEST(ranks_agree_on_the_worst_status)
{
    cb_status mine = job.rank == 0 ? CB_ERROR_UNSUPPORTED : CB_OK;

    if (job.rank == job.size - 1)
        mine = CB_ERROR_INTERRUPTED;
    ck_assert_int_eq(control_agree(job.everyone, mine), CB_ERROR_INTERRUPTED);
}

/* Waiting */

static uint64_t processor_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A rank that polls would use a full core; one that sleeps needs a few milliseconds. */
JOB_TEST(waiting_ranks_leave_the_cores_to_others)
{
    const uint64_t pause_ns = 500000000;
    uint64_t used_ns;

    job_barrier();
    if (job.rank == 0)
        cb_sleep_ns(pause_ns);
    used_ns = processor_time_ns();
    job_barrier();
    used_ns = processor_time_ns() - used_ns;
    ck_assert_uint_lt(used_ns, pause_ns / 5);
}

JOB_TEST(no_rank_leaves_a_barrier_before_all_have_arrived)
{
    enum { ROUNDS = 20 };
    uint64_t came_ns, *all = cb_allocate((size_t)job.size, sizeof(*all), "instants");

    ck_assert_ptr_nonnull(all);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t left_ns;

        if (job.rank == round % job.size)
            cb_sleep_ns(1000000);
        came_ns = cb_now_ns();
        job_barrier();
        left_ns = cb_now_ns();
        REQUIRE_OK(control_exchange(job.everyone, &came_ns, sizeof(came_ns), all));
        for (int rank = 0; rank < job.size; rank++)
            ck_assert_uint_ge(left_ns, all[rank]);
    }
    free(all);
}

/* Clocks: all ranks are on this host, so their clocks are equal. */

JOB_TEST(clocks_of_one_host_differ_by_at_most_the_bound)
{
    control_clock clock = {0};

    for (int i = 0; i < 3; i++) {
        REQUIRE_OK(control_synchronise(job.plane, &clock));
        ck_assert_double_le(fabs(clock.offset_ns), clock.bound_ns + 0.5); /* halves are rounded */
        ck_assert_msg(isfinite(clock.bound_ns), "comparison %d has the bound %g", i,
                      clock.bound_ns);
        ck_assert_uint_le(clock.at_ns, cb_now_ns());
    }
}

JOB_TEST(the_clock_of_rank_0_is_the_reference)
{
    control_clock clock = {.offset_ns = 5, .drift = 1};

    REQUIRE_OK(control_synchronise(job.plane, &clock));
    if (job.rank == 0)
        ck_assert_uint_eq(control_clock_reference(&clock, 123456789), 123456789);
}

static void note_thread_level(const char *name, const char *value, void *context)
{
    bool *locks = context;

    if (strcmp(name, "thread_level") == 0)
        *locks = strcmp(value, "single") != 0;
}

/* job_open requests thread support. */
JOB_TEST(a_control_plane_for_threads_uses_a_thread_safe_library)
{
    bool locks = false;

    control_settings(job.plane, note_thread_level, &locks);
    ck_assert(locks);
}

static void note_number(const char *name, const char *value, void *context)
{
    bool *is_number = context;

    if (strstr(name, "single_copy_mechanism") != NULL)
        *is_number = strspn(value, "-0123456789") == strlen(value);
}

/* No setting is reported for an MPI library that does not have it. */
JOB_TEST(a_chosen_mechanism_is_reported_by_name)
{
    bool is_number = false;

    control_settings(job.plane, note_number, &is_number);
    ck_assert(!is_number);
}

JOB_TEST(the_library_is_named_with_its_version)
{
    ck_assert_ptr_nonnull(strpbrk(control_library(job.plane), "0123456789"));
    ck_assert_ptr_null(strpbrk(control_library(job.plane), "\n"));
}

static TCase *control_plane(void)
{
    TCase *theme = tcase_create("control");

    tcase_add_test(theme, all_ranks_form_a_team_in_order_of_rank);
    tcase_add_test(theme, a_team_keeps_the_order_of_its_list);
    tcase_add_test(theme, a_team_may_exclude_rank_0);
    tcase_add_test(theme, a_team_may_have_every_second_rank);
    tcase_add_test(theme, a_team_may_have_one_rank);
    tcase_add_test(theme, teams_of_different_ranks_work_at_the_same_time);
    tcase_add_test(theme, ranks_agree_on_ok_if_all_are_ok);
    tcase_add_test(theme, ranks_agree_on_the_status_of_a_failed_rank);
    tcase_add_test(theme, ranks_agree_on_the_worst_status);
    tcase_add_test(theme, waiting_ranks_leave_the_cores_to_others);
    tcase_add_test(theme, no_rank_leaves_a_barrier_before_all_have_arrived);
    tcase_add_test(theme, clocks_of_one_host_differ_by_at_most_the_bound);
    tcase_add_test(theme, the_clock_of_rank_0_is_the_reference);
    tcase_add_test(theme, the_library_is_named_with_its_version);
    tcase_add_test(theme, a_chosen_mechanism_is_reported_by_name);
    tcase_add_test(theme, a_control_plane_for_threads_uses_a_thread_safe_library);
    return theme;
}

int main(void)
{
    static TCase *(*const themes[])(void) = {control_plane};

    job_open("test_control");
    return job_close(job_run("control", themes, 1));
}
