/* The file of the trace. It is opened under another name when the program starts, so that an error
 * appears then, and all ranks that reach it keep it open. In MPI_Finalize rank 0 requests the lines
 * of one rank after the other, writes the trace and gives it its name. If the program ends before,
 * each rank adds its lines to the file, which says in its second line that it is cut. */
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/output.h"

enum { CHUNK_BYTES = 65536, PATH_BYTES = 4096, TAG = 1 /* of the lines sent to rank 0 */ };

static struct {
    char path[PATH_BYTES], temporary[PATH_BYTES + 32];
    int file;          /* of the temporary name; -1: this rank does not reach it */
    pid_t process;     /* not those that it starts */
    atomic_flag ended; /* nothing more is added to it */
    char chunk[CHUNK_BYTES];
} output = {.file = -1, .ended = ATOMIC_FLAG_INIT};

/* The records in their order */

/* The next record in the trace, and the next of those that were moved. */
typedef struct {
    uint64_t place;
    size_t move;
} trace_cursor;

/* False at the end. */
static bool next_record(trace_cursor *cursor, tracer_record *record)
{
    const tracer_moves *moves = &tracer.moves;

    if (cursor->move < moves->count && moves->list[cursor->move].after < cursor->place) {
        *record = moves->list[cursor->move++].record;
        return true;
    }
    if (cursor->place >= tracer.records.count)
        return false;
    if (tracer_records_get(&tracer.records, cursor->place++, record) != CB_OK) {
        tracer.on = false;
        record->kind = TRACER_NOTHING;
    }
    return true;
}

/* Format as many of the following records as fit; returns the length, 0 at the end. */
static size_t fill(trace_cursor *cursor)
{
    tracer_record record;
    size_t used = 0;

    while (used + TRACER_LINE_BYTES < CHUNK_BYTES && next_record(cursor, &record))
        used += tracer_line(&record, output.chunk + used);
    return used;
}

/* A program that ends early */

static void write_all(const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(output.file, text, bytes);

        if (written <= 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
}

void tracer_leave_records(const char *why)
{
    trace_cursor cursor = {0};
    size_t bytes;

    if (!tracer.started || output.file < 0 || output.process != getpid() ||
        atomic_flag_test_and_set(&output.ended))
        return;
    (void)flock(output.file, LOCK_EX);
    /* The section before this one may have been cut in the middle of a line. */
    bytes = (size_t)snprintf(output.chunk, CHUNK_BYTES, "\n%d:\n", tracer.rank);
    while (bytes > 0) {
        write_all(output.chunk, bytes);
        bytes = fill(&cursor);
    }
    (void)flock(output.file, LOCK_UN);
    if (rename(output.temporary, output.path) == 0)
        cb_warning("the trace is cut: rank %d %s without MPI_Finalize; %s has what the ranks had "
                   "recorded",
                   tracer.rank, why, output.path);
}

/* Signals that end a program, and what it does with them. */
static const struct {
    int number;
    const char *why;
} signals[] = {
    {SIGHUP, "got SIGHUP and ended"},   {SIGINT, "got SIGINT and ended"},
    {SIGQUIT, "got SIGQUIT and ended"}, {SIGILL, "got SIGILL and ended"},
    {SIGABRT, "got SIGABRT and ended"}, {SIGBUS, "got SIGBUS and ended"},
    {SIGFPE, "got SIGFPE and ended"},   {SIGUSR1, "got SIGUSR1 and ended"},
    {SIGSEGV, "got SIGSEGV and ended"}, {SIGUSR2, "got SIGUSR2 and ended"},
    {SIGTERM, "got SIGTERM and ended"}, {SIGXCPU, "got SIGXCPU and ended"},
};

enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static struct sigaction signals_before[SIGNALS];

/* Afterwards the program gets the signal as without the tracer: a fault occurs again. */
static void leave_by_signal(int number, siginfo_t *information, void *context)
{
    (void)context;
    for (size_t i = 0; i < SIGNALS; i++) {
        if (signals[i].number != number)
            continue;
        tracer_leave_records(signals[i].why);
        sigaction(number, &signals_before[i], NULL);
    }
    if (information->si_code <= 0)
        raise(number);
}

/* A signal that the program handles or ignores does not end it, except for faults, whose handlers
 * of libraries only print where they occurred. */
static void watch_signals(void)
{
    struct sigaction watched = {.sa_sigaction = leave_by_signal, .sa_flags = SA_SIGINFO};

    sigemptyset(&watched.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) {
        const int number = signals[i].number;
        const bool fault = number == SIGILL || number == SIGABRT || number == SIGBUS ||
                           number == SIGFPE || number == SIGSEGV;

        if (sigaction(number, NULL, &signals_before[i]) == 0 &&
            (fault || signals_before[i].sa_handler == SIG_DFL))
            sigaction(number, &watched, NULL);
    }
}

static void ignore_signals(void)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction now;

        if (sigaction(signals[i].number, NULL, &now) == 0 && now.sa_sigaction == leave_by_signal)
            sigaction(signals[i].number, &signals_before[i], NULL);
    }
}

/* Opening */

/* The file's name as an absolute path, since the program may change its folder. The ranks that
 * MPI_Comm_spawn starts have a trace of their own. */
