/* Traces as text: parsed, played, evaluated. */
#include "tests/model/trace_text.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[CCMOD_RECORDS] = {
    [CCMOD_END] = "end",
    [CCMOD_COMPUTE] = "c",
    [CCMOD_SEND] = "s",
    [CCMOD_RECEIVE] = "r",
    [CCMOD_START_SEND] = "is",
    [CCMOD_START_RECEIVE] = "ir",
    [CCMOD_WAIT] = "w",
    [CCMOD_MULTICAST] = "m",
    [CCMOD_BARRIER] = "b",
    [CCMOD_SYNCHRONOUS_SEND] = "ss",
    [CCMOD_START_SYNCHRONOUS_SEND] = "iss",
    [CCMOD_BUFFERED_SEND] = "bs",
};

ccmod_trace *text_trace(const char *text)
{
    ccmod_trace *trace = NULL;
    ccmod_error error;
    ccmod_status status = ccmod_trace_parse("test.cct", text, strlen(text), &trace, &error);

    ck_assert_msg(status == CCMOD_OK, "%s", error.text);
    return trace;
}

__attribute__((format(printf, 2, 3))) static void write(char *played, const char *format, ...)
{
    size_t used = strlen(played);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(played + used, PLAYED_BYTES - used, format, arguments);
    va_end(arguments);
}

static void write_message(char *played, const ccmod_record *record)
{
    if (record->peer == CCMOD_ANY)
        write(played, " any");
    else
        write(played, " %u", record->peer);
    if (record->size_bytes == CCMOD_ANY_SIZE)
        write(played, " *");
    else
        write(played, " %llu", (unsigned long long)record->size_bytes);
}

static void write_list(char *played, const ccmod_record *record)
{
    for (size_t i = 0; i < record->list_count; i++)
        write(played, "%s%u", i == 0 ? " " : ",", record->list[i]);
    write(played, " %llu", (unsigned long long)record->size_bytes);
}

static void write_record(char *played, const ccmod_record *record)
{
    write(played, "%s", names[record->kind]);
    if (ccmod_sends(record->kind) || record->kind == CCMOD_RECEIVE ||
        record->kind == CCMOD_START_RECEIVE)
        write_message(played, record);
    else if (record->kind == CCMOD_COMPUTE)
        write(played, " %g", record->time_us);
    else if (record->kind == CCMOD_MULTICAST)
        write_list(played, record);
    if (record->measured_us >= 0)
        write(played, " t=%g", record->measured_us);
}

void text_play(const char *text, uint32_t rank, char played[PLAYED_BYTES])
{
    ccmod_trace *trace = text_trace(text);
    ccmod_workload *workload = NULL;
    ccmod_record record;
    ccmod_error error;

    played[0] = '\0';
    ck_assert_int_eq(ccmod_trace_workload(trace, 1, &workload, &error), CCMOD_OK);
    do {
        ck_assert_msg(workload->next(workload, rank, &record, &error) == CCMOD_OK, "%s",
                      error.text);
        write(played, "%s", played[0] == '\0' ? "" : "; ");
        write_record(played, &record);
    } while (record.kind != CCMOD_END);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
}

ccmod_status text_evaluate(const char *text, const ccmod_calibration *calibration,
                           const ccmod_parameters *parameters, ccmod_result **out,
                           ccmod_error *error)
{
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_trace *trace = NULL;
    ccmod_status status = ccmod_trace_parse("test.cct", text, strlen(text), &trace, error);

    if (status != CCMOD_OK)
        return status;
    ck_assert_int_eq(ccmod_trace_workload(trace, parameters->seed, &workload, error), CCMOD_OK);
    ck_assert_int_eq(ccmod_network_open("crossbar", ccmod_trace_ranks(trace), &network, error),
                     CCMOD_OK);
    ck_assert_int_eq(ccmod_network_share_ends(calibration, &network, error), CCMOD_OK);
    status = ccmod_evaluate(workload, network, calibration, parameters, NULL, 0, out, error);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return status;
}
