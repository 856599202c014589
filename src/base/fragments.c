#include "base/fragments.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/input.h"
#include "base/log.h"
#include "base/random.h"
#include "base/units.h"

static const double deviate_limit = 4.75;
static const double sigma_maximum = 3.0, shape_minimum = 0.1, shape_maximum = 1000.0;

/* Specification */

static bool explain(char *why, const char *text)
{
    snprintf(why, CB_WHY_BYTES, "%s", text);
    return false;
}

static bool parse_size(const char *text, uint64_t minimum, double *out, char *why)
{
    uint64_t bytes;

    if (!cb_parse_size(text, minimum, CB_FRAGMENT_LARGEST, &bytes, why))
        return false;
    *out = (double)bytes;
    return true;
}

/* Cut `text` at `separator` and return what follows; NULL if there is none. */
static char *cut(char *text, char separator)
{
    char *at = strchr(text, separator);

    if (at != NULL)
        *at++ = '\0';
    return at;
}

static bool parse_fixed(char *arguments, cb_fragment_law *out, char *why)
{
    if (!parse_size(arguments, 0, &out->low, why))
        return false;
    out->high = out->low;
    return true;
}

static bool parse_uniform(char *arguments, cb_fragment_law *out, char *why)
{
    char *last = cut(arguments, '-');

    if (last == NULL)
        return explain(why, "needs two sizes, as uniform:512-4KiB");
    if (!parse_size(arguments, 0, &out->low, why) || !parse_size(last, 0, &out->high, why))
        return false;
    if (out->low > out->high)
        return explain(why, "the first size is larger than the second; exchange them");
    return true;
}

static bool parse_lognormal(char *arguments, cb_fragment_law *out, char *why)
{
    char *sigma = cut(arguments, ',');

    if (sigma == NULL)
        return explain(why, "needs median and sigma, as lognormal:1KiB,0.5");
    return parse_size(arguments, 1, &out->scale, why) &&
           cb_parse_real(sigma, 0, sigma_maximum, NULL, &out->shape, why);
}

static bool parse_gamma(char *arguments, cb_fragment_law *out, char *why)
{
    char *shape = cut(arguments, ',');

    if (shape == NULL)
        return explain(why, "needs mean and shape, as gamma:1KiB,2");
    return parse_size(arguments, 1, &out->scale, why) &&
           cb_parse_real(shape, shape_minimum, shape_maximum, NULL, &out->shape, why);
}

static const struct {
    const char *name;
    cb_fragment_kind kind;
    bool (*parse)(char *arguments, cb_fragment_law *out, char *why);
} law_forms[] = {
    {"fixed", CB_FRAGMENT_FIXED, parse_fixed},
    {"uniform", CB_FRAGMENT_UNIFORM, parse_uniform},
    {"lognormal", CB_FRAGMENT_LOGNORMAL, parse_lognormal},
    {"gamma", CB_FRAGMENT_GAMMA, parse_gamma},
};

static uint64_t law_largest(const cb_fragment_law *law);

static bool parse_law(char *text, cb_fragment_law *out, char *why)
{
    char *arguments = cut(text, ':');

    for (size_t i = 0; arguments != NULL && i < sizeof(law_forms) / sizeof(law_forms[0]); i++) {
        if (strcmp(text, law_forms[i].name) != 0)
            continue;
        *out = (cb_fragment_law){.kind = law_forms[i].kind};
        if (!law_forms[i].parse(arguments, out, why))
            return false;
        if (law_largest(out) <= CB_FRAGMENT_LARGEST)
            return true;
        return explain(why, "its largest sizes exceed 1 GiB; give smaller sizes or less variation");
    }
    return explain(why, "is not fixed:SIZE, uniform:SIZE-SIZE, lognormal:MEDIAN,SIGMA, "
                        "gamma:MEAN,SHAPE or, alone, file:PATH");
}

