/* A clock with a defect for a program that is a test: the linker leads the program's own readings
 * here (--wrap), and those of the MPI library to the true clock, which could not start without.
 *
 * CB_CLOCK       how the clock is wrong, by a name of the table below; right without it
 * CB_CLOCK_RANK  of the rank that has it; all ranks without it */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/control.h"

int __real_clock_gettime(clockid_t id, struct timespec *now);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

static uint64_t stand(uint64_t now_ns)
{
    (void)now_ns;
    return 1;
}

static uint64_t tick_slowly(uint64_t now_ns)
{
    return now_ns - now_ns % 10000000;
}

/* One reading in a hundred is a millisecond too late. */
static uint64_t go_back(uint64_t now_ns)
{
    static unsigned readings;

    return ++readings % 100 == 0 ? now_ns - 1000000 : now_ns;
}

static uint64_t hurry(uint64_t now_ns)
{
    return now_ns + now_ns / 100;
}

/* A clock of processor time, which stops while the process sleeps. */
static uint64_t count_processor_time(uint64_t now_ns)
{
    struct timespec used;

    (void)now_ns;
    __real_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static const struct {
    const char *name;
    uint64_t (*show)(uint64_t now_ns);
} defects[] = {
    {"still", stand},
    {"coarse", tick_slowly},
    {"back", go_back},
    {"fast", hurry},
    {"processor", count_processor_time},
};

static uint64_t (*defect_here(void))(uint64_t now_ns)
{
    const char *name = getenv("CB_CLOCK"), *rank = getenv("CB_CLOCK_RANK");

    if (name == NULL || (rank != NULL && atoi(rank) != control_launch_rank()))
        return NULL;
    for (size_t i = 0; i < sizeof(defects) / sizeof(defects[0]); i++)
        if (strcmp(defects[i].name, name) == 0)
            return defects[i].show;
    abort();
}

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    static uint64_t (*defect)(uint64_t now_ns);
    static bool asked;
    int result = __real_clock_gettime(id, now);

    if (!asked)
        defect = defect_here();
    asked = true;
    if (result == 0 && defect != NULL && id == CLOCK_MONOTONIC) {
        uint64_t shown_ns = defect((uint64_t)now->tv_sec * 1000000000u + (uint64_t)now->tv_nsec);

        now->tv_sec = (time_t)(shown_ns / 1000000000u);
        now->tv_nsec = (long)(shown_ns % 1000000000u);
    }
    return result;
}
