/* Background loads, intervals and masks of signals, as options have them. */
#include "tools/ccmod/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double largest_load = 0.99;

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
    const bool three = three_allowed && take_prefix(&text, "best-average-worst:");
    ccmod_parameters parameters;
    ccmod_error error;

    *background = (tool_background){CCMOD_BACKGROUND_NONE, 0, false};
    if (ccmod_parameters_set_background(&parameters, text, &error) != CCMOD_OK) {
        snprintf(why, CB_WHY_BYTES, "%.*s", CB_WHY_BYTES - 1, error.text);
        return false;
    }
    if (three && parameters.background != CCMOD_BACKGROUND_CONSTANT) {
        snprintf(why, CB_WHY_BYTES, "the average of three cases is a number");
        return false;
    }
    *background = (tool_background){parameters.background, parameters.background_load, three};
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
