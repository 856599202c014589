/* A program as users of libccmod write it, in C and C++: the quiet time of
 * docs/reference/model.md, on a network of its own and on one of the library. model_installed.sh
 * builds it with the installed library. */
#include <ccmod/ccmod.h>

#include <stdio.h>
#include <string.h>

static size_t use_route(const ccmod_network *network, uint32_t source, uint32_t destination,
                        uint32_t *cells)
{
    (void)network;
    cells[0] = 2 * source + CCMOD_INWARD;
    cells[1] = 2 * destination + CCMOD_OUTWARD;
    return 2;
}

static double evaluate_us(const ccmod_trace *trace, const ccmod_network *network)
{
    ccmod_calibration calibration = ccmod_calibration_line(10.9, 18, 50);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_workload *workload = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;
    double end_us = -1;

    if (ccmod_trace_workload(trace, parameters.seed, &workload, &error) == CCMOD_OK &&
        ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result, &error) ==
            CCMOD_OK)
        end_us = result->end_us;
    else
        fprintf(stderr, "%s\n", error.text);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    return end_us;
}

int main(void)
{
    static const char text[] = "%cct 1 ranks 2 unit us\n0: s 1 1000\n1: r 0 1000\n";
    ccmod_network_operations operations;
    ccmod_network own;
    ccmod_network *crossbar = NULL;
    ccmod_trace *trace = NULL;
    ccmod_error error;

    if (strcmp(ccmod_version(), CCMOD_VERSION) != 0)
        return 1;
    if (ccmod_trace_parse("own", text, sizeof(text) - 1, &trace, &error) != CCMOD_OK ||
        ccmod_network_open("crossbar", ccmod_trace_ranks(trace), &crossbar, &error) != CCMOD_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    memset(&operations, 0, sizeof(operations));
    memset(&own, 0, sizeof(own));
    operations.route = use_route;
    own.operations = &operations;
    own.name = "own";
    own.nodes = own.links = own.longest_route = 2;
    own.payload_bytes = 1460;
    printf("%d.%d.%d: %.9g us, %.9g us over %s\n", CCMOD_VERSION_MAJOR, CCMOD_VERSION_MINOR,
           CCMOD_VERSION_PATCH, evaluate_us(trace, crossbar), evaluate_us(trace, &own), own.name);
    ccmod_network_free(crossbar);
    ccmod_trace_close(trace);
    return 0;
}
