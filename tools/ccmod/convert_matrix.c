/* The format matrix of ccmod convert: bytes between ranks. Read, it is one step in which every rank
 * starts its receives and its sends and waits for all. Written, it has the bytes that each rank
 * sends to each other one, whatever else the trace says. */
#include <stdlib.h>

#include "tools/ccmod/convert_forms.h"
#include "tools/ccmod/matrix.h"

typedef struct {
    convert_program *program;
    size_t rank;
    ccmod_record_kind kind;
    ccmod_error *error;
} record_adder;

static ccmod_status add_message(void *context, matrix_message message)
{
    const record_adder *adder = context;
    const convert_record record = {
        .kind = adder->kind, .peer = message.peer, .size_bytes = message.bytes};

    return convert_program_add(adder->program, adder->rank, &record, adder->error);
}

static ccmod_status add_rank(const byte_matrix *matrix, size_t rank, convert_program *program,
                             ccmod_error *error)
{
    record_adder adder = {program, rank, CCMOD_START_RECEIVE, error};
    const convert_record wait = {.kind = CCMOD_WAIT};

    CCMOD_TRY(matrix_visit_receives(matrix, rank, add_message, &adder));
    adder.kind = CCMOD_START_SEND;
    CCMOD_TRY(matrix_visit_sends(matrix, rank, add_message, &adder));
    return program->ranks[rank].count > 0 ? convert_program_add(program, rank, &wait, error)
                                          : CCMOD_OK;
}

static ccmod_status read_matrix(const char *path, double flops_per_us, convert_program *program,
                                ccmod_error *error)
{
    byte_matrix matrix;
    ccmod_status status;

    (void)flops_per_us;
    CCMOD_TRY(matrix_open(path, &matrix, error));
    status = convert_program_reach(program, matrix.ranks - 1, error);
    for (size_t rank = 0; status == CCMOD_OK && rank < matrix.ranks; rank++)
        status = add_rank(&matrix, rank, program, error);
    matrix_free(&matrix);
    return status;
}

static void write_head(FILE *stream, const ccmod_workload *workload)
{
    (void)workload;
    fputs("# bytes from the rank of the row to the rank of the column\n", stream);
}

/* The row of a rank, which sends. */
typedef struct {
    convert_walk *walk;
    uint32_t rank;
    uint64_t *bytes;
} matrix_row;

static ccmod_status add_bytes(const matrix_row *row, const ccmod_record *record,
                              uint32_t destination, ccmod_error *error)
{
    if (destination >= row->walk->workload->processors || destination == row->rank)
        return convert_walk_refuse(row->walk, record,
                                   "a message to the rank itself, or to one that does not exist; "
                                   "correct its number",
                                   error);
    if (record->size_bytes > MATRIX_LARGEST_BYTES - row->bytes[destination])
        return convert_walk_refuse(
            row->walk, record,
            "the bytes from this rank to another are more than 2^53; shorten "
            "the loops of the trace",
            error);
    row->bytes[destination] += record->size_bytes;
    return CCMOD_OK;
}

static ccmod_status fill_row(const matrix_row *row, ccmod_error *error)
{
    ccmod_record record;

    for (;;) {
        CCMOD_TRY(convert_walk_next(row->walk, row->rank, &record, error));
        if (record.kind == CCMOD_END)
            return CCMOD_OK;
        if (ccmod_sends(record.kind))
            CCMOD_TRY(add_bytes(row, &record, record.peer, error));
        for (size_t i = 0; record.kind == CCMOD_MULTICAST && i < record.list_count; i++)
            CCMOD_TRY(add_bytes(row, &record, record.list[i], error));
    }
}

static ccmod_status write_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error)
{
    const size_t ranks = walk->workload->processors;
    matrix_row row = {.walk = walk, .rank = rank};
    ccmod_status status;

    if (ranks > MATRIX_LARGEST_RANKS)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, walk->workload->name, 0,
                          "%zu ranks, but a matrix has at most %d; use fewer", ranks,
                          (int)MATRIX_LARGEST_RANKS);
    row.bytes = calloc(ranks, sizeof(*row.bytes));
    if (row.bytes == NULL)
        return ccmod_fail(error, CCMOD_ERROR_MEMORY, walk->workload->name, 0,
                          "out of memory for a row of %zu ranks; use fewer", ranks);
    status = fill_row(&row, error);
    if (status == CCMOD_OK)
        matrix_write_row(stream, row.bytes, ranks);
    free(row.bytes);
    return status;
}

const convert_form convert_matrix = {
    .name = "matrix",
    .help = "bytes between ranks, as CSV",
    .read = read_matrix,
    .write_head = write_head,
    .write_rank = write_rank,
};
