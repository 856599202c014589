/* A main for fuzz targets where there is no libFuzzer: runs the files that it is given, and with
 * -runs=N as many inputs that it makes from them. The same seed makes the same inputs, and input
 * number and seed stand in the message of a failure: they are all that it takes to see it again.
 *
 *     fuzz_options [-runs=N] [-seed=S] FILE... */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/units.h"
#include "tests/fuzz/fuzz.h"

enum { INPUT_BYTES = 4096, CHANGES = 8 };

typedef struct {
    uint8_t bytes[INPUT_BYTES];
    size_t size;
} fuzz_input;

typedef struct {
    fuzz_input *inputs;
    size_t count;
    uint64_t runs;
    uint64_t seed;
} fuzz_campaign;

/* The text that the signal handler prints: the only way to learn which input ended the program. */
static char position[64];

static void print_position(int signal_number)
{
    ssize_t ignored = write(STDERR_FILENO, position, strlen(position));

    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Not if a sanitizer reports errors: its report has more details, and it calls abort afterwards. */
static void watch_signal(int signal_number)
{
    struct sigaction present;

    if (sigaction(signal_number, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
        signal(signal_number, print_position);
}

/* Read by the sanitizers only: without this they exit without abort, so the position would not
 * be printed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static int fail(const char *attempt, const char *object, const char *remedy)
{
    fprintf(stderr, "fuzz: cannot %s '%s'; %s\n", attempt, object, remedy);
    return 2;
}

/* The first INPUT_BYTES of a file. */
static bool read_input(const char *path, fuzz_input *input)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return false;
    input->size = fread(input->bytes, 1, INPUT_BYTES, file);
    return fclose(file) == 0;
}

static void flip_bit(cb_random *random, fuzz_input *input)
{
    if (input->size > 0)
        input->bytes[cb_random_below(random, input->size)] ^=
            (uint8_t)(1u << cb_random_below(random, 8));
}

/* Characters with a meaning for parsers find more errors than others. */
static void insert_character(cb_random *random, fuzz_input *input)
{
    static const char telling[] = "0123456789-+.,=eE%\n\t {}[]\":\\/kKMGiBszHu\x7f\x80\xff";
    size_t at = cb_random_below(random, input->size + 1);

    if (input->size == INPUT_BYTES)
        return;
    memmove(input->bytes + at + 1, input->bytes + at, input->size - at);
    input->bytes[at] = (uint8_t)telling[cb_random_below(random, sizeof(telling))];
    input->size++;
}

static void remove_part(cb_random *random, fuzz_input *input)
{
    size_t at = cb_random_below(random, input->size + 1);
    size_t length = cb_random_below(random, input->size - at + 1);

    memmove(input->bytes + at, input->bytes + at + length, input->size - at - length);
    input->size -= length;
}

static void repeat_part(cb_random *random, fuzz_input *input)
{
    size_t at = cb_random_below(random, input->size + 1);
    size_t length = cb_random_below(random, input->size - at + 1);

    if (length > INPUT_BYTES - input->size)
        return;
    memmove(input->bytes + at + length, input->bytes + at, input->size - at);
    input->size += length;
}

static void (*const changes[])(cb_random *random, fuzz_input *input) = {flip_bit, insert_character,
                                                                        remove_part, repeat_part};

/* Join the start of this input and the end of another one. */
static void splice(cb_random *random, fuzz_input *result, const fuzz_input *other)
{
    size_t kept = cb_random_below(random, result->size + 1);
    size_t from = cb_random_below(random, other->size + 1);
    size_t length = other->size - from;

    if (length > INPUT_BYTES - kept)
        length = INPUT_BYTES - kept;
    memcpy(result->bytes + kept, other->bytes + from, length);
    result->size = kept + length;
}

/* An exact-size copy, so that the address sanitizer detects reads beyond its end. */
static void run_input(const fuzz_input *input)
{
    uint8_t *copy = malloc(input->size > 0 ? input->size : 1);

    FUZZ_REQUIRE(copy != NULL);
    memcpy(copy, input->bytes, input->size);
    LLVMFuzzerTestOneInput(copy, input->size);
    free(copy);
}

static void run_variation(const fuzz_campaign *campaign, uint64_t number)
{
    /* a generator for each number: input 1000 needs none of the inputs before it */
    cb_random random = cb_random_seed(cb_mix64(campaign->seed) ^ number);
    fuzz_input input = campaign->inputs[cb_random_below(&random, campaign->count)];
    uint64_t steps = 1 + cb_random_below(&random, CHANGES);

    if (cb_random_below(&random, 4) == 0)
        splice(&random, &input, &campaign->inputs[cb_random_below(&random, campaign->count)]);
    for (uint64_t i = 0; i < steps; i++)
        changes[cb_random_below(&random, sizeof(changes) / sizeof(changes[0]))](&random, &input);
    snprintf(position, sizeof(position), "fuzz: run %" PRIu64 " of seed %" PRIu64 "\n", number,
             campaign->seed);
    run_input(&input);
}

static bool read_number(const char *word, const char *name, uint64_t *number)
{
    char why[CB_WHY_BYTES];
    size_t length = strlen(name);

    return strncmp(word, name, length) == 0 &&
           cb_parse_count(word + length, 0, UINT64_MAX, number, why);
}

/* Returns 0, or the exit status for a wrong command line. */
static int read_command_line(int argc, char **argv, fuzz_campaign *campaign)
{
    for (int i = 1; i < argc; i++) {
        if (read_number(argv[i], "-runs=", &campaign->runs) ||
            read_number(argv[i], "-seed=", &campaign->seed))
            continue;
        if (argv[i][0] == '-')
            return fail("understand", argv[i], "use -runs=N, -seed=S and files");
        if (!read_input(argv[i], &campaign->inputs[campaign->count]))
            return fail("read", argv[i], "name files that can be read");
        campaign->count++;
    }
    return campaign->count > 0 ? 0 : fail("start with", "no file", "name the files of a corpus");
}

static void run_campaign(const fuzz_campaign *campaign)
{
    for (size_t i = 0; i < campaign->count; i++) {
        snprintf(position, sizeof(position), "fuzz: file %zu\n", i + 1);
        run_input(&campaign->inputs[i]);
    }
    for (uint64_t number = 0; number < campaign->runs; number++)
        run_variation(campaign, number);
    printf("%zu files, %" PRIu64 " variations with seed %" PRIu64 "\n", campaign->count,
           campaign->runs, campaign->seed);
}

int main(int argc, char **argv)
{
    fuzz_campaign campaign = {.inputs = calloc((size_t)argc, sizeof(fuzz_input)), .seed = 1};
    int status;

    FUZZ_REQUIRE(campaign.inputs != NULL);
    watch_signal(SIGABRT);
    watch_signal(SIGSEGV);
    status = read_command_line(argc, argv, &campaign);
    if (status == 0)
        run_campaign(&campaign);
    free(campaign.inputs);
    return status;
}
