/* Background loads, intervals and masks of signals, as options have them. */
#include "tools/ccmod/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char rate_unit[] = "packets/s";

/* Loads */

static const double largest_load = 0.99, largest_rate_hz = 1e15;

enum { NUMBER_BYTES = 64 };

/* A positive number of `length` characters. */
static bool read_rate(const char *text, size_t length, double minimum_hz, double *rate_hz,
                      char *why)
{
    char number[NUMBER_BYTES];

    if (length >= sizeof(number)) {
        snprintf(why, CB_WHY_BYTES, "a number is too long");
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    return cb_parse_real(number, minimum_hz, largest_rate_hz, NULL, rate_hz, why);
}

/* "7000/25000packets/s": the mean, and what the link carries at most. */
static bool read_rates(const char *text, const char *maximum, double *load, char *why)
{
    const char *unit = strstr(maximum, rate_unit);
    double mean_hz, maximum_hz;

    if (unit == NULL || unit[strlen(rate_unit)] != '\0') {
        snprintf(why, CB_WHY_BYTES,
                 "a mean and the maximum of a link are rates: write 7000/25000packets/s");
        return false;
    }
    if (!read_rate(text, (size_t)(maximum - 1 - text), 0, &mean_hz, why) ||
        !read_rate(maximum, (size_t)(unit - maximum), 1e-6, &maximum_hz, why))
        return false;
    *load = mean_hz / maximum_hz;
    if (*load <= largest_load)
        return true;
    snprintf(why, CB_WHY_BYTES, "the mean must not be above %g %% of the maximum",
             100 * largest_load);
    return false;
}

static bool take_prefix(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);

    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

bool tool_parse_background(const char *text, bool three_allowed, tool_background *background,
                           char *why)
{
    bool exponential = take_prefix(&text, "exp:");
    bool three = !exponential && three_allowed && take_prefix(&text, "best-average-worst:");
    const char *slash = strchr(text, '/');
    double load;

    *background = (tool_background){CCMOD_BACKGROUND_NONE, 0, false};
    if (!exponential && !three && strcmp(text, "none") == 0)
        return true;
    if (slash != NULL ? !read_rates(text, slash + 1, &load, why)
                      : !cb_parse_real(text, 0, largest_load, NULL, &load, why))
        return false;
    *background = (tool_background){
        exponential ? CCMOD_BACKGROUND_EXPONENTIAL : CCMOD_BACKGROUND_CONSTANT, load, three};
    return true;
}

/* The mean over the quantiles of the highest load. */
double tool_background_factor(double mean, unsigned links)
{
    enum { QUANTILES = 10000 };
    double sum = 0;

    for (int i = 0; i < QUANTILES; i++) {
        double share = pow((i + 0.5) / QUANTILES, 1.0 / links);

        sum += 1 / (1 - fmin(-mean * log(1 - share), largest_load));
    }
    return sum / QUANTILES;
}

bool tool_parse_interval(const char *text, double *interval_us, char *why)
{
    if (strcmp(text, "evaluation") != 0)
        return cb_parse_real(text, 1, 1e12, "us", interval_us, why);
    *interval_us = 0;
    return true;
}

bool tool_parse_buffer(const char *text, uint64_t *bytes, double *alpha, char *why)
{
    static const uint64_t most_bytes = UINT64_C(1) << 50;
    static const char shared[] = ",shared:";
    const char *found = strstr(text, shared);
    char size[NUMBER_BYTES];

    *alpha = 0;
    if (found == NULL)
        return cb_parse_size(text, 1, most_bytes, bytes, why);
    if ((size_t)(found - text) >= sizeof(size)) {
        snprintf(why, CB_WHY_BYTES, "a number is too long");
        return false;
    }
    memcpy(size, text, (size_t)(found - text));
    size[found - text] = '\0';
    return cb_parse_size(size, 1, most_bytes, bytes, why) &&
           cb_parse_real(found + strlen(shared), 1e-3, 1e3, NULL, alpha, why);
}

/* Masks */

static bool find_signals(const char *word, size_t length, uint32_t *mask)
{
    static const struct {
        const char *name;
        uint32_t mask;
    } sets[] = {{"all", CCMOD_WANTS_ALL}, {"none", 0}, {"horizons", CCMOD_WANTS_HORIZONS}};

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (strncasecmp(word, sets[i].name, length) == 0 && sets[i].name[length] == '\0') {
            *mask = sets[i].mask;
            return true;
        }
    }
    for (unsigned kind = 0; kind < CCMOD_SIGNALS; kind++) {
        const char *name = ccmod_signal_name((ccmod_signal_kind)kind);

        if (strncasecmp(word, name, length) == 0 && name[length] == '\0') {
            *mask = CCMOD_WANTS(kind);
            return true;
        }
    }
    return false;
}

bool tool_parse_mask(const char *text, uint32_t *mask, char *why)
{
    *mask = text[0] == '-' ? CCMOD_WANTS_ALL : 0;
    for (;;) {
        bool removed = text[0] == '-';
        const char *word = text + removed;
        size_t length = strcspn(word, ",");
        uint32_t named;

        if (length == 0 || !find_signals(word, length, &named)) {
            snprintf(why, CB_WHY_BYTES, "'%.*s' is no signal", (int)(length < 32 ? length : 32),
                     word);
            return false;
        }
        *mask = removed ? *mask & ~named : *mask | named;
        if (word[length] == '\0')
            return true;
        text = word + length + 1;
    }
}
