/* Read, check and unroll a trace. */
#include "replay/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ccmod/ccmod.h>

#include "base/grow.h"
#include "base/input.h"
#include "base/log.h"
#include "base/crc32.h"
#include "base/memory.h"
#include "engine/traffic.h"

/* The file, which rank 0 reads for all */

static cb_status read_all(const char *path, int descriptor, char **text, uint64_t *bytes)
{
    size_t room = 1 << 16, used = 0;
    char *content = malloc(room);
    ssize_t got = 1;

    while (content != NULL && (got = read(descriptor, content + used, room - used)) > 0) {
        used += (size_t)got;
        if (used == room) {
            char *grown = realloc(content, room *= 2);

            if (grown == NULL)
                free(content);
            content = grown;
        }
    }
    if (content == NULL) {
        cb_error("cannot read the trace %s: out of memory; use a smaller file", path);
        return CB_ERROR_MEMORY;
    }
    if (got < 0) {
        cb_error("cannot read the trace %s: %s; give the path of a trace", path, strerror(errno));
        free(content);
        return CB_ERROR_USAGE;
    }
    *text = content;
    *bytes = used;
    return CB_OK;
}

static cb_status read_file(const char *path, char **text, uint64_t *bytes)
{
    char why[CB_INPUT_WHY_BYTES];
    int descriptor = cb_input_open(path, CB_INPUT_LARGEST_TRACE_BYTES, why);
    cb_status status;

    if (descriptor < 0) {
        cb_error("cannot read the trace %s: %s; give the path of a trace", path, why);
        return CB_ERROR_USAGE;
    }
    status = read_all(path, descriptor, text, bytes);
    close(descriptor);
    return status;
}

static cb_status from_model(ccmod_status status, const ccmod_error *error)
{
    if (status == CCMOD_OK)
        return CB_OK;
    cb_error("%s", error->text);
    return status == CCMOD_ERROR_MEMORY ? CB_ERROR_MEMORY : CB_ERROR_USAGE;
}

/* The evaluation of the trace at rank 0, which finds out whether it ends */

typedef struct {
    ccmod_workload workload;
    ccmod_workload *inner;
    uint64_t *counts; /* records of each rank so far; a multicast counts once for each receiver */
    uint64_t most;
    bool in_order; /* no record yet whose message may come before or after others */
} counting_workload;

static ccmod_status next_counted(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                                 ccmod_error *error)
{
    counting_workload *own = workload->self;

    CCMOD_TRY(own->inner->next(own->inner, processor, record, error));
    if (record->kind == CCMOD_START_RECEIVE ||
        (record->kind == CCMOD_RECEIVE && record->peer == CCMOD_ANY))
        own->in_order = false;
    own->counts[processor] += record->kind == CCMOD_MULTICAST ? record->list_count : 1;
    if (own->counts[processor] <= own->most)
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_USAGE, workload->name, record->line,
                      "rank %u has more than %llu records after loops are unrolled; shorten its "
                      "loops, or raise --records",
                      processor, (unsigned long long)own->most);
}

/* Evaluate with sends that wait for their receives, or with sends that never wait. */
static ccmod_status try_evaluation(const ccmod_trace *trace, const script_setting *setting,
                                   bool waits, bool *in_order, ccmod_error *error)
{
    ccmod_calibration calibration = ccmod_calibration_line(0.1, 1, 1000);
    ccmod_parameters parameters = ccmod_parameters_default();
    const size_t ranks = ccmod_trace_ranks(trace);
    counting_workload own = {
        .counts = calloc(ranks, sizeof(uint64_t)), .most = setting->records_most, .in_order = true};
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_status status = ccmod_network_open("crossbar", ranks, &network, error);

    calibration.eager_bytes = waits ? 0 : UINT64_MAX;
    if (status == CCMOD_OK && own.counts == NULL)
        status = ccmod_fail(error, CCMOD_ERROR_MEMORY, setting->path, 0,
                            "cannot count the records of %zu ranks: out of memory", ranks);
    if (status == CCMOD_OK)
        status = ccmod_trace_workload(trace, setting->seed, &own.inner, error);
    own.workload = (ccmod_workload){
        .name = setting->path, .processors = ranks, .next = next_counted, .self = &own};
    if (status == CCMOD_OK)
        status = ccmod_evaluate(&own.workload, network, &calibration, &parameters, NULL, 0, &result,
                                error);
    *in_order = own.in_order;
    ccmod_result_free(result);
    ccmod_workload_free(own.inner);
    ccmod_network_free(network);
    free(own.counts);
    return status;
}

