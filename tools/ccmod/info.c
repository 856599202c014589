/* ccmod info: describe a trace or, without one, list the known networks. */
#include "config.h"

#include "tools/ccmod/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Maximum number of records to read: loops may unroll into very many. */
#define LARGEST_COUNT UINT64_C(100000000)

typedef struct {
    const char *trace;
    uint64_t seed;
} info_settings;

typedef struct {
    uint64_t records[CCMOD_RECORDS];
    uint64_t all;
    double bytes, compute_us;
    bool cut;
} info_counts;

static const cb_option rows[] = {
    {.name = "TRACE",
     .type = CB_OPTION_OPERAND,
     .offset = offsetof(info_settings, trace),
     .argument = "TRACE",
     .help = "Trace in the format .cct; - is standard input"},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(info_settings, seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .help = "Seed of random times in the trace"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the manual page's source"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};

static const cb_option_table table = {
    .program = "ccmod-info",
    .summary = "describe a trace, or list the known networks",
    .description =
        "With TRACE, checks it and counts its records with loops unrolled, up to a hundred "
        "million. Without TRACE, lists the known networks.",
    .synopsis = "ccmod info [OPTION]... [TRACE]",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = sizeof(rows) / sizeof(rows[0]),
};

static const char *const record_names[CCMOD_RECORDS] = {
    [CCMOD_COMPUTE] = "computations",
    [CCMOD_SEND] = "sends",
    [CCMOD_RECEIVE] = "receives",
    [CCMOD_START_SEND] = "started sends",
    [CCMOD_START_RECEIVE] = "started receives",
    [CCMOD_WAIT] = "waits",
    [CCMOD_MULTICAST] = "multicasts",
    [CCMOD_BARRIER] = "barriers",
    [CCMOD_SYNCHRONOUS_SEND] = "synchronous sends",
    [CCMOD_START_SYNCHRONOUS_SEND] = "started synchronous sends",
    [CCMOD_BUFFERED_SEND] = "buffered sends",
};

static void count(info_counts *counts, const ccmod_record *record)
{
    counts->all++;
    counts->records[record->kind]++;
    if (ccmod_sends(record->kind) || record->kind == CCMOD_MULTICAST)
        counts->bytes += (double)record->size_bytes;
    if (record->kind == CCMOD_COMPUTE)
        counts->compute_us += record->time_us;
}

static ccmod_status count_rank(ccmod_workload *workload, uint32_t rank, info_counts *counts,
                               ccmod_error *error)
{
    ccmod_record record;

    for (;;) {
        CCMOD_TRY(workload->next(workload, rank, &record, error));
        if (record.kind == CCMOD_END)
            return CCMOD_OK;
        if (counts->all == LARGEST_COUNT) {
            counts->cut = true;
            return CCMOD_OK;
        }
        count(counts, &record);
    }
}

static ccmod_status describe(const ccmod_trace *trace, uint64_t seed, ccmod_error *error)
{
    info_counts counts = {.all = 0};
    ccmod_workload *workload = NULL;
    ccmod_status status = ccmod_trace_workload(trace, seed, &workload, error);

    for (uint32_t i = 0; status == CCMOD_OK && !counts.cut && i < ccmod_trace_ranks(trace); i++)
        status = count_rank(workload, i, &counts, error);
    ccmod_workload_free(workload);
    if (status == CCMOD_OK) {
        printf("%zu ranks, %zu lines, %zu records in the file\n", ccmod_trace_ranks(trace),
               ccmod_trace_lines(trace), ccmod_trace_records(trace));
        printf("%s%llu records with loops unrolled\n", counts.cut ? "at least " : "",
               (unsigned long long)counts.all);
        for (size_t i = 0; i < CCMOD_RECORDS; i++) {
            if (counts.records[i] > 0)
                printf("  %14llu  %s\n", (unsigned long long)counts.records[i], record_names[i]);
        }
        printf("%.10g bytes sent, %.10g us computed\n", counts.bytes, counts.compute_us);
    }
    return status;
}

static cb_status describe_file(const info_settings *settings)
{
    ccmod_trace *trace = NULL;
    ccmod_error error;
    ccmod_status status = ccmod_trace_open(settings->trace, &trace, &error);

    if (status == CCMOD_OK)
        status = describe(trace, settings->seed, &error);
    ccmod_trace_close(trace);
    return status == CCMOD_OK ? tool_flush() : tool_refuse(&error);
}

static int run(int argc, char **argv)
{
    info_settings settings;
    bool done = false;
    cb_status status = tool_parse(&table, argc, argv, &settings, NULL, &done);

    if (status != CB_OK || done)
        return tool_exit(status);
    if (settings.trace != NULL)
        return tool_exit(describe_file(&settings));
    printf("networks:\n");
    for (size_t i = 0; ccmod_network_kinds[i] != NULL; i++)
        printf("  %-32s  %s\n", ccmod_network_kinds[i]->form, ccmod_network_kinds[i]->help);
    return tool_exit(tool_flush());
}

const ccmod_command ccmod_command_info = {"info", "describe a trace, or list the known networks",
                                          run};
