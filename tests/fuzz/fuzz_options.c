/* Fuzz target for the parsers of the command line: those of numbers and lists get the whole
 * input, and cb_options_parse gets its lines as words. Accepted values must be in range and the
 * same when printed and read again; refused ones must have a reason. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 64, HERE = 1, ELSEWHERE = 2 };

typedef struct {
    cb_list sizes, receivers;
    uint64_t window, buffer_bytes;
    double max_time_s, rate_hz;
    const char *wait, *output;
    bool verify;
} fuzz_settings;

static const char *const waits[] = {"auto", "spin", "yield", "block", NULL};

static const cb_option rows[] = {
    {.name = "sizes",
     .type = CB_OPTION_SIZE_LIST,
     .offset = offsetof(fuzz_settings, sizes),
     .argument = "LIST",
     .default_text = "0,64,256,1024",
     .maximum = 0x1p32,
     .key = "sizes_bytes",
     .help = "Sizes"},
    {.name = "receivers",
     .type = CB_OPTION_COUNT_LIST,
     .offset = offsetof(fuzz_settings, receivers),
     .argument = "RANKS",
     .minimum = 1,
     .maximum = 100000,
     .key = "receivers",
     .help = "Receivers"},
    {.name = "window",
     .type = CB_OPTION_COUNT,
     .scope = HERE,
     .offset = offsetof(fuzz_settings, window),
     .argument = "W",
     .default_text = "64",
     .minimum = 1,
     .maximum = 65536,
     .key = "window",
     .help = "Window"},
    {.name = "buffer",
     .type = CB_OPTION_SIZE,
     .offset = offsetof(fuzz_settings, buffer_bytes),
     .argument = "BYTES",
     .maximum = 0x1p64,
     .key = "buffer_bytes",
     .help = "Buffer"},
    {.name = "max-time",
     .type = CB_OPTION_REAL,
     .offset = offsetof(fuzz_settings, max_time_s),
     .argument = "S",
     .default_text = "1.5",
     .minimum = 0.001,
     .maximum = 3600,
     .unit = "s",
     .key = "max_time_s",
     .help = "Time"},
    {.name = "rate",
     .type = CB_OPTION_REAL,
     .scope = ELSEWHERE,
     .offset = offsetof(fuzz_settings, rate_hz),
     .argument = "R",
     .maximum = HUGE_VAL,
     .unit = "Hz",
     .key = "rate_Hz",
     .help = "Rate"},
    {.name = "wait",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(fuzz_settings, wait),
     .argument = "POLICY",
     .default_text = "auto",
     .choices = waits,
     .key = "wait",
     .help = "Wait"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(fuzz_settings, output),
     .argument = "FILE",
     .key = "output",
     .help = "Output"},
    {.name = "verify",
     .type = CB_OPTION_FLAG,
     .offset = offsetof(fuzz_settings, verify),
     .key = "verify",
     .help = "Verify"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Help"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void name_owners(const cb_option_table *of, const char *name, char *text, size_t bytes)
{
    FUZZ_REQUIRE(of->mask == HERE && strcmp(name, "rate") == 0);
    snprintf(text, bytes, "cb_elsewhere");
}

static const cb_option_table table = {
    .program = "fuzz_options",
    .options = rows,
    .option_count = ROWS,
    .mask = HERE,
    .name_owners = name_owners,
};

/* With a terminator, so that a reason that exceeds its buffer is found. */
static void require_reason(const char *why)
{
    FUZZ_REQUIRE(memchr(why, '\0', CB_WHY_BYTES) != NULL);
    FUZZ_REQUIRE(why[0] != '\0');
}

static void try_size(const char *text, uint64_t minimum, uint64_t maximum)
{
    char why[CB_WHY_BYTES] = "";
    char printed[24];
    uint64_t bytes;
    uint64_t again;

    if (!cb_parse_size(text, minimum, maximum, &bytes, why)) {
        require_reason(why);
        return;
    }
    FUZZ_REQUIRE(bytes >= minimum && bytes <= maximum);
    cb_format_size(bytes, printed);
    FUZZ_REQUIRE(cb_parse_size(printed, bytes, bytes, &again, why));
    FUZZ_REQUIRE(again == bytes);
}

static void try_count(const char *text, uint64_t minimum, uint64_t maximum)
{
    char why[CB_WHY_BYTES] = "";
    uint64_t count;
    uint64_t bytes;

    if (!cb_parse_count(text, minimum, maximum, &count, why)) {
        require_reason(why);
        return;
    }
    FUZZ_REQUIRE(count >= minimum && count <= maximum);
    /* every count is also a size */
    FUZZ_REQUIRE(cb_parse_size(text, minimum, maximum, &bytes, why) && bytes == count);
}