static cb_status check_at_root(const script_setting *setting, control *plane,
                               const ccmod_trace *trace, bool *may_flush)
{
    const size_t ranks = ccmod_trace_ranks(trace), job = (size_t)control_size(plane);
    ccmod_error error;
    ccmod_status status;
    char remedy[SHAPE_REMEDY];
    bool in_order;

    if (ranks < 2) {
        cb_error("%s has 1 rank, and a replay sends messages between ranks; use a trace of two "
                 "ranks or more",
                 setting->path);
        return CB_ERROR_USAGE;
    }
    if (ranks != job) {
        cb_error("%s has %zu ranks and this job %zu; %s", setting->path, ranks, job,
                 shape_remedy(ranks, remedy));
        return CB_ERROR_USAGE;
    }
    /* The player takes started receives where they are waited for, and any message that is first:
     * with these, a trace that ends here need not end there if sends wait. */
    status = try_evaluation(trace, setting, true, &in_order, &error);
    *may_flush = status == CCMOD_OK && in_order;
    if (status == CCMOD_ERROR_DATA)
        status = try_evaluation(trace, setting, false, &in_order, &error);
    return from_model(status, &error);
}

/* Unrolling */

static cb_status report_no_room(const script *played)
{
    cb_error("cannot unroll the trace beyond %zu records: out of memory; use a shorter trace, or "
             "loops with fewer turns",
             played->count);
    return CB_ERROR_MEMORY;
}

static cb_status add_record(script *played, script_kind kind, uint32_t peer, uint64_t value)
{
    script_record *grown =
        cb_grow(played->records, played->count, &played->room, sizeof(*played->records));

    if (grown == NULL)
        return report_no_room(played);
    played->records = grown;
    grown[played->count++] = (script_record){.value = value, .peer = peer, .kind = kind};
    return CB_OK;
}

static cb_status add_mark(script *played, const ccmod_record *record)
{
    script_mark *grown =
        cb_grow(played->marks, played->mark_count, &played->mark_room, sizeof(*played->marks));

    if (grown == NULL)
        return report_no_room(played);
    played->marks = grown;
    grown[played->mark_count++] = (script_mark){.record = played->count,
                                                .last = played->count,
                                                .recorded_us = record->measured_us,
                                                .line = record->line};
    return CB_OK;
}

/* The sum of the content of a message. Most messages have the size of the one before. */
static uint64_t content_sum(script *played, uint64_t bytes)
{
    if (bytes != played->summed_bytes) {
        played->content_sum = traffic_expected_sum((size_t)bytes);
        played->summed_bytes = bytes;
    }
    return played->content_sum;
}

static cb_status add_send(script *played, script_kind kind, uint32_t peer, uint64_t bytes,
                          uint64_t *unbroken)
{
    script_flow *flow = &played->sent[peer];

    flow->messages++;
    flow->bytes += bytes;
    if (bytes > played->largest_bytes)
        played->largest_bytes = bytes;
    if (bytes <= UINT32_MAX) /* larger ones are refused before anything is sent */
        flow->sum += content_sum(played, bytes);
    if (++unbroken[peer] > flow->unbroken)
        flow->unbroken = unbroken[peer];
    return add_record(played, kind, peer, bytes);
}

static cb_status add_receive(script *played, script_kind kind, const ccmod_record *record,
                             uint64_t *unbroken)
{
    if (record->peer == CCMOD_ANY) {
        memset(unbroken, 0, played->ranks * sizeof(*unbroken));
        return add_record(played, kind, SCRIPT_ANY, record->size_bytes);
    }
    unbroken[record->peer] = 0;
    played->incoming[record->peer].named++;
    return add_record(played, kind, record->peer, record->size_bytes);
}

