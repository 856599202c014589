/* From MPI_Init until the trace is written in MPI_Finalize, or the program ends without it. */
#include "tracer/tracer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"

/* Seconds within which all ranks of the job come out of MPI_Init, unless some are not traced. */
static const uint64_t default_join_s = 30;

static const uint64_t default_limit = 16777216;

/* False if it is unknown or the program's threads do not allow it; logged. */
static bool choose_clock(void)
{
    const char *text = getenv("COMBENCH_TRACE_CLOCK");

    tracer.by_processor = text != NULL && strcmp(text, "cpu") == 0;
    if (text != NULL && !tracer.by_processor && strcmp(text, "real") != 0) {
        cb_error("cannot trace with COMBENCH_TRACE_CLOCK='%s': it is real or cpu", text);
        return false;
    }
    if (tracer.by_processor && tracer.shared) {
        cb_error("cannot trace with COMBENCH_TRACE_CLOCK=cpu: the program uses "
                 "MPI_THREAD_MULTIPLE, and a rank's computing is timed in one thread; give each "
                 "rank its cores and leave the variable unset");
        return false;
    }
    return true;
}

/* A count in the environment; false if it is none, logged. */
static bool choose_count(const char *variable, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *text = getenv(variable);
    char why[CB_WHY_BYTES];

    if (text == NULL || cb_parse_count(text, least, most, value, why))
        return true;
    cb_error("cannot trace with %s='%s': %s", variable, text, why);
    return false;
}

/* Whether all ranks of the job are traced. Those that are not do not take part in what the tracer
 * sends, so that any other call would wait for them forever. */
static bool is_whole(uint64_t join_s)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const uint64_t begun_ns = cb_machine_ns();
    MPI_Request request;
    int joined = 0;

    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (PMPI_Test(&request, &joined, MPI_STATUS_IGNORE) == MPI_SUCCESS && !joined &&
           cb_machine_ns() - begun_ns < join_s * UINT64_C(1000000000)) {
        if (cb_machine_ns() - begun_ns > 100000000)
            nanosleep(&pause, NULL);
    }
    return joined != 0;
}

static void open_tracer(bool shared)
{
    uint64_t limit = default_limit, join_s = default_join_s, paused = 0;
    int mine, all;

    tracer.shared = shared;
    PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tracer.size);
    cb_log_identify("combench-trace", tracer.rank);
    mine = choose_count("COMBENCH_TRACE_JOIN_S", 1, 1000000, &join_s);
    if (!is_whole(join_s)) {
        cb_error("cannot trace: not all ranks of MPI_COMM_WORLD have loaded the tracer after "
                 "%llu s; start every program of the job by scripts/trace, or all without it",
                 (unsigned long long)join_s);
        tracer_abort(false);
    }
    PMPI_Comm_dup(MPI_COMM_WORLD, &tracer.own);
    mine = mine && choose_clock() &&
           choose_count("COMBENCH_TRACE_RECORDS", 1, UINT64_MAX, &limit) &&
           choose_count("COMBENCH_TRACE_PAUSED", 0, 1, &paused) &&
           tracer_records_open(&tracer.records, limit) == CB_OK;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, tracer.own);
    if (!all || !tracer_output_open())
        tracer_abort(true);
    tracer_start(paused != 0);
}

static void close_tracer(void)
{
    tracer_stop();
    tracer_output_close();
    PMPI_Comm_free(&tracer.own);
}

/* Whether it is true on any rank. */
static bool anywhere(bool here)
{
    int mine = here, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, tracer.own);
    return all != 0;
}

/* What the user of the trace has to know. Collective. */
static void warn_of_contents(void)
{
    unsigned long long mine[] = {tracer.together, tracer.calls}, all[2] = {0};

    PMPI_Reduce(mine, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    if (anywhere(tracer.cut) && tracer.rank == 0)
        cb_warning("the trace is cut: a rank had more records than COMBENCH_TRACE_RECORDS allows, "
                   "and the following messages are missing; raise it");
    if (tracer.rank > 0)
        return;
    if (all[0] > 0)
        cb_warning("%llu calls of MPI began while another thread of their rank was in one: the "
                   "trace lists them in the order of their ends, without the computing between "
                   "them",
                   all[0]);
    if (all[1] == 0 && tracer.size > 1 && tracer.ever_paused)
        cb_warning("the trace has no message: recording was off; the program continues it by "
                   "MPI_Pcontrol(1)");
    else if (all[1] == 0 && tracer.size > 1)
        cb_warning("the trace has no message: no communication passed the tracer; a program that "
                   "finds the functions of MPI by dlsym, or in a static library, is not recorded");
}

static void finish(void)
{
    if (!tracer.started)
        return;
    tracer_begin();
    tracer_pause_records(false);
    tracer_flush_computing();
    if (!anywhere(!tracer.on))
        tracer_arrange();
    if (anywhere(!tracer.on)) {
        if (tracer.rank == 0)
            cb_error("no trace is written: not all ranks could record theirs, see above");
    } else {
        tracer_output_write(anywhere(tracer.cut));
        warn_of_contents();
    }
    close_tracer();
}

int MPI_Init(int *argc, char ***argv)
{
    int result = REAL(Init)(argc, argv);

    tracer.seen = true;
    if (result == MPI_SUCCESS)
        open_tracer(false);
    return result;
}
EXPORT(Init)

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = REAL(Init_thread)(argc, argv, required, provided);

    tracer.seen = true;
    if (result == MPI_SUCCESS)
        open_tracer(*provided == MPI_THREAD_MULTIPLE);
    return result;
}
EXPORT(Init_thread)

int MPI_Finalize(void)
{
    finish();
    return REAL(Finalize)();
}
EXPORT(Finalize)

int MPI_Abort(MPI_Comm communicator, int code)
{
    tracer_leave_records("has called MPI_Abort");
    cb_streams_drain();
    return REAL(Abort)(communicator, code);
}
EXPORT(Abort)

/* Level 0 stops recording, others continue it. */
int MPI_Pcontrol(const int level, ...)
{
    if (tracer_resume(tracer_begin())) {
        tracer_pause_records(level == 0);
        tracer_end();
    }
    return MPI_SUCCESS;
}
EXPORT(Pcontrol)

/* The first rank, as the launchers of Open MPI, MPICH and Slurm say; true if none does. */
static bool is_first(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                            "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *text = getenv(variables[i]);

        if (text != NULL)
            return strcmp(text, "0") == 0;
    }
    return true;
}

/* At the end of the process. */
__attribute__((destructor)) static void note_end(void)
{
    int used = 0;

    if (tracer.seen) {
        tracer_leave_records("has ended");
        return;
    }
    PMPI_Initialized(&used);
    if (!used || !is_first())
        return;
    cb_log_identify("combench-trace", -1);
    cb_error("no trace is written: the program used MPI, but its calls did not pass the tracer; it "
             "may have found the functions of MPI by dlsym, which cannot be recorded");
}
