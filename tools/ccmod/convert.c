/* ccmod convert: convert a workload to another format. Readers make a program or a trace, either of
 * which is a workload; writers take any workload, rank by rank. */
#include "config.h"

#include "tools/ccmod/convert_forms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tools/ccmod/inputs.h"

typedef struct {
    const char *input, *from, *to, *output;
    uint64_t seed, records;
    double flops_per_us;
} convert_settings;

#define FIELD(name) offsetof(convert_settings, name)

static const convert_form *const forms[] = {&convert_cct, &convert_goal, &convert_matrix,
                                            &convert_ti};
static const char *const names[] = {"cct", "goal", "matrix", "ti", NULL};

/* clang-format off */
static const cb_option rows[] = {
    {.name = "INPUT",
     .type = CB_OPTION_OPERAND,
     .offset = FIELD(input),
     .file = CB_FILE_READ,
     .argument = "INPUT",
     .help = "File to convert; for ti the file that lists those of the ranks"},
    {.name = "from",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(from),
     .argument = "FORM",
     .default_text = "cct",
     .choices = names,
     .help = "Form of INPUT",
     .more = "cct: the trace format of ccmod. goal: schedules of LogGOPSim. matrix: bytes between ranks, as CSV. ti: time-independent traces of SimGrid."},
    {.name = "to",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(to),
     .argument = "FORM",
     .default_text = "cct",
     .choices = names,
     .help = "Form of the output"},
    {.name = "flops-per-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(flops_per_us),
     .argument = "F",
     .default_text = "1000",
     .minimum = 1e-6,
     .maximum = 1e12,
     .help = "Operations per microsecond, for ti, which counts computing so"},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .help = "Seed of the distributions of a trace"},
    {.name = "records",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(records),
     .argument = "N",
     .default_text = "10000000",
     .minimum = 1,
     .maximum = 1e15,
     .help = "Most records to write; loops are unrolled"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write to FILE; default standard output",
     .more = "ti needs it: FILE lists FILE.0, FILE.1 and so on, one for each rank."},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

static const cb_option_table table = {
    .program = "ccmod-convert",
    .summary = "convert workloads from and to other simulators",
    .description =
        "Converts between .cct, the traces of ccmod; GOAL, the schedules of LogGOPSim; the "
        "time-independent traces that SimGrid replays with smpirun -replay; and matrices of bytes "
        "between ranks. Loops are unrolled and distributions drawn.\n\n"
        "What a form cannot express is an error with file and line: see "
        "docs/reference/trace-format.md.",
    .synopsis = "ccmod convert [OPTION]... INPUT",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = sizeof(rows) / sizeof(rows[0]),
};

/* Input */

/* The source of the workload: a trace, or a program read from another format. */
typedef struct {
    ccmod_trace *trace;
    ccmod_workload *made;
    convert_program *program;
    ccmod_workload of_program;
    ccmod_workload *workload; /* of either */
} convert_input;

static const convert_form *find_form(const char *name)
{
    size_t i = 0;

    while (strcmp(forms[i]->name, name) != 0)
        i++;
    return forms[i];
}

static ccmod_status open_input(const convert_settings *settings, convert_input *input,
                               ccmod_error *error)
{
    const convert_form *form = find_form(settings->from);

    *input = (convert_input){.trace = NULL};
    if (form->read == NULL)
        return ccmod_trace_open(settings->input, &input->trace, error);
    CCMOD_TRY(convert_program_open(settings->input, &input->program, error));
    CCMOD_TRY(form->read(settings->input, settings->flops_per_us, input->program, error));
    return convert_program_check(input->program, error);
}

/* Make a workload from the beginning; frees the previous one. */
static ccmod_status begin_workload(const convert_settings *settings, convert_input *input,
                                   ccmod_error *error)
{
    ccmod_workload_free(input->made);
    input->made = NULL;
    if (input->program == NULL) {
        CCMOD_TRY(ccmod_trace_workload(input->trace, settings->seed, &input->made, error));
        input->workload = input->made;
    } else {
        input->of_program = convert_program_workload(input->program);
        input->workload = &input->of_program;
    }
    return CCMOD_OK;
}

/* Output */

typedef struct {
    const convert_form *form;
    convert_walk walk;
    const char *input, *output;
    uint32_t rank; /* of the rank's own file */
    ccmod_status status;
    ccmod_error error;
} convert_output;

static void write_one_rank(FILE *stream, void *context)
{
    convert_output *output = context;

    output->status = output->form->write_rank(stream, &output->walk, output->rank, &output->error);
}

