/* The background task: it does the work that it counts, starts, pauses and ends on request, and
 * never has the priority of its creator. */
#include "host/work.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/common/unit.h"

static const uint64_t for_ever_ns = UINT64_C(3600000000000);

static host_task *new_task(void)
{
    host_task *task;

    ck_assert_int_eq(host_task_create(&task), CB_OK);
    return task;
}

/* The thread id of the only thread of this process besides the main one, or 0. A runtime library
 * of the compiler may have started threads before the test; they are older. */
static pid_t youngest_thread(void)
{
    DIR *threads = opendir("/proc/self/task");
    pid_t youngest = 0;

    ck_assert_ptr_nonnull(threads);
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        if (thread != getpid() && thread > youngest)
            youngest = thread;
    }
    closedir(threads);
    return youngest;
}

static bool is_asleep(pid_t thread)
{
    char path[64], line[512] = "";
    const char *state;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    fclose(file);
    state = strrchr(line, ')');
    ck_assert_ptr_nonnull(state);
    return state[2] == 'S';
}

static void await_units(const host_task *task, uint64_t units)
{
    UNIT_AWAIT(host_task_units(task) >= units,
               "the task did %" PRIu64 " of %" PRIu64 " units within %d s", host_task_units(task),
               units, UNIT_TIMEOUT_S);
}

static void await_sleep(pid_t thread)
{
    UNIT_AWAIT(is_asleep(thread), "the task's thread did not fall asleep within %d s",
               UNIT_TIMEOUT_S);
}

/* /proc lists a thread for a moment after its end. */
static void await_youngest(pid_t thread)
{
    UNIT_AWAIT(youngest_thread() == thread, "the task's thread %d is still there after %d s",
               (int)youngest_thread(), UNIT_TIMEOUT_S);
}

/* Counting */

START_TEST(a_task_counts_the_units_that_it_has_done)
{
    host_task *task = new_task();
    host_task_total total;

    host_task_run(task, for_ever_ns);
    await_units(task, 1000);
    host_task_destroy(task, &total);
    ck_assert_uint_ge(total.units, 1000);
    ck_assert_uint_eq(total.state, host_work(total.units));
}
END_TEST

START_TEST(the_count_of_a_task_continues_after_a_pause)
{
    host_task *task = new_task();
    host_task_total total;
    uint64_t first;

    host_task_run(task, for_ever_ns);
    await_units(task, 100);
    ck_assert(host_task_pause(task));
    await_sleep(youngest_thread());
    first = host_task_units(task);
    host_task_run(task, for_ever_ns);
    await_units(task, first + 100);
    host_task_destroy(task, &total);
    ck_assert_uint_eq(total.state, host_work(total.units));
}
END_TEST

/* Bind this thread, and the tasks that it creates, to one core. */
static void bind_to_one_core(cpu_set_t *one)
{
    cpu_set_t all;
    int unit = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(unit, &all))
        unit++;
    CPU_ZERO(one);
    CPU_SET(unit, one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(*one), one), 0);
}

/* The creator works on the task's core, so that the task gets it only now and then. */
START_TEST(a_task_records_when_its_turns_begin_and_what_was_done_by_then)
{
    host_task_turns turns;
    host_task *task;
    uint64_t started_ns;
    cpu_set_t one;

    bind_to_one_core(&one);
    task = new_task();
    ck_assert_uint_eq(host_task_recorded_turns(task).count, 0);
    started_ns = cb_now_ns();
    host_task_run(task, for_ever_ns);
    UNIT_AWAIT((host_work(50000), host_task_recorded_turns(task).count >= 3),
               "the task had %zu turns of 3 within %d s", host_task_recorded_turns(task).count,
               UNIT_TIMEOUT_S);
    turns = host_task_recorded_turns(task);
    ck_assert_uint_ge(turns.first_ns, started_ns);
    ck_assert_double_gt((double)(turns.last_ns - turns.first_ns), host_scheduler_tick_ns());
    ck_assert_uint_gt(turns.last_units, turns.first_units);
    ck_assert_uint_le(turns.last_units, host_task_units(task));
    host_task_destroy(task, NULL);
}
END_TEST

START_TEST(a_task_forgets_its_turns_when_it_is_started_again)
{
    host_task *task = new_task();
    uint64_t again_ns;

    host_task_run(task, for_ever_ns);
    await_units(task, 100);
    ck_assert_uint_ge(host_task_recorded_turns(task).count, 1);
    ck_assert(host_task_pause(task));
    await_sleep(youngest_thread());
    again_ns = cb_now_ns();
    host_task_run(task, for_ever_ns);
    await_units(task, host_task_units(task) + 100);
    ck_assert_uint_ge(host_task_recorded_turns(task).first_ns, again_ns);
    host_task_destroy(task, NULL);
}
END_TEST

/* The processor time of a thread, by its id. */
static double processor_ns(pid_t thread)
{
    const clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6u);
    struct timespec used;

    ck_assert_int_eq(clock_gettime(clock, &used), 0);
    return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

/* Its work is compared with its processor time, not with the time that passed, since other
 * processes may use the core. A processor's speed varies by less than a factor of three. */
START_TEST(an_undisturbed_task_computes_at_the_calibrated_rate)
{
    host_task *task = new_task();
    pid_t thread = youngest_thread();
    host_work_rate rate;
    double expected_ns;

    ck_assert_int_eq(host_work_calibrate(&rate), CB_OK);
    host_task_run(task, for_ever_ns);
    await_units(task, 10000);
    ck_assert(host_task_pause(task));
    await_sleep(thread);
    expected_ns = (double)host_task_units(task) * rate.unit_ns;
    ck_assert_double_lt(processor_ns(thread), 3 * expected_ns);
    ck_assert_double_gt(processor_ns(thread), expected_ns / 3);
    host_task_destroy(task, NULL);
}
END_TEST

