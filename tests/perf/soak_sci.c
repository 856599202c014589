/* Traffic of the technology sci for a long time, over the plain and the lossy software library at
 * once: two processes each, which open, exchange messages, check every byte, close, and begin
 * again. Their memory, descriptors and shared objects are printed as time goes by; what grows
 * without end, or stays, makes the status 1. `soak_sci MINUTES`; run as SCHED_IDLE, with rests, so
 * that others on the machine are not kept from work. */
#include "tests/transport/sci/pair.h"

#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "sisci/registry.h"

enum { MODES = 2, RANKS = 2, LARGEST = 3000, BURST = 10, BURSTS = 400, SAMPLES = 60 };
enum { TIMEOUT_S = 1800 };

/* After the warm-up, in the middle of a life or between two. */
enum { GROWTH_LIMIT_KB = 512, WARM_UP_SAMPLES = 6 };

static const char *const mode_names[MODES] = {"plain", "lossy"};
static const char *const mode_faults[MODES] = {
    NULL, "seed=1,drop=0.01,tear=0.01,pending=0.2,cut=0.05,reorder=1"};

/* Shared with the ends; bodies of pair.h are given nothing else. */
typedef struct {
    uint64_t until_ns;
    _Atomic uint64_t lives[MODES], messages[MODES];
} progress;

static progress *shared;

