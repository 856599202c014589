/* Lists of rates and shares. */
#include "farm/load.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

enum { TEXT_BYTES = 64 };

static const double largest_rate_hz = 1e9, largest_share_pct = 1000, least = 0.01;

static bool parse_point(const char *text, farm_load_point *out, char *why)
{
    double value;

    if (text[0] != '\0' && text[strlen(text) - 1] == '%') {
        if (!cb_parse_real(text, least, largest_share_pct, "%", &value, why))
            return false;
        *out = (farm_load_point){.share = value / 100};
        return true;
    }
    if (!cb_parse_real(text, least, largest_rate_hz, "Hz", &value, why))
        return false;
    *out = (farm_load_point){.rate_hz = value};
    return true;
}

static cb_status refuse(const char *text, const char *why)
{
    cb_error("--load-curve '%s': %s; give rates as 10kHz, or per cent of the closed loop's "
             "frequency as 50%%, separated by commas",
             text, why);
    return CB_ERROR_USAGE;
}

static bool same(double one, double other)
{
    return !(one < other) && !(one > other);
}

static bool is_repeated(const farm_load_point *points, size_t count)
{
    const farm_load_point *last = &points[count];

    for (size_t i = 0; i < count; i++)
        if (same(points[i].rate_hz, last->rate_hz) && same(points[i].share, last->share))
            return true;
    return false;
}

cb_status farm_load_parse(const char *text, farm_load_point points[FARM_LOAD_POINTS], size_t *count)
{
    const char *at = text;

    *count = 0;
    for (;;) {
        size_t length = strcspn(at, ",");
        char one[TEXT_BYTES], why[CB_WHY_BYTES];

        if (length >= sizeof(one))
            return refuse(text, "an element is too long to be a rate");
        if (*count == FARM_LOAD_POINTS)
            return refuse(text, "it has more than 64 elements");
        memcpy(one, at, length);
        one[length] = '\0';
        if (!parse_point(one, &points[*count], why))
            return refuse(text, why);
        if (is_repeated(points, *count))
            return refuse(text, "an element is repeated");
        ++*count;
        if (at[length] == '\0')
            return CB_OK;
        at += length + 1;
    }
}

double farm_quantile(const char *name)
{
    static const struct {
        const char *name;
        double quantile;
    } table[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].quantile;
    return 0;
}
