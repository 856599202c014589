/* Parse the file line by line; the filled slots are listed at the end, when their number is known.
 */
#include "rate/train.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"

enum { WORDS_MOST = 4, WORD_BYTES = 32, GROUPS_MOST = 65536 };

static const double longest_slot_s = 1, shortest_slot_s = 1e-9;

/* Trains of a line: `times` times `filled` slots with a bunch, then `empty` ones. */
typedef struct {
    uint32_t filled, empty, times;
} train_group;

typedef struct {
    const char *name;
    size_t line;
    train_group *groups;
    size_t group_count;
    uint64_t slots_used, filled;
    rate_train *out;
} train_file;

static cb_status reject_line(const train_file *file, const char *why, const char *remedy)
{
    cb_error("%s:%zu: %s; %s", file->name, file->line, why, remedy);
    return CB_ERROR_USAGE;
}

/* Split a line into words, without its comment. Returns their number; WORDS_MOST + 1 if there are
 * more, or one is too long. */
static size_t split_words(const char *line, size_t length, char words[WORDS_MOST][WORD_BYTES])
{
    size_t count = 0, at = 0;

    while (at < length && line[at] != '#') {
        size_t end = at;

        if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
            at++;
            continue;
        }
        while (end < length && strchr(" \t\r#", line[end]) == NULL)
            end++;
        if (end == at) /* a zero byte, which strchr finds */
            end++;
        if (count == WORDS_MOST || end - at >= WORD_BYTES)
            return WORDS_MOST + 1;
        memcpy(words[count], &line[at], end - at);
        words[count++][end - at] = '\0';
        at = end;
    }
    return count;
}

static cb_status take_slots(train_file *file, const char *word)
{
    const char *remedy = "write slots and their number in an orbit, as slots 3564, once";
    char why[CB_WHY_BYTES];
    uint64_t slots;

    if (file->out->slots > 0)
        return reject_line(file, "slots is repeated", remedy);
    if (!cb_parse_count(word, 1, RATE_TRAIN_SLOTS_MOST, &slots, why))
        return reject_line(file, why, remedy);
    file->out->slots = (uint32_t)slots;
    return CB_OK;
}

static cb_status take_slot(train_file *file, const char *word)
{
    const char *remedy = "write slot and its length, as slot 25ns, once";
    char why[CB_WHY_BYTES];
    double length_s;

    if (file->out->slot_ns > 0)
        return reject_line(file, "slot is repeated", remedy);
    if (!cb_parse_real(word, shortest_slot_s, longest_slot_s, "s", &length_s, why))
        return reject_line(file, why, remedy);
    file->out->slot_ns = length_s * 1e9;
    return CB_OK;
}

static cb_status take_trains(train_file *file, char words[WORDS_MOST][WORD_BYTES], size_t count)
{
    const char *remedy =
        "write train, the filled slots, the empty slots after them, and how often, "
        "as train 72 8 3";
    uint64_t values[3] = {0, 0, 1};
    char why[CB_WHY_BYTES];

    for (size_t i = 0; i + 1 < count; i++)
        if (!cb_parse_count(words[i + 1], i == 2, RATE_TRAIN_SLOTS_MOST, &values[i], why))
            return reject_line(file, why, remedy);
    if (values[0] + values[1] == 0)
        return reject_line(file, "the train has no slots", remedy);
    if (file->group_count == GROUPS_MOST)
        return reject_line(file, "there are more than 65536 lines of trains",
                           "write equal trains in one line");
    file->slots_used += (values[0] + values[1]) * values[2];
    file->filled += values[0] * values[2];
    if (file->slots_used > RATE_TRAIN_SLOTS_MOST)
        return reject_line(file, "the trains up to here have more than 1000000 slots", "use fewer");
    file->groups[file->group_count++] =
        (train_group){(uint32_t)values[0], (uint32_t)values[1], (uint32_t)values[2]};
    return CB_OK;
}