static void rest(long ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* Small ones go in lines, large ones in pieces. */
static size_t size_of(uint64_t number)
{
    return number % 16 == 15 ? (size_t)(number * 37 % LARGEST) : (size_t)(number * 37 % 120);
}

/* Both send, then both receive, asleep when there is nothing yet. */
static void exchange_bursts(pair_end *end, int mode)
{
    alarm(TIMEOUT_S); /* a process without a core for minutes is not stuck */
    for (uint64_t burst = 0; burst < BURSTS; burst++) {
        for (uint64_t i = burst * BURST; i < (burst + 1) * BURST; i++)
            pair_send(end, i, size_of(i));
        for (uint64_t i = burst * BURST; i < (burst + 1) * BURST; i++)
            pair_receive(end, i, size_of(i));
        atomic_fetch_add(&shared->messages[mode], BURST);
        rest(1000000);
    }
}

static void exchange_plainly(pair_end *end)
{
    exchange_bursts(end, 0);
}

static void exchange_lossily(pair_end *end)
{
    exchange_bursts(end, 1);
}

/* Rank 0 decides, so that both do the same. */
static bool time_is_left(pair_end *end)
{
    char more = 0;

    if (end->rank == 0) {
        more = cb_now_ns() < shared->until_ns;
        PAIR_REQUIRE(write(end->line, &more, 1) == 1, PAIR_LOST);
    } else
        PAIR_REQUIRE(read(end->line, &more, 1) == 1, PAIR_LOST);
    return more != 0;
}

static bool plain_again(pair_end *end)
{
    atomic_fetch_add(&shared->lives[0], end->rank == 0);
    return time_is_left(end);
}

static bool lossy_again(pair_end *end)
{
    atomic_fetch_add(&shared->lives[1], end->rank == 0);
    return time_is_left(end);
}

static pair_plan plan_of(int mode)
{
    return (pair_plan){.form = {.outstanding = 8, .bytes = 1024, .spare = 2, .lines = true},
                       .message_bytes = LARGEST,
                       .wait = TRANSPORT_WAIT_BLOCK,
                       .faults = mode_faults[mode],
                       .bodies = {mode == 0 ? exchange_plainly : exchange_lossily,
                                  mode == 0 ? exchange_plainly : exchange_lossily},
                       .again = mode == 0 ? plain_again : lossy_again};
}

/* Resources held by the processes */

typedef struct {
    long resident_kB[MODES]; /* of both ends */
    long descriptors[MODES];
    size_t objects; /* of all ends */
} sample;

static long resident_kB_of(int pid)
{
    char path[64];
    long pages = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/statm", pid);
    file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long descriptors_of(int pid)
{
    char path[64];
    long count = 0;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    folder = opendir(path);
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder))
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

static bool belongs_to(const sisci_name *name, const pair_job *jobs)
{
    sisci_object object;
    bool ours = false;

    if (sisci_object_open(name, &object) != SISCI_OBJECT_OK)
        return false;
    for (int i = 0; i < MODES * RANKS; i++)
        ours = ours || object.head->owner.pid == jobs[i / RANKS].children[i % RANKS];
    sisci_object_close(&object);
    return ours;
}

static size_t objects_of(const pair_job *jobs)
{
    sisci_name user = sisci_name_user();
    sisci_names all;
    size_t count = 0;

    if (!sisci_names_list(&user, &all))
        return 0;
    for (size_t i = 0; i < all.count; i++)
        count += belongs_to(&all.names[i], jobs);
    sisci_names_free(&all);
    return count;
}

static sample take_sample(const pair_job *jobs)
{
    sample taken = {.objects = objects_of(jobs)};

    for (int mode = 0; mode < MODES; mode++)
        for (int rank = 0; rank < RANKS; rank++) {
            taken.resident_kB[mode] += resident_kB_of(jobs[mode].children[rank]);
            taken.descriptors[mode] += descriptors_of(jobs[mode].children[rank]);
        }
    return taken;
}

static void print_sample(double minutes, const sample *taken)
{
    printf("%8.1f", minutes);
    for (int mode = 0; mode < MODES; mode++)
        printf(" %8llu %10llu %11ld %11ld", (unsigned long long)atomic_load(&shared->lives[mode]),
               (unsigned long long)atomic_load(&shared->messages[mode]), taken->resident_kB[mode],
               taken->descriptors[mode]);
    printf(" %8zu\n", taken->objects);
    fflush(stdout);
}

static void print_head(void)
{
    printf("%8s", "min");
    for (int mode = 0; mode < MODES; mode++)
        printf(" %8s %10s %11s %11s", mode_names[mode], "messages", "resident_kB", "descriptors");
    printf(" %8s\n", "objects");
}

/* Whether a process has exited; it is waited for later. */
static bool has_left(const pair_job *jobs)
{
    siginfo_t end = {0};

    for (int i = 0; i < MODES * RANKS; i++)
        if (waitid(P_PID, (id_t)jobs[i / RANKS].children[i % RANKS], &end,
                   WEXITED | WNOHANG | WNOWAIT) != 0 ||
            end.si_pid != 0)
            return true;
    return false;
}

/* Samples until the time is over or an end has left; gives how many there are. */
static int watch(const pair_job *jobs, uint64_t begin_ns, sample *samples)
{
    const uint64_t step_ns = (shared->until_ns - begin_ns) / (SAMPLES + 1);
    int count = 0;

    print_head();
    while (count < SAMPLES) {
        uint64_t due_ns = begin_ns + (uint64_t)(count + 1) * step_ns;
        uint64_t now_ns = cb_now_ns();

        if (now_ns < due_ns)
            rest((long)(due_ns - now_ns));
        if (has_left(jobs))
            break;
        samples[count] = take_sample(jobs);
        print_sample((double)(cb_now_ns() - begin_ns) / 60e9, &samples[count]);
        count++;
    }
    return count;
}

/* Compare the maximum of the first samples after the warm-up with that of the last ones. */
static long growth_kB(const sample *samples, int count, int mode)
{
    long early = 0, late = 0;

    for (int i = WARM_UP_SAMPLES; i < count; i++) {
        long *most = i < (count + WARM_UP_SAMPLES) / 2 ? &early : &late;

        if (samples[i].resident_kB[mode] > *most)
            *most = samples[i].resident_kB[mode];
    }
    return late - early;
}

/* All processes must exit with success, leave no objects, and not grow in memory. */
static int judge(const pair_job *jobs, const sample *samples, int count)
{
    int failures = count < SAMPLES;

    for (int mode = 0; mode < MODES; mode++) {
        long growth = growth_kB(samples, count, mode);
        int outcomes[RANKS];

        pair_wait(jobs[mode], outcomes);
        printf("%s: growth %ld kB, outcomes %d and %d\n", mode_names[mode], growth, outcomes[0],
               outcomes[1]);
        failures += outcomes[0] != 0 || outcomes[1] != 0 || growth > GROWTH_LIMIT_KB;
    }
    printf("objects left: %zu\n", objects_of(jobs));
    failures += objects_of(jobs) != 0;
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    double minutes = count == 2 ? strtod(arguments[1], NULL) : 0;
    uint64_t begin_ns = cb_now_ns();
    sample samples[SAMPLES];
    pair_job jobs[MODES];
    int taken;

    if (!(minutes > 0)) {
        fprintf(stderr, "usage: soak_sci MINUTES\n");
        return 2;
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    shared->until_ns = begin_ns + (uint64_t)(minutes * 60e9);
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    for (int mode = 0; mode < MODES; mode++) {
        pair_plan plan = plan_of(mode);

        jobs[mode] = pair_start(&plan);
    }
    taken = watch(jobs, begin_ns, samples);
    return judge(jobs, samples, taken);
}
