/* A server with a queue: clients ask at random times; the server works on one request after the
 * other, in the order in which they arrive, and answers. The network is a model. */
#include <ccmod/ccmod.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 8, REQUESTS = 20000, ALL = CLIENTS * REQUESTS, BYTES = 64 };
static const double work_us = 2, pause_us = 20; /* a client's mean time between two requests */

static double due_us[CLIENTS + 1], sum_us; /* of a client's next request; all response times */
static size_t asked[CLIENTS + 1], expected[CLIENTS + 1], answered[CLIENTS + 1];

/* The server receives a request, works, and sends the answer. */
static ccmod_record serve(const ccmod_outcome *outcome)
{
    static ccmod_completion request;
    static size_t step;

    if (step == 3 * ALL)
        return (ccmod_record){.kind = CCMOD_END};
    switch (step++ % 3) {
    case 0:
        return (ccmod_record){.kind = CCMOD_RECEIVE, .peer = CCMOD_ANY, .size_bytes = BYTES};
    case 1:
        for (size_t i = 0; i < outcome->done_count; i++) /* what came, and from whom */
            request = outcome->done[i].received ? outcome->done[i] : request;
        return (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = work_us};
    default:
        return (ccmod_record){CCMOD_START_SEND, request.peer, BYTES, .cargo = request.cargo};
    }
}

/* A client sends a request when it is due, and waits. The cargo says when it was due, in ns. */
static ccmod_record ask(uint32_t rank, const ccmod_outcome *outcome)
{
    const double left_us = due_us[rank] - outcome->now_us, asked_ns = 1e3 * due_us[rank];

    for (size_t i = 0; i < outcome->done_count; i++)
        if (outcome->done[i].received) {
            sum_us += outcome->done[i].time_us - (double)outcome->done[i].cargo / 1e3;
            answered[rank]++;
        }
    if (answered[rank] == REQUESTS)
        return (ccmod_record){.kind = CCMOD_END};
    if (expected[rank] < asked[rank]) {
        expected[rank]++;
        return (ccmod_record){.kind = CCMOD_START_RECEIVE, .size_bytes = BYTES};
    }
    if (asked[rank] == REQUESTS || left_us > 0)
        return (ccmod_record){.kind = CCMOD_AWAIT, .time_us = left_us > 0 ? left_us : HUGE_VAL};
    asked[rank]++;
    due_us[rank] -= pause_us * log(1 - drand48());
    return (ccmod_record){CCMOD_START_SEND, 0, BYTES, .cargo = (uint64_t)asked_ns};
}

static ccmod_status react(ccmod_workload *workload, uint32_t rank, const ccmod_outcome *outcome,
                          ccmod_record *record, ccmod_error *error)
{
    (void)workload, (void)error;
    *record = rank == 0 ? serve(outcome) : ask(rank, outcome);
    return CCMOD_OK;
}

int main(void)
{
    ccmod_calibration calibration = ccmod_calibration_line(0.1, 1, 1e4); /* 0.1 + 1 us, 10 GB/s */
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_workload workload = {.name = "queue", .processors = CLIENTS + 1, .react = react};
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;

    if (ccmod_network_open("crossbar", CLIENTS + 1, &network, &error) ||
        ccmod_evaluate(&workload, network, &calibration, &parameters, NULL, 0, &result, &error))
        return fprintf(stderr, "%s\n", error.text), 1;
    printf("%.2f busy, %.2f us to an answer\n", ALL * work_us / result->end_us, sum_us / ALL);
    return 0;
}