/* Starting, pausing, ending */

START_TEST(a_task_does_nothing_before_it_is_started)
{
    host_task *task = new_task();
    host_task_total total;

    await_sleep(youngest_thread());
    host_task_destroy(task, &total);
    ck_assert_uint_eq(total.units, 0);
    ck_assert_uint_eq(total.state, host_work(0));
}
END_TEST

START_TEST(a_paused_task_sleeps)
{
    host_task *task = new_task();
    pid_t thread = youngest_thread();
    uint64_t units;

    host_task_run(task, for_ever_ns);
    await_units(task, 1);
    ck_assert(host_task_pause(task));
    await_sleep(thread);
    units = host_task_units(task);
    (void)host_work(20000);
    ck_assert(is_asleep(thread));
    ck_assert_uint_eq(host_task_units(task), units);
    host_task_destroy(task, NULL);
}
END_TEST

START_TEST(a_task_sleeps_at_its_limit)
{
    host_task *task = new_task();
    pid_t thread = youngest_thread();

    host_task_run(task, 1);
    await_sleep(thread);
    ck_assert(!host_task_pause(task));
    host_task_run(task, 1000000);
    await_sleep(thread);
    ck_assert(!host_task_pause(task));
    host_task_destroy(task, NULL);
}
END_TEST

START_TEST(a_task_survives_many_starts_and_pauses)
{
    host_task *task = new_task();
    host_task_total total;

    for (int i = 0; i < 10000; i++) {
        host_task_run(task, for_ever_ns);
        ck_assert_msg(host_task_pause(task), "start %d ended by itself", i);
    }
    host_task_run(task, for_ever_ns);
    await_units(task, host_task_units(task) + 100);
    host_task_destroy(task, &total);
    ck_assert_uint_eq(total.state, host_work(total.units));
}
END_TEST

START_TEST(destroying_a_task_ends_its_thread)
{
    pid_t before = youngest_thread();
    host_task *task = new_task();

    ck_assert_int_ne(youngest_thread(), before);
    host_task_run(task, for_ever_ns);
    host_task_destroy(task, NULL);
    await_youngest(before);
}
END_TEST

START_TEST(destroying_no_task_leaves_the_total_as_it_was)
{
    host_task_total total = {.units = 7, .state = 9};

    host_task_destroy(NULL, &total);
    ck_assert_uint_eq(total.units, 7);
    ck_assert_uint_eq(total.state, 9);
}
END_TEST

/* Binding and priority */

START_TEST(a_task_inherits_the_binding_of_its_creator)
{
    cpu_set_t one, found;
    host_task *task;

    bind_to_one_core(&one);
    task = new_task();
    ck_assert_int_eq(sched_getaffinity(youngest_thread(), sizeof(found), &found), 0);
    ck_assert(CPU_EQUAL(&found, &one));
    host_task_destroy(task, NULL);
}
END_TEST

START_TEST(a_task_has_the_lowest_priority)
{
    int makers = sched_getscheduler(0);
    host_task *task = new_task();

    ck_assert_str_eq(host_task_priority(task), "SCHED_IDLE");
    ck_assert_int_eq(sched_getscheduler(youngest_thread()), SCHED_IDLE);
    ck_assert_int_eq(sched_getscheduler(0), makers);
    host_task_destroy(task, NULL);
}
END_TEST

/* After this call the kernel refuses a system call to this process, as a sandbox would. */
static void forbid(unsigned call)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

START_TEST(a_task_uses_nice_where_idle_scheduling_is_refused)
{
    host_task *task;

    forbid(SYS_sched_setscheduler);
    task = new_task();
    ck_assert_str_eq(host_task_priority(task), "nice 19");
    ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)youngest_thread()), 19);
    ck_assert_int_ne(getpriority(PRIO_PROCESS, (id_t)getpid()), 19);
    host_task_run(task, for_ever_ns);
    await_units(task, 100);
    host_task_destroy(task, NULL);
}
END_TEST

START_TEST(no_task_is_created_where_low_priority_is_refused)
{
    pid_t before = youngest_thread();
    host_task *task;

    forbid(SYS_sched_setscheduler);
    forbid(SYS_setpriority);
    ck_assert_int_eq(host_task_create(&task), CB_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(task);
    await_youngest(before);
}
END_TEST

/* From 10 to 10,000 ticks per second: a wrong unit would be outside. */
START_TEST(a_tick_of_the_scheduler_lasts_some_milliseconds)
{
    ck_assert_double_ge(host_scheduler_tick_ns(), 1e5);
    ck_assert_double_le(host_scheduler_tick_ns(), 1e8);
}
END_TEST

UNIT_MAIN("task", a_task_counts_the_units_that_it_has_done,
          the_count_of_a_task_continues_after_a_pause,
          a_task_records_when_its_turns_begin_and_what_was_done_by_then,
          a_task_forgets_its_turns_when_it_is_started_again,
          an_undisturbed_task_computes_at_the_calibrated_rate,
          a_task_does_nothing_before_it_is_started, a_paused_task_sleeps,
          a_task_sleeps_at_its_limit, a_task_survives_many_starts_and_pauses,
          destroying_a_task_ends_its_thread, destroying_no_task_leaves_the_total_as_it_was,
          a_task_inherits_the_binding_of_its_creator, a_task_has_the_lowest_priority,
          a_task_uses_nice_where_idle_scheduling_is_refused,
          no_task_is_created_where_low_priority_is_refused,
          a_tick_of_the_scheduler_lasts_some_milliseconds)