static cb_status take_line(train_file *file, const char *line, size_t length)
{
    char words[WORDS_MOST][WORD_BYTES];
    size_t count = split_words(line, length, words);

    if (count == 0)
        return CB_OK;
    if (count == 2 && strcmp(words[0], "slots") == 0)
        return take_slots(file, words[1]);
    if (count == 2 && strcmp(words[0], "slot") == 0)
        return take_slot(file, words[1]);
    if ((count == 3 || count == 4) && strcmp(words[0], "train") == 0)
        return take_trains(file, words, count);
    return reject_line(file, "the line is none of slots N, slot LENGTH, train FILLED EMPTY [TIMES]",
                       "correct it, or begin it with # if it is a comment");
}

static cb_status list_filled(train_file *file)
{
    rate_train *out = file->out;
    uint32_t slot = 0;

    if (out->slots == 0 || file->filled == 0 || file->slots_used != out->slots) {
        cb_error("%s: the trains have %llu slots, of which %llu are filled, and the orbit has %u; "
                 "make both numbers of slots equal, with a filled one",
                 file->name, (unsigned long long)file->slots_used, (unsigned long long)file->filled,
                 out->slots);
        return CB_ERROR_USAGE;
    }
    out->filled = cb_allocate((size_t)file->filled, sizeof(*out->filled), "the slots of an orbit");
    if (out->filled == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < file->group_count; i++)
        for (uint32_t time = 0; time < file->groups[i].times; time++) {
            for (uint32_t bunch = 0; bunch < file->groups[i].filled; bunch++)
                out->filled[out->count++] = slot++;
            slot += file->groups[i].empty;
        }
    return CB_OK;
}

cb_status rate_train_parse(const char *name, const char *text, size_t bytes, rate_train *out)
{
    train_file file = {.name = name, .out = out};
    cb_status status;
    size_t at = 0;

    *out = (rate_train){.count = 0};
    file.groups = cb_allocate(GROUPS_MOST, sizeof(*file.groups), "the trains of an orbit");
    if (file.groups == NULL)
        return CB_ERROR_MEMORY;
    while (at < bytes) {
        const char *end = memchr(&text[at], '\n', bytes - at);
        size_t length = end != NULL ? (size_t)(end - &text[at]) : bytes - at;

        file.line++;
        if ((status = take_line(&file, &text[at], length)) != CB_OK)
            goto done;
        at += length + 1;
    }
    status = list_filled(&file);
done:
    free(file.groups);
    if (status != CB_OK)
        *out = (rate_train){.count = 0};
    return status;
}

static cb_status reject_file(const char *path, const char *why)
{
    cb_error(
        "--arrivals: cannot read '%s': %s; name a file with the slots of an orbit, which each host "
        "needs (docs/reference/arrivals.md)",
        path, why);
    return CB_ERROR_USAGE;
}

cb_status rate_train_read(const char *path, rate_train *out)
{
    char why[CB_INPUT_WHY_BYTES], *text;
    FILE *stream = cb_input_stream(path, RATE_TRAIN_BYTES_MOST, why);
    cb_status status;
    size_t bytes;

    if (stream == NULL)
        return reject_file(path, why);
    text = cb_allocate(RATE_TRAIN_BYTES_MOST + 1, 1, "the slots of an orbit");
    if (text == NULL) {
        fclose(stream);
        return CB_ERROR_MEMORY;
    }
    bytes = fread(text, 1, RATE_TRAIN_BYTES_MOST + 1, stream);
    if (ferror(stream))
        status = reject_file(path, strerror(errno));
    else if (bytes > RATE_TRAIN_BYTES_MOST)
        status = reject_file(path, "it has more than 1 MiB");
    else
        status = rate_train_parse(path, text, bytes, out);
    free(text);
    fclose(stream);
    return status;
}

void rate_train_free(rate_train *train)
{
    free(train->filled);
    *train = (rate_train){.count = 0};
}