/* A multicast becomes a loop of sends. */
static cb_status add_any_record(script *played, const ccmod_record *record, uint64_t *unbroken)
{
    if (record->measured_us >= 0)
        CB_TRY(add_mark(played, record));
    switch (record->kind) {
    case CCMOD_COMPUTE:
        played->computes = true;
        return add_record(played, SCRIPT_COMPUTE, 0, (uint64_t)(record->time_us * 1e3 + 0.5));
    case CCMOD_SEND:
    case CCMOD_SYNCHRONOUS_SEND:
    case CCMOD_BUFFERED_SEND:
        return add_send(played, SCRIPT_SEND, record->peer, record->size_bytes, unbroken);
    case CCMOD_START_SEND:
    case CCMOD_START_SYNCHRONOUS_SEND:
        return add_send(played, SCRIPT_START_SEND, record->peer, record->size_bytes, unbroken);
    case CCMOD_RECEIVE:
        return add_receive(played, SCRIPT_RECEIVE, record, unbroken);
    case CCMOD_START_RECEIVE:
        return add_receive(played, SCRIPT_START_RECEIVE, record, unbroken);
    case CCMOD_WAIT:
        return add_record(played, SCRIPT_WAIT, 0, 0);
    case CCMOD_MULTICAST:
        played->multicasts = true;
        for (size_t i = 0; i < record->list_count; i++)
            CB_TRY(add_send(played, SCRIPT_SEND, record->list[i], record->size_bytes, unbroken));
        if (record->measured_us >= 0 && record->list_count > 0)
            played->marks[played->mark_count - 1].last = played->count - 1;
        return CB_OK;
    default:
        played->token_bytes = 1;
        return add_record(played, SCRIPT_BARRIER, 0, 0);
    }
}

static cb_status unroll_trace(const ccmod_trace *trace, uint64_t seed, script *played)
{
    uint64_t *unbroken = cb_allocate(played->ranks, sizeof(*unbroken), "the flows of a trace");
    ccmod_workload *workload = NULL;
    ccmod_error error;
    cb_status status = unbroken != NULL ? CB_OK : CB_ERROR_MEMORY;

    if (status == CB_OK)
        status = from_model(ccmod_trace_workload(trace, seed, &workload, &error), &error);
    while (status == CB_OK) {
        ccmod_record record;

        status =
            from_model(workload->next(workload, (uint32_t)played->self, &record, &error), &error);
        if (status != CB_OK || record.kind == CCMOD_END)
            break;
        status = add_any_record(played, &record, unbroken);
    }
    ccmod_workload_free(workload);
    free(unbroken);
    return status;
}

/* What ranks tell each other */

/* A barrier sends messages of its own, whose size no message of the trace has. */
static cb_status choose_token(script *played, control_team *everyone)
{
    enum { CANDIDATES = 1024 };
    double used[CANDIDATES + 1] = {0};
    double shared[4] = {(double)played->largest_bytes, (double)played->token_bytes,
                        played->computes ? 1 : 0, played->multicasts ? 1 : 0};

    for (size_t i = 0; i < played->count; i++) {
        const script_record *record = &played->records[i];

        if ((record->kind == SCRIPT_SEND || record->kind == SCRIPT_START_SEND) &&
            record->value <= CANDIDATES)
            used[record->value] = 1;
    }
    CB_TRY(control_maximum(everyone, shared, 4));
    CB_TRY(control_maximum(everyone, used, CANDIDATES + 1));
    played->largest_bytes = (uint64_t)shared[0];
    played->computes = shared[2] > 0;
    played->multicasts = shared[3] > 0;
    played->token_bytes = 0;
    if (shared[1] == 0)
        return CB_OK;
    for (played->token_bytes = 1;
         played->token_bytes <= CANDIDATES && used[played->token_bytes] > 0;)
        played->token_bytes++;
    if (played->token_bytes > CANDIDATES && played->largest_bytes > CANDIDATES)
        played->token_bytes = played->largest_bytes + 1;
    return CB_OK;
}

/* A message that a receive from any takes must not be one that a later receive names: the play
 * could then wait for it forever. */