bool cb_fragments_parse(const char *text, double correlation, uint64_t seed, cb_fragments *out,
                        char *why)
{
    enum { LAW_BYTES = 96 };

    *out = (cb_fragments){.correlation = correlation, .seed = seed};
    if (strncmp(text, "file:", 5) == 0) {
        if (text[5] == '\0')
            return explain(why, "needs the name of a file, as file:sizes.txt");
        out->laws[0].kind = CB_FRAGMENT_FILE;
        out->law_count = 1;
        out->path = text + 5;
        return true;
    }
    for (const char *at = text;;) {
        char law[LAW_BYTES];
        size_t length = strcspn(at, "+");

        if (out->law_count == CB_FRAGMENT_LAWS)
            return explain(why, "has more than 64 elements; use a file with a column per source");
        if (length >= sizeof(law))
            return explain(why, "an element is too long");
        memcpy(law, at, length);
        law[length] = '\0';
        if (!parse_law(law, &out->laws[out->law_count], why))
            return false;
        out->law_count++;
        if (at[length] == '\0')
            return true;
        at += length + 1;
    }
}

bool cb_fragments_is_fixed(const cb_fragments *fragments)
{
    for (size_t i = 0; i < fragments->law_count; i++)
        if (fragments->laws[i].kind != CB_FRAGMENT_FIXED)
            return false;
    return true;
}

bool cb_fragments_is_drawn(const cb_fragments *fragments)
{
    return fragments->path == NULL && !cb_fragments_is_fixed(fragments);
}

/* The file */

typedef struct {
    cb_fragments *fragments;
    uint64_t line;
    size_t count, room; /* of the table */
} file_reader;

static cb_status refuse_line(const file_reader *reader, const char *what, const char *remedy)
{
    cb_error("cannot read the sizes of fragments from '%s', line %" PRIu64 ": %s; %s",
             reader->fragments->path, reader->line, what, remedy);
    return CB_ERROR_USAGE;
}

static cb_status add_size(file_reader *reader, const char *word)
{
    cb_fragments *fragments = reader->fragments;
    char why[CB_WHY_BYTES], what[CB_WHY_BYTES + 64];
    uint32_t *table;
    uint64_t bytes;

    if (!cb_parse_size(word, 0, CB_FRAGMENT_LARGEST, &bytes, why)) {
        snprintf(what, sizeof(what), "'%.40s': %s", word, why);
        return refuse_line(reader, what, "write sizes such as 1000 or 4KiB");
    }
    table = cb_grow(fragments->table, reader->count, &reader->room, sizeof(*table));
    if (table == NULL) {
        cb_error("out of memory for the sizes of fragments of '%s'; give a shorter file",
                 fragments->path);
        return CB_ERROR_MEMORY;
    }
    table[reader->count++] = (uint32_t)bytes;
    fragments->table = table;
    return CB_OK;
}

static cb_status read_line(file_reader *reader, char *line)
{
    cb_fragments *fragments = reader->fragments;
    size_t before = reader->count, columns;
    char *rest = NULL, what[96];

    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n,", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n,", &rest))
        CB_TRY(add_size(reader, word));
    columns = reader->count - before;
    if (columns == 0)
        return CB_OK;
    if (fragments->rows == 0)
        fragments->columns = columns;
    if (columns != fragments->columns) {
        snprintf(what, sizeof(what), "%zu sizes, but the lines before have %zu", columns,
                 fragments->columns);
        return refuse_line(reader, what, "give each line one size for all sources, or one each");
    }
    fragments->rows++;
    return CB_OK;
}

static cb_status read_lines(cb_fragments *fragments, FILE *file)
{
    file_reader reader = {.fragments = fragments};
    cb_status status;
    size_t room = 0;
    char *line = NULL;
    ssize_t length;

    while ((length = getline(&line, &room, file)) >= 0) {
        reader.line++;
        status = strlen(line) != (size_t)length
                     ? refuse_line(&reader, "a zero byte", "give a text file")
                     : read_line(&reader, line);
        if (status != CB_OK)
            goto done;
    }
    status = CB_ERROR_USAGE;
    if (ferror(file))
        cb_error("cannot read the sizes of fragments from '%s': %s", fragments->path,
                 strerror(errno));
    else if (fragments->rows == 0)
        cb_error("'%s' has no sizes of fragments; give a line for each event", fragments->path);
    else
        status = CB_OK;
done:
    free(line);
    return status;
}

