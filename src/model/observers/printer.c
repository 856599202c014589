/* The observer that prints signals, for debugging a workload or a network: one line per signal,
 * with its clock, name and contents. */
#include <ccmod/evaluation.h>
#include <ccmod/observers.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { NAME_BYTES = 96 };

static const char *const record_names[CCMOD_RECORDS] = {
    [CCMOD_END] = "end",
    [CCMOD_COMPUTE] = "compute",
    [CCMOD_SEND] = "send",
    [CCMOD_RECEIVE] = "receive",
    [CCMOD_START_SEND] = "start a send",
    [CCMOD_START_RECEIVE] = "start a receive",
    [CCMOD_WAIT] = "wait",
    [CCMOD_MULTICAST] = "multicast",
    [CCMOD_BARRIER] = "barrier",
    [CCMOD_SYNCHRONOUS_SEND] = "synchronous send",
    [CCMOD_START_SYNCHRONOUS_SEND] = "start a synchronous send",
    [CCMOD_BUFFERED_SEND] = "buffered send",
    [CCMOD_AWAIT] = "await",
    [CCMOD_WAKE] = "wake",
};

/* "node 3 inward" */
static void print_cell(const ccmod_printer *printer, uint32_t cell)
{
    char name[NAME_BYTES];

    ccmod_link_name(printer->network, cell / 2, name, sizeof(name));
    fprintf(printer->stream, "%s %s", name, cell % 2 == CCMOD_INWARD ? "inward" : "outward");
}

static void print_config(ccmod_printer *printer, const ccmod_signal *signal)
{
    const struct ccmod_parameters *parameters = signal->of.config.parameters;
    static const char *const backgrounds[] = {"none", "constant", "exponential"};

    fprintf(printer->stream, "workload %s, %zu processors; network %s, %zu nodes, %zu links; ",
            signal->of.config.workload->name, signal->of.config.workload->processors,
            printer->network->name, printer->network->nodes, printer->network->links);
    fprintf(printer->stream, "mode %s, share %s, background %s %g",
            parameters->mode == CCMOD_PAPER ? "paper" : "split",
            ccmod_share_name(parameters->share), backgrounds[parameters->background],
            parameters->background_load);
}

static void print_init(ccmod_printer *printer, const ccmod_signal *signal)
{
    (void)signal;
    fputs("begin", printer->stream);
}

static void print_cycle(ccmod_printer *printer, const ccmod_signal *signal)
{
    fprintf(printer->stream, "cycle %" PRIu64 ", %zu messages on links", signal->of.cycle.number,
            signal->of.cycle.live_messages);
}

static void print_end(ccmod_printer *printer, const ccmod_signal *signal)
{
    (void)signal;
    fputs("all traces are consumed", printer->stream);
}

static void print_list(ccmod_printer *printer, const uint32_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(printer->stream, "%s%" PRIu32, i > 0 ? "," : "", list[i]);
}

static void print_peer(ccmod_printer *printer, const ccmod_record *record)
{
    bool receives = record->kind == CCMOD_RECEIVE || record->kind == CCMOD_START_RECEIVE;

    fputs(receives ? " from " : " to ", printer->stream);
    if (record->kind == CCMOD_MULTICAST)
        print_list(printer, record->list, record->list_count);
    else if (record->peer == CCMOD_ANY)
        fputs("any", printer->stream);
    else
        fprintf(printer->stream, "%" PRIu32, record->peer);
    if (receives && record->size_bytes == CCMOD_ANY_SIZE)
        fputs(", any size", printer->stream);
    else
        fprintf(printer->stream, ", %" PRIu64 " bytes", record->size_bytes);
}

/* CREATEEVENT and NEWPROC. */
static void print_event(ccmod_printer *printer, const ccmod_signal *signal)
{
    const ccmod_record *record = signal->of.event.record;

    fprintf(printer->stream, "processor %" PRIu32 ": %s", signal->of.event.processor,
            record_names[record->kind]);
    switch (record->kind) {
    case CCMOD_COMPUTE:
        fprintf(printer->stream, " %.3f us", record->time_us);
        break;
    case CCMOD_SEND:
    case CCMOD_RECEIVE:
    case CCMOD_START_SEND:
    case CCMOD_START_RECEIVE:
    case CCMOD_MULTICAST:
    case CCMOD_SYNCHRONOUS_SEND:
    case CCMOD_START_SYNCHRONOUS_SEND:
    case CCMOD_BUFFERED_SEND:
        print_peer(printer, record);
        break;
    default:
        break;
    }
    if (record->kind != CCMOD_END && record->line > 0)
        fprintf(printer->stream, ", line %" PRIu32, record->line);
}

static void print_message_name(ccmod_printer *printer, const ccmod_message *message)
{
    fprintf(printer->stream, "message %" PRIu64 ": ", message->id);
}

