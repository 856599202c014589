/* Parse rates and shares. */
#include "rate/load.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/units.h"

enum { TEXT_BYTES = 64 };

static const double largest_rate_hz = 1e9, largest_share_pct = 1000, least_value = 0.01;

static bool parse_point(const char *text, rate_load_point *out, char *why)
{
    double value;

    if (text[0] != '\0' && text[strlen(text) - 1] == '%') {
        if (!cb_parse_real(text, least_value, largest_share_pct, "%", &value, why))
            return false;
        *out = (rate_load_point){.share = value / 100};
        return true;
    }
    if (!cb_parse_real(text, least_value, largest_rate_hz, "Hz", &value, why))
        return false;
    *out = (rate_load_point){.rate_hz = value};
    return true;
}

static cb_status reject_curve(const char *text, const char *why)
{
    cb_error("--load-curve '%s': %s; give rates such as 10kHz, or percentages of the"
             " highest frequency such as 50%%, separated by commas",
             text, why);
    return CB_ERROR_USAGE;
}

static bool is_repeated(const rate_load_point *points, size_t count)
{
    const rate_load_point *last = &points[count];

    for (size_t i = 0; i < count; i++)
        if (points[i].rate_hz >= last->rate_hz && points[i].rate_hz <= last->rate_hz &&
            points[i].share >= last->share && points[i].share <= last->share)
            return true;
    return false;
}

cb_status rate_load_parse(const char *text, rate_load_point points[RATE_LOAD_POINTS], size_t *count)
{
    const char *at = text;

    *count = 0;
    for (;;) {
        size_t length = strcspn(at, ",");
        char one[TEXT_BYTES], why[CB_WHY_BYTES];

        if (length >= sizeof(one))
            return reject_curve(text, "an element is too long for a rate");
        if (*count == RATE_LOAD_POINTS)
            return reject_curve(text, "it has more than 64 elements");
        memcpy(one, at, length);
        one[length] = '\0';
        if (!parse_point(one, &points[*count], why))
            return reject_curve(text, why);
        if (is_repeated(points, *count))
            return reject_curve(text, "an element is repeated");
        ++*count;
        if (at[length] == '\0')
            return CB_OK;
        at += length + 1;
    }
}

const char *rate_load_curve(const char *text)
{
    return strcmp(text, "auto") == 0 ? "10%,25%,50%,70%,80%,90%,95%,100%,110%" : text;
}

double rate_quantile(const char *name)
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

double rate_load_rate_hz(const rate_load_point *point, double event_ns)
{
    return point->rate_hz > 0 ? point->rate_hz : point->share * 1e9 / event_ns;
}

uint64_t rate_load_events(const rate_arrivals *arrivals, double rate_hz, double event_ns,
                          double time_ns, uint64_t least)
{
    const double fitting = time_ns / fmax(1e9 / rate_hz, event_ns);

    return rate_arrivals_events(arrivals, (uint64_t)fmax(fitting, 0), least);
}

bool rate_load_fits(const rate_arrivals *arrivals, double rate_hz, double limit_ns)
{
    return (double)rate_arrivals_events(arrivals, 0, RATE_OPEN_EVENTS) * 1e9 / rate_hz <= limit_ns;
}

/* FNV-1a over the filled slots, their number and their length. */
static uint64_t digest_of(const rate_train *train)
{
    const uint64_t prime = 0x100000001b3;
    uint64_t digest = 0xcbf29ce484222325;

    digest = (digest ^ train->slots) * prime;
    digest = (digest ^ (uint64_t)(train->slot_ns * 1e3)) * prime;
    for (size_t i = 0; i < train->count; i++)
        digest = (digest ^ train->filled[i]) * prime;
    return digest;
}

cb_status rate_load_agree(control_team *team, const rate_arrivals *arrivals)
{
    const uint64_t mine = digest_of(&arrivals->train);
    uint64_t first = mine;

    CB_TRY(control_broadcast(team, &first, sizeof(first)));
    if (first != mine)
        cb_error("the bunch structure that --arrivals names differs from that of rank 0; copy the "
                 "same file to all hosts");
    return control_agree(team, first == mine ? CB_OK : CB_ERROR_USAGE);
}