cb_status cb_fragments_read(cb_fragments *fragments)
{
    char why[CB_INPUT_WHY_BYTES];
    cb_status status;
    FILE *file;

    if (fragments->path == NULL)
        return CB_OK;
    cb_fragments_free(fragments);
    file = cb_input_stream(fragments->path, CB_INPUT_LARGEST_TABLE_BYTES, why);
    if (file == NULL) {
        cb_error("cannot open '%s' with the sizes of fragments: %s; check --fragments",
                 fragments->path, why);
        return CB_ERROR_USAGE;
    }
    status = read_lines(fragments, file);
    fclose(file);
    if (status != CB_OK)
        cb_fragments_free(fragments);
    return status;
}

void cb_fragments_free(cb_fragments *fragments)
{
    free(fragments->table);
    fragments->table = NULL;
    fragments->rows = 0;
    fragments->columns = 0;
}

/* Distributions */

static double normal_probability(double deviate)
{
    return 0.5 * erfc(-deviate / sqrt(2));
}

/* The regularised lower incomplete gamma function, by its series or by its continued fraction. */
static double gamma_probability(double shape, double x)
{
    double factor = exp(shape * log(x) - x - lgamma(shape));

    if (x <= 0)
        return 0;
    if (x < shape + 1) {
        double term = 1 / shape, sum = term;

        for (double n = shape + 1; fabs(term) > 1e-15 * sum; n++) {
            term *= x / n;
            sum += term;
        }
        return sum * factor;
    }
    {
        double b = x + 1 - shape, c = 1e300, d = 1 / b, fraction = d, change = 0;

        for (int n = 1; n < 10000 && fabs(change - 1) > 1e-14; n++) {
            double a = -n * (n - shape);

            b += 2;
            d = 1 / (a * d + b);
            c = b + a / c;
            change = c * d;
            fraction *= change;
        }
        return 1 - factor * fraction;
    }
}

/* Where the standard gamma distribution has the probability of a normal deviate: Newton's method,
 * kept within an interval, from the approximation by Wilson and Hilferty. */
static double gamma_quantile(double shape, double deviate)
{
    double probability = normal_probability(deviate);
    double cube = 1 - 1 / (9 * shape) + deviate / (3 * sqrt(shape));
    double low = 0, high = shape + 10 * sqrt(shape) + 40;
    double x = shape >= 1 && cube > 0 ? shape * cube * cube * cube
                                      : exp((log(probability) + lgamma(shape + 1)) / shape);

    if (!(x > 0))
        return 0;
    x = fmin(x, high / 2);
    for (int round = 0; round < 60; round++) {
        double excess = gamma_probability(shape, x) - probability;
        double next = x - excess / exp((shape - 1) * log(x) - x - lgamma(shape));

        if (excess > 0)
            high = x;
        else
            low = x;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - x) <= 1e-9 * x)
            return next;
        x = next;
    }
    return x;
}

/* The size of a normal deviate, whatever the law. */
static uint64_t law_size(const cb_fragment_law *law, double deviate)
{
    double width = law->high - law->low + 1;

    switch (law->kind) {
    case CB_FRAGMENT_UNIFORM:
        return (uint64_t)fmin(law->low + floor(normal_probability(deviate) * width), law->high);
    case CB_FRAGMENT_LOGNORMAL:
        return (uint64_t)llround(law->scale * exp(law->shape * deviate));
    case CB_FRAGMENT_GAMMA:
        return (uint64_t)llround(law->scale * gamma_quantile(law->shape, deviate) / law->shape);
    default:
        return (uint64_t)law->low;
    }
}

static uint64_t law_largest(const cb_fragment_law *law)
{
    return law->kind == CB_FRAGMENT_UNIFORM ? (uint64_t)law->high : law_size(law, deviate_limit);
}

static uint64_t law_smallest(const cb_fragment_law *law)
{
    return law->kind == CB_FRAGMENT_UNIFORM ? (uint64_t)law->low : law_size(law, -deviate_limit);
}

static double law_mean(const cb_fragment_law *law)
{
    double limit = deviate_limit, sigma = law->shape;

    switch (law->kind) {
    case CB_FRAGMENT_LOGNORMAL: /* of deviates that are cut at the limit */
        return law->scale * (exp(sigma * sigma / 2) * (normal_probability(limit - sigma) -
                                                       normal_probability(-limit - sigma)) +
                             2 * cosh(sigma * limit) * normal_probability(-limit));
    case CB_FRAGMENT_GAMMA:
        return law->scale;
    default:
        return 0.5 * (law->low + law->high);
    }
}