static cb_status check_any(const script *played)
{
    bool takes_any = false;

    for (size_t i = 0; i < played->count && !takes_any; i++)
        takes_any = (played->records[i].kind == SCRIPT_RECEIVE ||
                     played->records[i].kind == SCRIPT_START_RECEIVE) &&
                    played->records[i].peer == SCRIPT_ANY;
    for (size_t rank = 0; takes_any && rank < played->ranks; rank++) {
        const script_flow *flow = &played->incoming[rank];

        if (flow->named == 0 || flow->named == flow->messages)
            continue;
        cb_error("%s: rank %zu receives %llu of the %llu messages of rank %zu by name and others "
                 "from any: which message it takes would depend on time, and the play could wait "
                 "forever; name the sender in all of them, or in none",
                 played->path, played->self, (unsigned long long)flow->named,
                 (unsigned long long)flow->messages, rank);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static cb_status exchange_flows(script *played, control_team *everyone)
{
    const size_t ranks = played->ranks;
    script_flow *all = cb_allocate(ranks * ranks, sizeof(*all), "the flows of a trace");
    cb_status status;

    CB_TRY_TO(done, status = control_agree(everyone, all != NULL ? CB_OK : CB_ERROR_MEMORY));
    CB_TRY_TO(done, status = control_exchange(everyone, played->sent, ranks * sizeof(*all), all));
    for (size_t rank = 0; rank < ranks; rank++) {
        uint64_t named = played->incoming[rank].named;

        played->incoming[rank] = all[rank * ranks + played->self];
        played->incoming[rank].named = named;
    }
done:
    free(all);
    return status;
}

static cb_status share_text(control_team *everyone, char **text, uint64_t *bytes)
{
    CB_TRY(control_broadcast(everyone, bytes, sizeof(*bytes)));
    if (*text == NULL)
        *text = cb_allocate((size_t)*bytes + 1, 1, "the trace");
    CB_TRY(control_agree(everyone, *text != NULL ? CB_OK : CB_ERROR_MEMORY));
    return control_broadcast(everyone, *text, (size_t)*bytes);
}

static cb_status parse_text(const char *path, const char *text, uint64_t bytes, ccmod_trace **out)
{
    ccmod_error error;

    return from_model(ccmod_trace_parse(path, text, (size_t)bytes, out, &error), &error);
}

static cb_status read_at_root(const script_setting *setting, control *plane, char **text,
                              ccmod_trace **trace, script *out)
{
    CB_TRY(read_file(setting->path, text, &out->file_bytes));
    CB_TRY(parse_text(setting->path, *text, out->file_bytes, trace));
    return check_at_root(setting, plane, *trace, &out->may_flush);
}

static cb_status load_text(const script_setting *setting, control *plane, char **text, script *out)
{
    control_team *everyone = control_everyone(plane);
    const bool root = control_rank(plane) == 0;
    ccmod_trace *trace = NULL;
    cb_status status = root ? read_at_root(setting, plane, text, &trace, out) : CB_OK;
    uint64_t may_flush = out->may_flush;

    CB_TRY_TO(done, status = control_agree(everyone, status));
    CB_TRY_TO(done, status = control_broadcast(everyone, &may_flush, sizeof(may_flush)));
    out->may_flush = may_flush != 0;
    CB_TRY_TO(done, status = share_text(everyone, text, &out->file_bytes));
    if (!root)
        status = parse_text(setting->path, *text, out->file_bytes, &trace);
    if (status == CB_OK)
        status = unroll_trace(trace, setting->seed, out);
    CB_TRY_TO(done, status = control_agree(everyone, status));
    out->crc32 = cb_crc32(0, *text, (size_t)out->file_bytes);
    out->lines = ccmod_trace_lines(trace);
done:
    ccmod_trace_close(trace);
    return status;
}

cb_status script_load(const script_setting *setting, control *plane, script *out)
{
    control_team *everyone = control_everyone(plane);
    char *text = NULL;
    cb_status status;

    *out = (script){.ranks = (size_t)control_size(plane), .self = (size_t)control_rank(plane)};
    out->path = strdup(setting->path);
    out->sent = cb_allocate(out->ranks, sizeof(*out->sent), "the flows of a trace");
    out->incoming = cb_allocate(out->ranks, sizeof(*out->incoming), "the flows of a trace");
    status =
        out->path != NULL && out->sent != NULL && out->incoming != NULL ? CB_OK : CB_ERROR_MEMORY;
    CB_TRY(control_agree(everyone, status));
    status = load_text(setting, plane, &text, out);
    free(text);
    CB_TRY(status);
    CB_TRY(choose_token(out, everyone));
    CB_TRY(exchange_flows(out, everyone));
    cb_log_silence(false); /* any rank may find this */
    status = control_agree(everyone, check_any(out));
    cb_log_silence(control_rank(plane) != 0);
    return status;
}

void script_set_work(script *played, const host_work_rate *rate)
{
    for (size_t i = 0; i < played->count; i++)
        if (played->records[i].kind == SCRIPT_COMPUTE)
            played->records[i].value =
                host_work_units(rate, (double)played->records[i].value / 1e3);
}

size_t script_memory(const script *played)
{
    return played->room * sizeof(*played->records) + played->mark_room * sizeof(*played->marks);
}

void script_free(script *played)
{
    free(played->path);
    free(played->records);
    free(played->marks);
    free(played->sent);
    free(played->incoming);
    *played = (script){0};
}