static void print_start(ccmod_printer *printer, const ccmod_signal *signal)
{
    const ccmod_message *message = &signal->of.message;

    print_message_name(printer, message);
    fprintf(printer->stream, "%" PRIu32 " to ", message->source);
    print_list(printer, message->destinations, message->destination_count);
    fprintf(printer->stream, ", %" PRIu64 " bytes in %" PRIu64 " packets, quiet %.3f us, over ",
            message->size_bytes, message->packets,
            message->quiet.overhead_us + message->quiet.latency_us + message->quiet.transfer_us);
    for (size_t i = 0; i < message->cell_count; i++) {
        fputs(i > 0 ? ", " : "", printer->stream);
        print_cell(printer, message->cells[i]);
    }
}

static void print_system(ccmod_printer *printer, const ccmod_signal *signal)
{
    const char *separator = "";

    for (uint32_t cell = 0; cell < signal->of.system.cell_count; cell++) {
        if (signal->of.system.messages[cell] == 0)
            continue;
        fputs(separator, printer->stream);
        print_cell(printer, cell);
        fprintf(printer->stream, ": %" PRIu32, signal->of.system.messages[cell]);
        separator = ", ";
    }
    if (separator[0] == '\0')
        fputs("no messages", printer->stream);
}

static void print_contention(ccmod_printer *printer, const ccmod_signal *signal)
{
    const ccmod_message *message = &signal->of.message;

    print_message_name(printer, message);
    fprintf(printer->stream, "contention %.6g, bottleneck ", message->contention);
    print_cell(printer, message->bottleneck);
}

static void print_cost(ccmod_printer *printer, const ccmod_signal *signal)
{
    const ccmod_message *message = &signal->of.message;

    print_message_name(printer, message);
    fprintf(printer->stream, "availability %.6g, cost %.3f us", message->availability,
            message->cost_us);
}

static void print_horizon(ccmod_printer *printer, const ccmod_signal *signal)
{
    fprintf(printer->stream, "%.3f us", signal->of.horizon.duration_us);
}

static void print_interval(ccmod_printer *printer, const ccmod_signal *signal)
{
    fprintf(printer->stream, "processor %" PRIu32 ": %s since %.3f", signal->of.interval.processor,
            ccmod_activity_name(signal->of.interval.activity), signal->of.interval.since_us);
    if (signal->of.interval.measured_us >= 0)
        fprintf(printer->stream, ", record measured %.3f us", signal->of.interval.measured_us);
}

static void print_remaining(ccmod_printer *printer, const ccmod_signal *signal)
{
    print_message_name(printer, &signal->of.message);
    fprintf(printer->stream, "%.3f us of quiet time left", signal->of.message.remaining_us);
}

static void print_packets(ccmod_printer *printer, const ccmod_signal *signal)
{
    print_message_name(printer, &signal->of.message);
    fprintf(printer->stream, "%.6g packets consumed", signal->of.message.consumed_packets);
}

static void print_message_end(ccmod_printer *printer, const ccmod_signal *signal)
{
    const ccmod_message *message = &signal->of.message;

    print_message_name(printer, message);
    fprintf(printer->stream, "ended after %.3f us, mean contention %.6g", message->cost_us,
            message->contention);
}

static void (*const printers[CCMOD_SIGNALS])(ccmod_printer *printer, const ccmod_signal *signal) = {
    [CCMOD_SIGNAL_CONFIG] = print_config,        [CCMOD_SIGNAL_GO_INIT] = print_init,
    [CCMOD_SIGNAL_GO_STARTEVENT] = print_cycle,  [CCMOD_SIGNAL_GO_END] = print_end,
    [CCMOD_SIGNAL_CREATEEVENT] = print_event,    [CCMOD_SIGNAL_NEWSCOM] = print_start,
    [CCMOD_SIGNAL_NEWPROC] = print_event,        [CCMOD_SIGNAL_SYSCONT] = print_system,
    [CCMOD_SIGNAL_MSGCONT] = print_contention,   [CCMOD_SIGNAL_COMMCOST] = print_cost,
    [CCMOD_SIGNAL_EVENTHORIZON] = print_horizon, [CCMOD_SIGNAL_UPPR_PROC] = print_interval,
    [CCMOD_SIGNAL_UPPR_SCOM] = print_remaining,  [CCMOD_SIGNAL_UPPR_PCNS] = print_packets,
    [CCMOD_SIGNAL_UPPR_END] = print_message_end,
};

static ccmod_status take_signal(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    ccmod_printer *printer = self;

    if (signal->kind == CCMOD_SIGNAL_CONFIG)
        printer->network = signal->of.config.network;
    if ((printer->wanted & CCMOD_WANTS(signal->kind)) == 0)
        return CCMOD_OK;
    fprintf(printer->stream, "%14.3f  %-13s  ", signal->clock_us, ccmod_signal_name(signal->kind));
    printers[signal->kind](printer, signal);
    fputc('\n', printer->stream);
    if (!ferror(printer->stream))
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_SYSTEM, NULL, 0,
                      "cannot print the signals of the evaluation: %s; free some space there, or "
                      "write them elsewhere",
                      strerror(errno));
}

ccmod_observer ccmod_printer_observer(ccmod_printer *printer, uint32_t wanted)
{
    printer->wanted = wanted;
    /* names of links are those of the network of CONFIG */
    return (ccmod_observer){wanted | CCMOD_WANTS(CCMOD_SIGNAL_CONFIG), take_signal, printer};
}