static void try_real(const char *text, double minimum, double maximum, const char *unit)
{
    char why[CB_WHY_BYTES] = "";
    char printed[64];
    double value;
    double again;

    if (!cb_parse_real(text, minimum, maximum, unit, &value, why)) {
        require_reason(why);
        return;
    }
    FUZZ_REQUIRE(isfinite(value) && value >= minimum && value <= maximum);
    snprintf(printed, sizeof(printed), "%.17g", value);
    FUZZ_REQUIRE(cb_parse_real(printed, minimum, maximum, unit, &again, why));
    FUZZ_REQUIRE(!(again < value) && !(again > value));
}

static int compare_values(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Sorts the list; the caller does not need its order. */
static void require_list(cb_list *list, uint64_t minimum, uint64_t maximum)
{
    FUZZ_REQUIRE(list->count > 0 && list->count <= CB_LIST_MAXIMUM);
    qsort(list->values, list->count, sizeof(*list->values), compare_values);
    FUZZ_REQUIRE(list->values[0] >= minimum);
    FUZZ_REQUIRE(list->values[list->count - 1] <= maximum);
    for (size_t i = 1; i < list->count; i++)
        FUZZ_REQUIRE(list->values[i] != list->values[i - 1]);
}

static bool parse_count_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                             char *why)
{
    return cb_parse_count_list(text, minimum, maximum, NULL, list, why);
}

static bool parse_time_list(const char *text, uint64_t minimum, uint64_t maximum, cb_list *list,
                            char *why)
{
    return cb_parse_count_list(text, minimum, maximum, "us", list, why);
}

static void try_list(bool (*parse)(const char *text, uint64_t minimum, uint64_t maximum,
                                   cb_list *list, char *why),
                     const char *text, uint64_t minimum, uint64_t maximum)
{
    char why[CB_WHY_BYTES] = "";
    cb_list list;

    if (!parse(text, minimum, maximum, &list, why)) {
        require_reason(why);
        return;
    }
    require_list(&list, minimum, maximum);
    cb_list_free(&list);
    FUZZ_REQUIRE(list.values == NULL && list.count == 0);
}

static void try_parsers(const char *text)
{
    try_size(text, 0, UINT64_MAX);
    try_size(text, 64, 1u << 20);
    try_count(text, 0, UINT64_MAX);
    try_count(text, 1, 64);
    try_real(text, 0, HUGE_VAL, NULL);
    try_real(text, 0.001, 3600, "s");
    try_real(text, 0, 1e9, "Hz");
    try_real(text, 0.01, 100, "%");
    try_list(cb_parse_size_list, text, 0, UINT64_MAX);
    try_list(parse_count_list, text, 0, UINT64_MAX);
    try_list(parse_count_list, text, 3, 1000);
    try_list(parse_time_list, text, 0, 1000000);
}

static void count_visit(const cb_option *row, const void *value, void *context)
{
    FUZZ_REQUIRE(row->key != NULL && value != NULL);
    ++*(size_t *)context;
}

static void require_settings(fuzz_settings *settings)
{
    size_t visited = 0;

    FUZZ_REQUIRE(settings->window >= 1 && settings->window <= 65536);
    FUZZ_REQUIRE(settings->max_time_s >= 0.001 && settings->max_time_s <= 3600);
    FUZZ_REQUIRE(settings->output == NULL || settings->output[0] != '\0');
    FUZZ_REQUIRE(!(settings->rate_hz > 0));
    require_list(&settings->sizes, 0, UINT64_C(1) << 32);
    if (settings->receivers.count > 0)
        require_list(&settings->receivers, 1, 100000);
    cb_options_visit(&table, settings, count_visit, &visited);
    FUZZ_REQUIRE(visited >= 5 && visited <= ROWS - 2);
}

/* Split `text` into lines in place; words[0] is set already. */
static int split_lines(char *text, char **words)
{
    int count = 1;

    while (count < WORDS && text != NULL) {
        char *end = strchr(text, '\n');

        words[count++] = text;
        if (end != NULL)
            *end++ = '\0';
        text = end;
    }
    words[count] = NULL;
    return count;
}

static void try_command_line(char *text)
{
    static char program[] = "fuzz_options";
    char *words[WORDS + 1] = {program};
    bool given[ROWS];
    const cb_option *action;
    fuzz_settings settings;
    int count = split_lines(text, words);

    FUZZ_REQUIRE(cb_options_defaults(&table, &settings) == CB_OK);
    if (cb_options_parse(&table, count, words, &settings, given, &action) == CB_OK) {
        FUZZ_REQUIRE(action == NULL || action->type == CB_OPTION_ACTION);
        require_settings(&settings);
    }
    cb_options_free(&table, &settings);
    FUZZ_REQUIRE(settings.sizes.values == NULL && settings.receivers.values == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    cb_log_silence(1);
    try_parsers(text);
    try_command_line(text);
    free(text);
    return 0;
}
