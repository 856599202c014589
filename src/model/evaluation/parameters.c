/* Parameters of an evaluation from the text of options. */
#include <ccmod/evaluation.h>

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static const double largest_load = 0.99, largest_rate_hz = 1e15;

static const char rate_unit[] = "packets/s";

enum { NUMBER_BYTES = 64 };

/* The first `length` characters, as a text of their own; false if they are too long for a number.
 */
static bool copy_number(const char *text, size_t length, char number[NUMBER_BYTES], char *why)
{
    if (length >= NUMBER_BYTES) {
        snprintf(why, CB_WHY_BYTES, "a number is too long");
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    return true;
}

/* "7000/25000packets/s": the mean, and what the link carries at most. */
static bool read_rates(const char *text, const char *maximum, double *load, char *why)
{
    const char *unit = strstr(maximum, rate_unit);
    char number[NUMBER_BYTES];
    double mean_hz, maximum_hz;

    if (unit == NULL || unit[strlen(rate_unit)] != '\0') {
        snprintf(why, CB_WHY_BYTES,
                 "a mean and the maximum of a link are rates: write 7000/25000packets/s");
        return false;
    }
    if (!copy_number(text, (size_t)(maximum - 1 - text), number, why) ||
        !cb_parse_real(number, 0, largest_rate_hz, NULL, &mean_hz, why) ||
        !copy_number(maximum, (size_t)(unit - maximum), number, why) ||
        !cb_parse_real(number, 1e-6, largest_rate_hz, NULL, &maximum_hz, why))
        return false;
    *load = mean_hz / maximum_hz;
    if (*load <= largest_load)
        return true;
    snprintf(why, CB_WHY_BYTES, "the mean must not be above %g %% of the maximum",
             100 * largest_load);
    return false;
}

ccmod_status ccmod_parameters_set_background(ccmod_parameters *parameters, const char *text,
                                             ccmod_error *error)
{
    static const char exponential[] = "exp:";
    const bool drawn = strncmp(text, exponential, strlen(exponential)) == 0;
    const char *load = drawn ? text + strlen(exponential) : text;
    const char *slash = strchr(load, '/');
    char why[CB_WHY_BYTES] = "";

    parameters->background = CCMOD_BACKGROUND_NONE;
    parameters->background_load = 0;
    if (strcmp(text, "none") == 0)
        return CCMOD_OK;
    if (slash != NULL
            ? !read_rates(load, slash + 1, &parameters->background_load, why)
            : !cb_parse_real(load, 0, largest_load, NULL, &parameters->background_load, why))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0, "%s", why);
    parameters->background = drawn ? CCMOD_BACKGROUND_EXPONENTIAL : CCMOD_BACKGROUND_CONSTANT;
    return CCMOD_OK;
}

ccmod_status ccmod_parameters_set_buffer(ccmod_parameters *parameters, const char *text,
                                         ccmod_error *error)
{
    static const uint64_t most_bytes = UINT64_C(1) << 50;
    static const char shared[] = ",shared:";
    const char *found = strstr(text, shared);
    char size[NUMBER_BYTES], why[CB_WHY_BYTES] = "";

    parameters->buffer_alpha = 0;
    if (copy_number(text, found != NULL ? (size_t)(found - text) : strlen(text), size, why) &&
        cb_parse_size(size, 1, most_bytes, &parameters->buffer_bytes, why) &&
        (found == NULL ||
         cb_parse_real(found + strlen(shared), 1e-3, 1e3, NULL, &parameters->buffer_alpha, why)))
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0, "%s", why);
}
