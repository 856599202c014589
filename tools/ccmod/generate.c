/* ccmod generate: write traffic of a kind as a trace, or as a matrix of bytes between ranks. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "tools/ccmod/inputs.h"
#include "tools/ccmod/traffic.h"

typedef struct {
    const char *name; /* of the kind */
    traffic_parameters traffic;
    uint64_t steps;
    double compute_us;
    bool matrix;
    const char *output;
} generate_settings;

#define FIELD(name) offsetof(generate_settings, name)

/* The scope of a row is the kinds' parameters to which it belongs: 0 means any kind. */
/* clang-format off */
static const cb_option rows[] = {
    {.name = "KIND",
     .type = CB_OPTION_OPERAND,
     .offset = FIELD(name),
     .argument = "KIND",
     .help = "Kind of traffic; without it, the kinds are listed"},
    {.name = "ranks",
     .type = CB_OPTION_COUNT,
     .scope = TRAFFIC_SIZES,
     .offset = FIELD(traffic.ranks),
     .argument = "N",
     .default_text = "16",
     .minimum = 2,
     .maximum = MATRIX_LARGEST_RANKS,
     .key = "ranks",
     .help = "Number of ranks"},
    {.name = "bytes",
     .type = CB_OPTION_SIZE,
     .scope = TRAFFIC_SIZES,
     .offset = FIELD(traffic.bytes),
     .argument = "BYTES",
     .default_text = "1MiB",
     .minimum = 1,
     .maximum = 0x1p40,
     .key = "bytes",
     .help = "Bytes that each sending rank sends in a step",
     .more = "They are divided among its destinations to the byte."},
    {.name = "pair-bytes",
     .type = CB_OPTION_SIZE,
     .scope = TRAFFIC_SIZES,
     .offset = FIELD(traffic.pair_bytes),
     .argument = "BYTES",
     .minimum = 1,
     .maximum = 0x1p32,
     .key = "pair_bytes",
     .help = "Mean bytes of a message, in place of --bytes",
     .more = "The mean is over the pairs that communicate; a message of less than half a byte is left out."},
    {.name = "hot",
     .type = CB_OPTION_COUNT,
     .scope = TRAFFIC_HOT,
     .offset = FIELD(traffic.hot),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = MATRIX_LARGEST_RANKS,
     .key = "hot",
     .help = "biased: number of ranks that get more"},
    {.name = "factor",
     .type = CB_OPTION_REAL,
     .scope = TRAFFIC_HOT,
     .offset = FIELD(traffic.factor),
     .argument = "F",
     .default_text = "4",
     .minimum = 1,
     .maximum = 1e6,
     .key = "factor",
     .help = "biased: what they get, as a multiple of what others get"},
    {.name = "degree",
     .type = CB_OPTION_COUNT,
     .scope = TRAFFIC_DEGREE,
     .offset = FIELD(traffic.degree),
     .argument = "K",
     .default_text = "2",
     .minimum = 1,
     .maximum = MATRIX_LARGEST_RANKS,
     .key = "degree",
     .help = "k-hot: number of destinations of each rank"},
    {.name = "exponent",
     .type = CB_OPTION_REAL,
     .scope = TRAFFIC_EXPONENT,
     .offset = FIELD(traffic.exponent),
     .argument = "S",
     .default_text = "1",
     .maximum = 10,
     .key = "exponent",
     .help = "zipf: exponent; 0 is uniform"},
    {.name = "density",
     .type = CB_OPTION_REAL,
     .scope = TRAFFIC_DENSITY,
     .offset = FIELD(traffic.density),
     .argument = "P",
     .default_text = "0.1",
     .maximum = 1,
     .key = "density",
     .help = "sparse: probability that a pair communicates"},
    {.name = "senders",
     .type = CB_OPTION_COUNT,
     .scope = TRAFFIC_SENDERS,
     .offset = FIELD(traffic.senders),
     .argument = "K",
     .minimum = 1,
     .maximum = MATRIX_LARGEST_RANKS,
     .key = "senders",
     .help = "incast: number of ranks that send; default all others"},
    {.name = "grid",
     .type = CB_OPTION_TEXT,
     .scope = TRAFFIC_GRID,
     .offset = FIELD(traffic.grid),
     .argument = "AxB[xC]",
     .key = "grid",
     .help = "halo: extents of the grid; default two, as equal as possible",
     .more = "Neighbours of the last dimension have adjacent numbers. Faces have equal bytes."},
    {.name = "input",
     .type = CB_OPTION_TEXT,
     .scope = TRAFFIC_INPUT,
     .offset = FIELD(traffic.input),
     .file = CB_FILE_READ,
     .argument = "FILE",
     .key = "input",
     .help = "file: matrix of bytes between ranks",
     .more = "As many lines of as many sizes, separated by commas; comments begin with #."},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .scope = TRAFFIC_SEED,
     .offset = FIELD(traffic.seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .key = "seed",
     .help = "Seed of the kinds that draw"},
    {.name = "steps",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(steps),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1e9,
     .key = "steps",
     .help = "Number of equal steps, written as a loop"},
    {.name = "compute-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(compute_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "compute_us",
     .help = "Computing of every rank at the beginning of a step"},
    {.name = "matrix",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(matrix),
     .help = "Write the matrix of a step in place of the trace"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write to FILE; default standard output"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const cb_option_table table = {
    .program = "ccmod-generate",
    .summary = "write traffic of a kind as a trace or a matrix",
    .description =
        "Writes a trace in which every rank sends its part of a matrix of bytes between ranks: "
        "uniform, biased, drawn, or along a ring or a grid. Without KIND, lists the kinds.\n\n"
        "In a step each rank starts its receives and its sends and waits for all. The same options "
        "write the same text on every machine.\n\n"
        "docs/reference/trace-format.md describes the kinds and the form of a matrix.",
    .synopsis = "ccmod generate [OPTION]... [KIND]",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = UINT32_MAX,
};

static bool has_meaning(const cb_option *row, const traffic_kind *kind)
{
    return row->scope == 0 || (row->scope & kind->parameters) != 0;
}

static cb_status refuse_option(const cb_option *row, const traffic_kind *kind)
{
    char names[160] = "";
    size_t length = 0;

    for (size_t i = 0; traffic_kinds[i] != NULL; i++) {
        if (has_meaning(row, traffic_kinds[i]) && length < sizeof(names))
            length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                       length > 0 ? ", " : "", traffic_kinds[i]->name);
    }
    cb_error("--%s has no meaning for %s; leave it out, or generate what takes it: %s", row->name,
             kind->name, names);
    return CB_ERROR_USAGE;
}