static bool choose_path(void)
{
    const char *named = getenv("COMBENCH_TRACE");
    char folder[PATH_BYTES] = "", suffix[32] = "";
    MPI_Comm parent = MPI_COMM_NULL;
    int length;

    if (named == NULL || named[0] == '\0')
        named = "mpi.cct";
    if (named[0] != '/' && getcwd(folder, sizeof(folder)) == NULL)
        return false;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        snprintf(suffix, sizeof(suffix), ".spawned-%ld", (long)getpid());
    length = snprintf(output.path, PATH_BYTES, "%s%s%s%s", folder, named[0] != '/' ? "/" : "",
                      named, suffix);
    if (length > 0 && length < PATH_BYTES)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static void report_file(void)
{
    cb_error("cannot write the trace to '%s': %s; name a file that can be written in "
             "COMBENCH_TRACE, on a disk with room",
             output.path, strerror(errno));
}

/* Rank 0 makes the file, which is that of a cut trace until the program ends. */
static bool make_file(void)
{
    static const cb_output_use use = {.what = "the trace", .option = "COMBENCH_TRACE"};
    char *target = cb_output_target(output.path, &use);
    struct stat existing;

    if (target == NULL)
        return false;
    snprintf(output.path, sizeof(output.path), "%s", target);
    free(target);
    snprintf(output.temporary, sizeof(output.temporary), "%s.%llx.tmp", output.path,
             (unsigned long long)cb_machine_ns());
    output.file = open(output.temporary, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC,
                       stat(output.path, &existing) == 0 ? existing.st_mode & 0777 : 0666);
    if (output.file >= 0 &&
        dprintf(output.file,
                "%%cct 1 ranks %d unit us\n%%cut the program ended before MPI_Finalize\n",
                tracer.size) > 0)
        return true;
    report_file();
    return false;
}

bool tracer_output_open(void)
{
    int opened = 1;

    if (tracer.rank == 0) {
        opened = choose_path();
        if (!opened)
            report_file();
        else
            opened = make_file();
    }
    PMPI_Bcast(&opened, 1, MPI_INT, 0, tracer.own);
    if (!opened)
        return false;
    PMPI_Bcast(output.path, PATH_BYTES, MPI_CHAR, 0, tracer.own);
    PMPI_Bcast(output.temporary, sizeof(output.temporary), MPI_CHAR, 0, tracer.own);
    if (tracer.rank > 0)
        output.file = open(output.temporary, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    output.process = getpid();
    watch_signals();
    return true;
}

void tracer_output_close(void)
{
    ignore_signals();
    if (tracer.rank == 0)
        unlink(output.temporary); /* if the trace was not written */
    if (output.file >= 0)
        close(output.file);
    output.file = -1;
}

/* The whole trace */

static void write_head(FILE *file, bool cut, unsigned long long changed, const char *missing)
{
    fprintf(file, "%%cct 1 ranks %d unit us\n", tracer.size);
    if (cut)
        fprintf(file, "%%cut a rank had more than %llu records, see COMBENCH_TRACE_RECORDS\n",
                (unsigned long long)tracer.records.limit);
    if (tracer.by_processor)
        fputs("# Computing is processor time; calls have no times.\n", file);
    if (tracer.ever_paused)
        fputs("# Only what the ranks did while MPI_Pcontrol let them be recorded.\n", file);
    if (changed > 0)
        fprintf(file,
                "# %llu receives stand in the order of the sends; the program took the messages by "
                "tags or communicators in another one.\n",
                changed);
    if (missing[0] != '\0')
        fprintf(file, "# Incomplete, without these calls: %s.\n", missing);
}

/* Write the lines of all ranks, requested one after the other. */
static void write_ranks(FILE *file)
{
    for (int rank = 0; rank < tracer.size; rank++) {
        trace_cursor cursor = {0};
        size_t bytes;

        fprintf(file, "%d:\n", rank);
        if (rank > 0)
            PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG, tracer.own);
        do {
            if (rank > 0) {
                MPI_Status status;
                int received = 0;

                PMPI_Recv(output.chunk, CHUNK_BYTES, MPI_BYTE, rank, TAG, tracer.own, &status);
                PMPI_Get_count(&status, MPI_BYTE, &received);
                bytes = (size_t)received;
            } else
                bytes = fill(&cursor);
            fwrite(output.chunk, 1, bytes, file);
        } while (bytes > 0);
    }
}

/* Send the lines of this rank when rank 0 requests them. */
static void send_lines(void)
{
    trace_cursor cursor = {0};
    size_t bytes;

    PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, tracer.own, MPI_STATUS_IGNORE);
    do {
        bytes = fill(&cursor);
        PMPI_Send(output.chunk, (int)bytes, MPI_BYTE, 0, TAG, tracer.own);
    } while (bytes > 0);
}

void tracer_output_write(bool cut)
{
    unsigned long long changed = 0;
    char missing[TRACER_LIST_BYTES];
    FILE *file = NULL;
    bool failed;

    tracer_list_unrecorded(missing);
    PMPI_Reduce(&tracer.moves.changed, &changed, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    if (atomic_flag_test_and_set(&output.ended))
        return;
    PMPI_Barrier(tracer.own);
    if (tracer.rank > 0) {
        send_lines();
        return;
    }
    failed = ftruncate(output.file, 0) != 0;
    file = fdopen(dup(output.file), "w");
    if (file == NULL) {
        report_file();
        tracer_abort(false);
    }
    write_head(file, cut, changed, missing);
    write_ranks(file);
    failed |= ferror(file) != 0;
    failed |= fclose(file) != 0;
    if (failed || rename(output.temporary, output.path) != 0)
        report_file();
    if (missing[0] != '\0')
        cb_warning("the trace is incomplete: it has nothing of these calls: %s", missing);
}
