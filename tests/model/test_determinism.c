/* Results are bit-identical for every compiler and optimisation: a hash over the bits of all
 * clocks is compared with the table below. It changes with the model; the test prints the new
 * values. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/model/networks.h"
#include "tests/model/records.h"
#include "tests/common/unit.h"

enum { SEEDS = 4, WAYS = 6 };

/* In the order of ccmod_network_kinds. */
static const uint64_t known[] = {
    UINT64_C(0x2a3a24f8ed1c0a75), UINT64_C(0x6c8a3e4d2737a369), UINT64_C(0x891104db76d1f2ad),
    UINT64_C(0x4fd53e3c6b76ca67), UINT64_C(0x5bf9744a9230cf54), UINT64_C(0x1b611e3eaaab1fdc),
};

static uint64_t hash_bits(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return cb_mix64(hash ^ bits);
}

static ccmod_parameters way_of(unsigned number)
{
    ccmod_parameters parameters = ccmod_parameters_default();

    parameters.mode = number % 2 == 0 ? CCMOD_PAPER : CCMOD_SPLIT;
    parameters.share = number % 3 == 0 ? CCMOD_MAXMIN : CCMOD_BOTTLENECK;
    parameters.plain = number % 3 == 1;
    parameters.background = CCMOD_BACKGROUND_CONSTANT;
    parameters.background_load = 0.1 * number;
    return parameters;
}

static uint64_t evaluate(uint64_t hash, const ccmod_network *network, unsigned way, uint64_t seed)
{
    static const random_shape shape = {16, 60, 50000, 300, true};
    record_table table = records_random(&shape, seed);
    ccmod_workload *workload = records_workload(&table);
    ccmod_calibration calibration = ccmod_calibration_line(1.3, 4.7, 93);
    ccmod_parameters parameters = way_of(way);
    ccmod_result *result = NULL;
    ccmod_error error;

    calibration.eager_bytes = 700;
    ck_assert_msg(ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result,
                                 &error) == CCMOD_OK,
                  "%s", error.text);
    for (size_t i = 0; i < result->processors; i++)
        hash = hash_bits(hash, ccmod_result_processor(result, i).clock_us);
    for (size_t i = 0; i < result->cells; i++)
        hash = hash_bits(hash, ccmod_result_cell(result, i).lost_us);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    records_free(&table);
    return hash;
}

static uint64_t hash_of(const char *text)
{
    ccmod_network *network = NULL;
    uint64_t hash = 0;
    ccmod_error error;

    ck_assert_msg(ccmod_network_open(text, 16, &network, &error) == CCMOD_OK, "%s", error.text);
    for (unsigned i = 0; i < WAYS * SEEDS; i++)
        hash = evaluate(hash, network, i % WAYS, i / WAYS);
    ccmod_network_free(network);
    return hash;
}

START_TEST(results_are_the_same_with_every_compiler)
{
    char found[1024] = "";
    bool right = true;

    for (size_t kind = 0; network_text(kind) != NULL; kind++) {
        uint64_t hash = hash_of(network_text(kind));
        size_t used = strlen(found);

        right = right && kind < sizeof(known) / sizeof(known[0]) && hash == known[kind];
        snprintf(found + used, sizeof(found) - used, " %s UINT64_C(0x%016" PRIx64 "),",
                 ccmod_network_kinds[kind]->name, hash);
    }
    ck_assert_msg(right, "found%s", found);
}
END_TEST

UNIT_MAIN("determinism", results_are_the_same_with_every_compiler)
