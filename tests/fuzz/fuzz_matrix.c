/* Fuzz target for matrices of bytes between ranks: what is accepted is square with zeros on its
 * diagonal, is the same when written and read again, and its trace is one of as many ranks; what is
 * refused gets a message with file and reason. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/ccmod/matrix.h"

static bool read_text(const char *text, size_t bytes, byte_matrix *out)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, bytes, "r");
    ccmod_error error = {0};
    ccmod_status status;

    FUZZ_REQUIRE(stream != NULL);
    status = matrix_read(stream, "fuzz", out, &error);
    fclose(stream);
    if (status == CCMOD_OK)
        return true;
    FUZZ_REQUIRE(status == CCMOD_ERROR_USAGE && error.status == status);
    FUZZ_REQUIRE(memchr(error.text, '\0', sizeof(error.text)) != NULL);
    FUZZ_REQUIRE(strncmp(error.text, "fuzz:", 5) == 0);
    FUZZ_REQUIRE(strchr(error.text, ';') != NULL || strchr(error.text + 5, ':') != NULL);
    return false;
}

static void require_matrix(const byte_matrix *matrix)
{
    FUZZ_REQUIRE(matrix->ranks >= 1 && matrix->ranks <= MATRIX_LARGEST_RANKS);
    for (size_t i = 0; i < matrix->ranks; i++) {
        FUZZ_REQUIRE(matrix_at(matrix, i, i) == 0);
        for (size_t k = 0; k < matrix->ranks; k++)
            FUZZ_REQUIRE(matrix_at(matrix, i, k) <= MATRIX_LARGEST_BYTES);
    }
}

static void require_same_again(const byte_matrix *matrix)
{
    byte_matrix again;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    FUZZ_REQUIRE(stream != NULL);
    matrix_write(stream, matrix);
    FUZZ_REQUIRE(fclose(stream) == 0);
    FUZZ_REQUIRE(read_text(text, bytes, &again));
    FUZZ_REQUIRE(again.ranks == matrix->ranks);
    FUZZ_REQUIRE(memcmp(again.bytes, matrix->bytes,
                        matrix->ranks * matrix->ranks * sizeof(*matrix->bytes)) == 0);
    matrix_free(&again);
    free(text);
}

static void require_trace(const byte_matrix *matrix)
{
    ccmod_trace *trace = NULL;
    ccmod_error error;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    FUZZ_REQUIRE(stream != NULL);
    fprintf(stream, "%%cct 1 ranks %zu unit us\n", matrix->ranks);
    matrix_write_trace(stream, matrix, &(matrix_steps){2, 1.5});
    FUZZ_REQUIRE(fclose(stream) == 0);
    FUZZ_REQUIRE(ccmod_trace_parse("fuzz", text, bytes, &trace, &error) == CCMOD_OK);
    FUZZ_REQUIRE(ccmod_trace_ranks(trace) == matrix->ranks);
    ccmod_trace_close(trace);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    byte_matrix matrix;

    if (size == 0 || !read_text((const char *)data, size, &matrix))
        return 0;
    require_matrix(&matrix);
    require_same_again(&matrix);
    require_trace(&matrix);
    matrix_free(&matrix);
    return 0;
}