/* A normal deviate for a key, by the method of Box and Muller; uniform numbers exclude 0. */
static double deviate_of(uint64_t key)
{
    const double two_pi = 6.283185307179586;
    double first = ((double)(cb_mix64(key) >> 11) + 0.5) * 0x1.0p-53;
    double second = (double)(cb_mix64(~key) >> 11) * 0x1.0p-53;

    return sqrt(-2 * log(first)) * cos(two_pi * second);
}

static const cb_fragment_law *law_of(const cb_fragments *fragments, size_t source)
{
    return &fragments->laws[source % fragments->law_count];
}

uint64_t cb_fragments_size(const cb_fragments *fragments, uint64_t event, size_t source)
{
    const cb_fragment_law *law = law_of(fragments, source);
    double common = fragments->correlation, deviate;
    uint64_t key;

    event %= cb_fragments_period(fragments);
    if (law->kind == CB_FRAGMENT_FILE)
        return fragments->table[event * fragments->columns + (fragments->columns > 1 ? source : 0)];
    if (law->kind == CB_FRAGMENT_FIXED)
        return (uint64_t)law->low;
    key = cb_mix64(cb_mix64(fragments->seed) ^ event);
    deviate = sqrt(common) * deviate_of(key) +
              sqrt(1 - common) * deviate_of(cb_mix64(key ^ (source + 1)));
    return law_size(law, fmax(-deviate_limit, fmin(deviate, deviate_limit)));
}

size_t cb_fragments_sources(const cb_fragments *fragments)
{
    return fragments->columns > 1 ? fragments->columns : SIZE_MAX;
}

uint64_t cb_fragments_period(const cb_fragments *fragments)
{
    if (fragments->path != NULL)
        return fragments->rows > 0 ? fragments->rows : 1;
    return cb_fragments_is_fixed(fragments) ? 1 : CB_FRAGMENT_EVENTS;
}

/* Number of columns of the file that the first `sources` sources have. */
static size_t columns_of(const cb_fragments *fragments, size_t sources)
{
    return sources < fragments->columns ? sources : fragments->columns;
}

typedef uint64_t (*size_choice)(uint64_t one, uint64_t other);

static uint64_t smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Choose among all sizes of the file, or among the limits of all laws. */
static uint64_t choose_size(const cb_fragments *fragments, size_t sources, size_choice choose,
                            uint64_t (*limit)(const cb_fragment_law *law), uint64_t begin)
{
    size_t columns = columns_of(fragments, sources);
    uint64_t chosen = begin;

    for (size_t row = 0; row < fragments->rows; row++)
        for (size_t column = 0; column < columns; column++)
            chosen = choose(chosen, fragments->table[row * fragments->columns + column]);
    if (fragments->path != NULL)
        return chosen;
    for (size_t i = 0; i < fragments->law_count && i < sources; i++)
        chosen = choose(chosen, limit(&fragments->laws[i]));
    return chosen;
}

uint64_t cb_fragments_largest(const cb_fragments *fragments, size_t sources)
{
    return choose_size(fragments, sources, larger, law_largest, 0);
}

uint64_t cb_fragments_smallest(const cb_fragments *fragments, size_t sources)
{
    return choose_size(fragments, sources, smaller, law_smallest, UINT64_MAX);
}

double cb_fragments_mean(const cb_fragments *fragments, size_t sources)
{
    size_t columns = columns_of(fragments, sources);
    double sum = 0;

    if (fragments->path == NULL) {
        for (size_t source = 0; source < sources; source++)
            sum += law_mean(law_of(fragments, source));
        return sources > 0 ? sum / (double)sources : 0;
    }
    for (size_t row = 0; row < fragments->rows; row++)
        for (size_t column = 0; column < columns; column++)
            sum += fragments->table[row * fragments->columns + column];
    return fragments->rows > 0 && columns > 0 ? sum / ((double)fragments->rows * (double)columns)
                                              : 0;
}