static bool is_given(const bool *given, const char *name)
{
    size_t i = 0;

    while (strcmp(rows[i].name, name) != 0)
        i++;
    return given[i];
}

static cb_status check_combination(const generate_settings *settings, const bool *given)
{
    if (is_given(given, "bytes") && is_given(given, "pair-bytes")) {
        cb_error("--bytes and --pair-bytes exclude each other; give one");
        return CB_ERROR_USAGE;
    }
    if (settings->matrix && (is_given(given, "steps") || is_given(given, "compute-us"))) {
        cb_error("--matrix writes one step without computing; leave out --steps and --compute-us");
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status check(const generate_settings *settings, const traffic_kind *kind,
                       const bool *given)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (given[i] && !has_meaning(&rows[i], kind))
            return refuse_option(&rows[i], kind);
    }
    if ((kind->parameters & TRAFFIC_INPUT) != 0 && settings->traffic.input == NULL) {
        cb_error("the matrix is missing; name its file with --input");
        return CB_ERROR_USAGE;
    }
    return check_combination(settings, given);
}

/* Output */

typedef struct {
    const generate_settings *settings;
    const traffic_kind *kind;
    const byte_matrix *matrix;
    FILE *stream;
} generate_output;

static void write_parameter(const cb_option *row, const void *value, void *context)
{
    const generate_output *output = context;
    const traffic_parameters *traffic = &output->settings->traffic;

    if (!has_meaning(row, output->kind) || (output->settings->matrix && row->scope == 0) ||
        (value == &traffic->bytes && traffic->pair_bytes > 0))
        return;
    fprintf(output->stream, ", %s ", row->key);
    if (row->type == CB_OPTION_REAL)
        fprintf(output->stream, "%g", *(const double *)value);
    else if (row->type == CB_OPTION_TEXT)
        fputs(*(const char *const *)value, output->stream);
    else
        fprintf(output->stream, "%" PRIu64, *(const uint64_t *)value);
}

/* Comments on what follows. */
static void write_summary(generate_output *output)
{
    const traffic_summary summary = traffic_summarise(output->matrix);

    fprintf(output->stream, "# %s", output->kind->name);
    cb_options_visit(&table, output->settings, write_parameter, output);
    fprintf(
        output->stream,
        "\n# %.0f bytes in a step; balance of what ranks send %.4g, of what they receive %.4g\n",
        summary.bytes, summary.sent_balance, summary.received_balance);
}

static void write_output(FILE *stream, void *context)
{
    generate_output *output = context;
    const generate_settings *settings = output->settings;

    output->stream = stream;
    if (!settings->matrix)
        fprintf(stream, "%%cct 1 ranks %zu unit us\n", output->matrix->ranks);
    write_summary(output);
    if (settings->matrix)
        matrix_write(stream, output->matrix);
    else
        matrix_write_trace(stream, output->matrix,
                           &(matrix_steps){settings->steps, settings->compute_us});
}

static cb_status write_to(const char *path, generate_output *output)
{
    tool_target target = {NULL, NULL};
    cb_status status = tool_open_target(path, &target);

    if (status == CB_OK)
        status = tool_write(&target, write_output, output);
    tool_close_target(&target);
    return status;
}

static cb_status generate(const generate_settings *settings, const bool *given)
{
    const traffic_kind *kind = traffic_find(settings->name);
    byte_matrix matrix;
    ccmod_error error;
    cb_status status;

    if (kind == NULL) {
        cb_error("unknown kind '%.64s'; ccmod generate lists the kinds", settings->name);
        return CB_ERROR_USAGE;
    }
    CB_TRY(check(settings, kind, given));
    if (traffic_make(kind, &settings->traffic, &matrix, &error) != CCMOD_OK)
        return tool_refuse(&error);
    status = write_to(settings->output,
                      &(generate_output){.settings = settings, .kind = kind, .matrix = &matrix});
    matrix_free(&matrix);
    return status;
}

static cb_status list_kinds(void)
{
    printf("kinds:\n");
    for (size_t i = 0; traffic_kinds[i] != NULL; i++)
        printf("  %-12s  %s\n", traffic_kinds[i]->name, traffic_kinds[i]->help);
    return tool_flush();
}

static int run(int argc, char **argv)
{
    bool given[ROWS], done = false;
    generate_settings settings;
    cb_status status = tool_parse(&table, argc, argv, &settings, given, &done);

    if (status == CB_OK && !done)
        status = settings.name == NULL ? list_kinds() : generate(&settings, given);
    return tool_exit(status);
}

const ccmod_command ccmod_command_generate = {
    "generate", "write traffic of a kind as a trace or a matrix", run};
