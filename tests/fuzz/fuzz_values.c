/* Fuzz target for the values of ccmod's options: loads, intervals, buffers and masks of
 * signals. What is
 * accepted keeps its limits; what is refused has a reason. */
#include <math.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/ccmod/values.h"

static void require_reason(const char *why)
{
    FUZZ_REQUIRE(memchr(why, '\0', CB_WHY_BYTES) != NULL);
    FUZZ_REQUIRE(strlen(why) > 4);
}

static void try_background(const char *text, bool three_allowed)
{
    tool_background found;
    char why[CB_WHY_BYTES] = "";

    if (!tool_parse_background(text, three_allowed, &found, why)) {
        require_reason(why);
        return;
    }
    FUZZ_REQUIRE(found.load >= 0 && found.load <= 0.99);
    FUZZ_REQUIRE(three_allowed || !found.three);
    FUZZ_REQUIRE(!found.three || found.kind == CCMOD_BACKGROUND_CONSTANT);
    FUZZ_REQUIRE((found.kind == CCMOD_BACKGROUND_EXPONENTIAL) == (strncmp(text, "exp:", 4) == 0));
    FUZZ_REQUIRE((found.kind == CCMOD_BACKGROUND_NONE) == (strcmp(text, "none") == 0));
    if (strchr(text, '/') != NULL)
        FUZZ_REQUIRE(strstr(text, "packets/s") != NULL);
}

static void try_interval(const char *text)
{
    char why[CB_WHY_BYTES] = "";
    double us = -1;

    if (!tool_parse_interval(text, &us, why)) {
        require_reason(why);
        return;
    }
    if (strcmp(text, "evaluation") == 0)
        FUZZ_REQUIRE(!(us > 0) && us >= 0);
    else
        FUZZ_REQUIRE(us >= 1 && us <= 1e12);
}

static void try_buffer(const char *text)
{
    ccmod_parameters found = {.buffer_alpha = -1};
    ccmod_error error;

    if (ccmod_parameters_set_buffer(&found, text, &error) != CCMOD_OK) {
        require_reason(error.text);
        return;
    }
    FUZZ_REQUIRE(found.buffer_bytes >= 1 && found.buffer_bytes <= UINT64_C(1) << 50);
    FUZZ_REQUIRE(strchr(text, ',') != NULL ? found.buffer_alpha >= 1e-3 && found.buffer_alpha <= 1e3
                                           : !(found.buffer_alpha > 0));
}

static void try_mask(const char *text)
{
    char why[CB_WHY_BYTES] = "";
    uint32_t mask = 0;

    if (tool_parse_mask(text, &mask, why))
        FUZZ_REQUIRE((mask & ~CCMOD_WANTS_ALL) == 0 && text[0] != '\0' && text[0] != ',');
    else
        require_reason(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    try_background(text, true);
    try_background(text, false);
    try_interval(text);
    try_buffer(text);
    try_mask(text);
    free(text);
    return 0;
}
