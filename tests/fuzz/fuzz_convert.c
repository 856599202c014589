/* Fuzz target for GOAL schedules and time-independent traces: what is accepted can be written in
 * every format, and is the same when read back as trace or schedule; what is refused gets a
 * message with file and reason. Large numbers are skipped: millions of ranks are valid, but take
 * the time of a thousand small inputs. */
#include <ctype.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/ccmod/convert_forms.h"

enum { LARGEST_RANKS = 64, RECORDS = 4000, LARGEST_DIGITS = 4 };

typedef ccmod_status form_reader(FILE *stream, convert_program *program, ccmod_error *error);

static ccmod_status read_goal(FILE *stream, convert_program *program, ccmod_error *error)
{
    return convert_goal_read(stream, "fuzz", program, error);
}

static ccmod_status read_ti(FILE *stream, convert_program *program, ccmod_error *error)
{
    return convert_ti_read(stream, "fuzz", 1000, program, error);
}

static void require_error(ccmod_status status, const ccmod_error *error)
{
    FUZZ_REQUIRE(status == CCMOD_ERROR_USAGE && error->status == status);
    FUZZ_REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
    FUZZ_REQUIRE(strncmp(error->text, "fuzz", 4) == 0);
    FUZZ_REQUIRE(strlen(error->text) > 20);
}

/* NULL if the text is refused; the message is checked. */
static convert_program *read_text(form_reader *reader, const char *text, size_t bytes)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, bytes, "r");
    convert_program *program = NULL;
    ccmod_error error = {0};
    ccmod_status status;

    FUZZ_REQUIRE(stream != NULL);
    FUZZ_REQUIRE(convert_program_open("fuzz", &program, &error) == CCMOD_OK);
    status = reader(stream, program, &error);
    if (status == CCMOD_OK)
        status = convert_program_check(program, &error);
    fclose(stream);
    if (status == CCMOD_OK)
        return program;
    require_error(status, &error);
    convert_program_free(program);
    return NULL;
}

/* The text, or NULL if the format cannot express it. */
static char *write_text(const convert_form *form, convert_program *program)
{
    ccmod_workload workload = convert_program_workload(program);
    convert_walk walk = {.workload = &workload, .left = RECORDS, .flops_per_us = 1000};
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    ccmod_error error = {0};
    ccmod_status status = CCMOD_OK;

    FUZZ_REQUIRE(stream != NULL);
    if (form->write_head != NULL)
        form->write_head(stream, &workload);
    for (uint32_t i = 0; status == CCMOD_OK && i < workload.processors; i++)
        status = form->write_rank(stream, &walk, i, &error);
    FUZZ_REQUIRE(fclose(stream) == 0);
    if (status == CCMOD_OK)
        return text;
    require_error(status, &error);
    free(text);
    return NULL;
}

/* Write as a schedule, read it, and write it again. */
static char *write_goal_again(const char *text)
{
    convert_program *again = read_text(read_goal, text, strlen(text));
    char *second;

    FUZZ_REQUIRE(again != NULL);
    second = write_text(&convert_goal, again);
    FUZZ_REQUIRE(second != NULL);
    convert_program_free(again);
    return second;
}

/* A written schedule can be read. Operations pending at the end of a rank are waited for then;
 * after that nothing changes. */
static void check_goal(convert_program *program)
{
    char *first = write_text(&convert_goal, program), *second, *third;

    if (first == NULL)
        return;
    second = write_goal_again(first);
    third = write_goal_again(second);
    FUZZ_REQUIRE(strcmp(second, third) == 0);
    free(first);
    free(second);
    free(third);
}

/* A written trace can be read. */
static void check_cct(convert_program *program)
{
    char *text = write_text(&convert_cct, program);
    ccmod_trace *trace = NULL;
    ccmod_error error;

    FUZZ_REQUIRE(text != NULL);
    FUZZ_REQUIRE(ccmod_trace_parse("fuzz", text, strlen(text), &trace, &error) == CCMOD_OK);
    FUZZ_REQUIRE(ccmod_trace_ranks(trace) == program->rank_count);
    ccmod_trace_close(trace);
    free(text);
}

static void try_text(form_reader *reader, const char *text, size_t bytes)
{
    convert_program *program = read_text(reader, text, bytes);

    if (program != NULL && program->rank_count > 0 && program->rank_count <= LARGEST_RANKS) {
        check_goal(program);
        check_cct(program);
        free(write_text(&convert_ti, program));
    }
    convert_program_free(program);
}

static bool has_large_number(const uint8_t *data, size_t size)
{
    size_t digits = 0;

    for (size_t i = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > LARGEST_DIGITS)
            return true;
    }
    return false;
}

/* The input as it is, and as the body of a rank, since most changes to a head end the reading at
 * once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "num_ranks 4\nrank 0 {\n", tail[] = "\n}\n";
    char *headed = malloc(sizeof(head) + sizeof(tail) + size);

    FUZZ_REQUIRE(headed != NULL);
    if (size > 0 && !has_large_number(data, size)) {
        try_text(read_goal, (const char *)data, size);
        try_text(read_ti, (const char *)data, size);
        memcpy(headed, head, sizeof(head) - 1);
        memcpy(headed + sizeof(head) - 1, data, size);
        memcpy(headed + sizeof(head) - 1 + size, tail, sizeof(tail) - 1);
        try_text(read_goal, headed, sizeof(head) + sizeof(tail) - 2 + size);
    }
    free(headed);
    return 0;
}
