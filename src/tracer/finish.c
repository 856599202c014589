/* From MPI_Init to MPI_Finalize. At the end rank 0 asks one rank after the other for its lines, and
 * writes the trace. */
#include "tracer/tracer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

enum { CHUNK_BYTES = 65536, TAG = 1 };

/* The lines of the records from *place on, as many as fit; returns their length, 0 at the end. */
static size_t fill(uint64_t *place, char *chunk)
{
    size_t used = 0;

    for (; *place < tracer.records.count && used + TRACER_LINE_BYTES < CHUNK_BYTES; ++*place) {
        tracer_record record;

        if (tracer_records_get(&tracer.records, *place, &record) != CB_OK)
            tracer.on = false;
        else
            used += tracer_line(&record, chunk + used);
    }
    return used;
}

/* The trace of all ranks, asked for one after the other. */
static void write_ranks(FILE *file, char *chunk)
{
    fprintf(file, "%%cct 1 ranks %d unit us\n", tracer.size);
    for (int rank = 0; rank < tracer.size; rank++) {
        uint64_t place = 0;
        size_t bytes;

        fprintf(file, "%d:\n", rank);
        if (rank > 0)
            PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG, tracer.own);
        do {
            if (rank > 0) {
                MPI_Status status;
                int received = 0;

                PMPI_Recv(chunk, CHUNK_BYTES, MPI_BYTE, rank, TAG, tracer.own, &status);
                PMPI_Get_count(&status, MPI_BYTE, &received);
                bytes = (size_t)received;
            } else
                bytes = fill(&place, chunk);
            fwrite(chunk, 1, bytes, file);
        } while (bytes > 0);
    }
}

/* The lines of this rank, when rank 0 asks for them. */
static void send_lines(char *chunk)
{
    uint64_t place = 0;
    size_t bytes;

    PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, tracer.own, MPI_STATUS_IGNORE);
    do {
        bytes = fill(&place, chunk);
        PMPI_Send(chunk, (int)bytes, MPI_BYTE, 0, TAG, tracer.own);
    } while (bytes > 0);
}

/* Under a temporary name first, so that a file with the trace's name is complete. */
static void write_trace(char *chunk)
{
    const char *named = getenv("COMBENCH_TRACE"), *path = named != NULL ? named : "mpi.cct";
    char temporary[4096];
    FILE *file = NULL;
    int opened, failed;

    if (tracer.rank == 0) {
        snprintf(temporary, sizeof(temporary), "%s.tmp", path);
        file = fopen(temporary, "we");
        if (file == NULL)
            cb_error("cannot write the trace %s: %m; name a file that can be written in "
                     "COMBENCH_TRACE",
                     path);
    }
    opened = file != NULL;
    PMPI_Bcast(&opened, 1, MPI_INT, 0, tracer.own);
    if (!opened)
        return;
    if (tracer.rank > 0) {
        send_lines(chunk);
        return;
    }
    write_ranks(file, chunk);
    failed = ferror(file);
    failed |= fclose(file);
    if (failed != 0 || rename(temporary, path) != 0)
        cb_error("cannot write the trace %s: %m; name a file that can be written in "
                 "COMBENCH_TRACE, on a disk with room",
                 path);
}

/* Whether it holds for any rank. */
static bool anywhere(bool here)
{
    int mine = here, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, tracer.own);
    return all != 0;
}

static void finish(void)
{
    unsigned long long together = 0;
    char *chunk;

    if (!tracer.started)
        return;
    tracer_begin();
    chunk = cb_allocate(1, CHUNK_BYTES, "the trace");
    if (anywhere(!tracer.on || chunk == NULL)) {
        if (tracer.rank == 0)
            cb_error("no trace is written: not all ranks could record theirs, see above");
    } else {
        write_trace(chunk);
        if (anywhere(tracer.cut) && tracer.rank == 0)
            cb_warning("the trace is cut: a rank had more records than COMBENCH_TRACE_RECORDS "
                       "allows, and the messages behind them are missing; raise it");
        tracer_warn_of_unrecorded();
        PMPI_Reduce(&tracer.together, &together, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
        if (tracer.rank == 0 && together > 0)
            cb_warning(
                "%llu calls of MPI began while another thread of their rank was in one: the trace "
                "has one after the other, in the order of their ends, and no computing beside "
                "them",
                together);
    }
    free(chunk);
    tracer_close();
}

/* The calls themselves */

int MPI_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);

    if (result == MPI_SUCCESS)
        tracer_open(false);
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);

    if (result == MPI_SUCCESS)
        tracer_open(*provided == MPI_THREAD_MULTIPLE);
    return result;
}

int MPI_Finalize(void)
{
    finish();
    return PMPI_Finalize();
}
