/* Fuzz target for arrival processes and files of bunch structures. What is accepted has the slots
 * that the file says, in order, and its due times do not go back. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "rate/arrivals.h"
#include "tests/fuzz/fuzz.h"

static void require_schedule(const rate_arrivals *arrivals, double rate_hz)
{
    rate_schedule schedule = rate_schedule_make(arrivals, rate_hz, 1, 1000);
    uint64_t before_ns = 1000;

    for (int i = 0; i < 100; i++) {
        uint64_t now_ns = rate_schedule_next(&schedule);

        FUZZ_REQUIRE(now_ns >= before_ns);
        before_ns = now_ns;
    }
    FUZZ_REQUIRE(rate_arrivals_period(arrivals) >= 1);
    FUZZ_REQUIRE(rate_arrivals_events(arrivals, 0, 20) >= 20);
    FUZZ_REQUIRE(rate_arrivals_longest_ns(arrivals, rate_hz) > 0);
}

static void try_process(const char *text)
{
    rate_arrivals arrivals;
    cb_status status;

    if (strncmp(text, "train:", 6) == 0)
        return; /* no files of the machine */
    status = rate_arrivals_parse(text, &arrivals);
    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (status != CB_OK)
        return;
    require_schedule(&arrivals, 1e3);
    require_schedule(&arrivals, 1e9);
    rate_arrivals_free(&arrivals);
}

static void try_train(const char *text, size_t bytes)
{
    rate_arrivals arrivals = {.process = RATE_TRAIN};
    const rate_train *train = &arrivals.train;
    cb_status status = rate_train_parse("fuzz.train", text, bytes, &arrivals.train);

    FUZZ_REQUIRE(status == CB_OK || status == CB_ERROR_USAGE);
    if (status != CB_OK) {
        FUZZ_REQUIRE(train->filled == NULL && train->count == 0);
        return;
    }
    FUZZ_REQUIRE(train->count >= 1 && train->count <= train->slots);
    FUZZ_REQUIRE(train->slots <= RATE_TRAIN_SLOTS_MOST &&
                 train->filled[train->count - 1] < train->slots);
    FUZZ_REQUIRE(isfinite(train->slot_ns) && train->slot_ns >= 0);
    for (size_t i = 1; i < train->count; i++)
        FUZZ_REQUIRE(train->filled[i - 1] < train->filled[i]);
    require_schedule(&arrivals, 1e3);
    require_schedule(&arrivals, 1e9);
    rate_arrivals_free(&arrivals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    cb_log_silence(1);
    try_process(text);
    try_train(text, size);
    free(text);
    return 0;
}
