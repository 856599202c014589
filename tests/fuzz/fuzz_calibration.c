/* Fuzz target for calibration files and measurements in two columns: an accepted file keeps its
 * limits, can be evaluated, and is unchanged by writing and reading it; a refused one gets a
 * message with file and reason. */
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/fuzz/fuzz.h"
#include "tools/ccmod/measurements_columns.h"

static void require_error(ccmod_status status, const ccmod_error *error, const char *begins)
{
    FUZZ_REQUIRE(status == CCMOD_ERROR_USAGE && error->status == status);
    FUZZ_REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
    FUZZ_REQUIRE(strncmp(error->text, begins, strlen(begins)) == 0);
    FUZZ_REQUIRE(strlen(error->text) > 20);
}

/* Absent, or between zero and the whole of a link. */
static void require_contention(double contention)
{
    FUZZ_REQUIRE((contention >= 1 && contention <= 2) || (contention >= 0 && contention <= 0));
}

static void require_limits(const ccmod_calibration *made)
{
    FUZZ_REQUIRE(made->line_count >= 1 && made->line_count <= CCMOD_LINES);
    for (size_t i = 0; i < made->line_count; i++) {
        const ccmod_line *line = &made->lines[i];

        FUZZ_REQUIRE(line->overhead_us >= 0 && line->latency_us >= 0 && line->us_per_byte >= 0);
        FUZZ_REQUIRE(isfinite(line->overhead_us + line->latency_us + line->us_per_byte));
        FUZZ_REQUIRE(i == 0 || line->to_bytes > made->lines[i - 1].to_bytes);
    }
    FUZZ_REQUIRE(made->lines[made->line_count - 1].to_bytes == UINT64_MAX);
    FUZZ_REQUIRE(made->hold_count <= CCMOD_LINES);
    FUZZ_REQUIRE(made->hold_count == 0 || made->holds[made->hold_count - 1].to_bytes == UINT64_MAX);
    require_contention(made->out_contention);
    require_contention(made->in_contention);
    require_contention(made->duplex_contention);
    FUZZ_REQUIRE(made->acknowledgement_us >= 0 && isfinite(made->acknowledgement_us));
}

/* Messages of sizes at the breaks and between them. */
static void require_delays(const ccmod_calibration *made)
{
    static const uint64_t sizes[] = {0, 1, 1000, UINT64_C(1) << 20, UINT64_C(1) << 53};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ccmod_delay delay = ccmod_default_quiet_delay(made, 2, sizes[i]);

        FUZZ_REQUIRE(isfinite(delay.overhead_us + delay.latency_us + delay.transfer_us));
        FUZZ_REQUIRE(delay.overhead_us >= 0 && delay.latency_us >= 0 && delay.transfer_us >= 0);
    }
}

/* Writing the file again gives the same text: nine digits are enough. */
static char *write_text(const ccmod_calibration *made)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    FUZZ_REQUIRE(stream != NULL);
    ccmod_calibration_write(made, stream);
    FUZZ_REQUIRE(fclose(stream) == 0);
    return text;
}

static void require_rereading(const ccmod_calibration *made)
{
    char *first = write_text(made), *second;
    FILE *stream = fmemopen(first, strlen(first), "r");
    ccmod_calibration again;
    ccmod_error error;

    FUZZ_REQUIRE(stream != NULL);
    FUZZ_REQUIRE(ccmod_calibration_read(stream, "again.cal", &again, &error) == CCMOD_OK);
    fclose(stream);
    second = write_text(&again);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    free(first);
    free(second);
}

static void try_calibration(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    ccmod_calibration made;
    ccmod_error error = {0};
    ccmod_status status;

    FUZZ_REQUIRE(stream != NULL);
    status = ccmod_calibration_read(stream, "fuzz.cal", &made, &error);
    fclose(stream);
    if (status == CCMOD_OK) {
        require_limits(&made);
        require_delays(&made);
        require_rereading(&made);
    } else {
        require_error(status, &error, "fuzz.cal");
    }
}

static void fit(const measurements *found, bool plain)
{
    ccmod_fit_wish wish = {.residual_limit = 10, .plain = plain, .segments_allowed = plain ? 2 : 0};
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration made;
    ccmod_error error = {0};
    ccmod_status status =
        ccmod_calibration_fit(found->points, found->count, &wish, &made, fits, &error);

    if (status != CCMOD_OK) {
        require_error(status, &error, "");
        return;
    }
    ccmod_calibration_divide(&made, 1);
    require_limits(&made);
    for (size_t i = 0; i < made.line_count; i++)
        FUZZ_REQUIRE(fits[i].points > 0 && (plain || fits[i].rms_residual <= wish.residual_limit));
}

static void try_columns(const uint8_t *data, size_t size)
{
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "r");
    measurements found = {.count = 0};
    ccmod_error error = {0};
    ccmod_status status;

    FUZZ_REQUIRE(stream != NULL);
    status = measurements_read_columns(stream, "fuzz.txt", false, &found, &error);
    fclose(stream);
    if (status == CCMOD_OK) {
        fit(&found, false);
        fit(&found, true);
    } else {
        require_error(status, &error, "fuzz.txt");
    }
    measurements_close(&found);
}

/* The input as it is, and after a valid head, since most changes to a head end the reading at
 * once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "%calibration 1\n";
    uint8_t *headed = malloc(sizeof(head) - 1 + size);

    FUZZ_REQUIRE(headed != NULL);
    if (size > 0) {
        memcpy(headed, head, sizeof(head) - 1);
        memcpy(headed + sizeof(head) - 1, data, size);
        try_calibration(data, size);
        try_calibration(headed, sizeof(head) - 1 + size);
        try_columns(data, size);
    }
    free(headed);
    return 0;
}