static void write_all_ranks(FILE *stream, void *context)
{
    convert_output *output = context;

    if (output->form->write_head != NULL)
        output->form->write_head(stream, output->walk.workload);
    for (output->rank = 0; output->status == CCMOD_OK &&
                           output->rank < output->walk.workload->processors && !ferror(stream);
         output->rank++)
        write_one_rank(stream, output);
}

static void write_list(FILE *stream, void *context)
{
    const convert_output *output = context;

    for (size_t i = 0; i < output->walk.workload->processors; i++)
        fprintf(stream, "%s.%zu\n", output->output, i);
}

static cb_status write_file(const char *path, void (*write)(FILE *stream, void *context),
                            convert_output *output)
{
    tool_target target = {NULL, NULL};
    cb_status status = tool_open_target(path, &target);

    if (status == CB_OK)
        status = tool_write(&target, write, output);
    tool_close_target(&target);
    return output->status != CCMOD_OK ? tool_refuse(&output->error) : status;
}

static cb_status write_rank_file(convert_output *output)
{
    char *path = NULL;
    cb_status status;

    if (asprintf(&path, "%s.%" PRIu32, output->output, output->rank) < 0) {
        cb_error("out of memory for the file name of rank %" PRIu32, output->rank);
        return CB_ERROR_MEMORY;
    }
    if (cb_output_is_same(path, output->input)) {
        cb_error("--output '%s' would replace INPUT by the trace of rank %" PRIu32
                 "; name another file",
                 output->output, output->rank);
        status = CB_ERROR_USAGE;
    } else {
        status = write_file(path, write_one_rank, output);
    }
    free(path);
    return status;
}

/* The list is written last: when it exists, the output is complete. */
static cb_status write_many(convert_output *output)
{
    if (output->output == NULL) {
        cb_error("--to %s writes one file for each rank; name the file that lists them with "
                 "--output",
                 output->form->name);
        return CB_ERROR_USAGE;
    }
    for (output->rank = 0; output->rank < output->walk.workload->processors; output->rank++)
        CB_TRY(write_rank_file(output));
    return write_file(output->output, write_list, output);
}

static convert_output prepare(const convert_settings *settings, ccmod_workload *workload)
{
    return (convert_output){
        .form = find_form(settings->to),
        .walk = {.workload = workload,
                 .left = settings->records,
                 .flops_per_us = settings->flops_per_us},
        .input = settings->input,
        .output = settings->output,
    };
}

/* Write everything to /dev/null first: a workload that cannot be expressed must not replace an
 * existing file. */
static cb_status check(const convert_settings *settings, ccmod_workload *workload)
{
    convert_output output = prepare(settings, workload);
    FILE *nowhere = fopen("/dev/null", "we");

    if (nowhere == NULL) {
        cb_error("cannot open /dev/null: %s; check its permissions", strerror(errno));
        return CB_ERROR_SYSTEM;
    }
    write_all_ranks(nowhere, &output);
    fclose(nowhere);
    return output.status == CCMOD_OK ? CB_OK : tool_refuse(&output.error);
}

static cb_status convert_input_of(const convert_settings *settings, convert_input *input)
{
    convert_output output;
    ccmod_error error;

    if (open_input(settings, input, &error) != CCMOD_OK)
        return tool_refuse(&error);
    if (begin_workload(settings, input, &error) != CCMOD_OK)
        return tool_refuse(&error);
    CB_TRY(check(settings, input->workload));
    if (begin_workload(settings, input, &error) != CCMOD_OK)
        return tool_refuse(&error);
    output = prepare(settings, input->workload);
    return output.form->many ? write_many(&output)
                             : write_file(settings->output, write_all_ranks, &output);
}

static cb_status convert(const convert_settings *settings)
{
    convert_input input;
    cb_status status;

    if (settings->input == NULL) {
        cb_error("the input is missing; write %s, or see --help", table.synopsis);
        return CB_ERROR_USAGE;
    }
    status = convert_input_of(settings, &input);
    ccmod_workload_free(input.made);
    ccmod_trace_close(input.trace);
    convert_program_free(input.program);
    return status;
}

static int run(int argc, char **argv)
{
    bool done = false;
    convert_settings settings;
    cb_status status = tool_parse(&table, argc, argv, &settings, NULL, &done);

    if (status == CB_OK && !done)
        status = convert(&settings);
    return tool_exit(status);
}

const ccmod_command ccmod_command_convert = {"convert",
                                             "convert workloads from and to other simulators", run};
