/* Fuzz target for configuration files and --parameter. The input is network.conf, nodes.conf and
 * machines.conf, separated by lines of %%. Since most inputs are refused for their syntax, it is
 * also read as a series of choices by which syntactically correct files are written. Accepted files
 * must keep every limit that a technology relies on; refused ones must leave nothing allocated,
 * which a sanitizer checks. */
#include <string.h>

#include "base/context_internal.h"
#include "base/log.h"
#include "tests/fuzz/fuzz.h"
#include "tests/base/technologies.h"

static const char divider[] = "%%\n";

/* The text of each file; the last one gets the rest. */
static cb_config_texts divide(const uint8_t *data, size_t size)
{
    cb_config_texts texts = {0};
    const char *at = (const char *)data, *end = at + size;

    for (size_t file = 0; file < CB_FILES; file++) {
        const char *next = memmem(at, (size_t)(end - at), divider, strlen(divider));
        const char *stop = next != NULL && file + 1 < CB_FILES ? next : end;

        texts.bytes[file] = (size_t)(stop - at);
        texts.text[file] = malloc(texts.bytes[file] + 1);
        FUZZ_REQUIRE(texts.text[file] != NULL);
        memcpy(texts.text[file], at, texts.bytes[file]);
        at = stop == next ? stop + strlen(divider) : stop;
    }
    return texts;
}

/* Blanking comments keeps length and lines, and is idempotent. */
static void require_blanked(const uint8_t *data, size_t size)
{
    char *once = malloc(size + 1), *twice = malloc(size + 1);
    char why[CONTEXT_WHY_BYTES] = "";
    long line;

    FUZZ_REQUIRE(once != NULL && twice != NULL);
    memcpy(once, data, size);
    if (cb_context_blank(once, size, &line, why)) {
        for (size_t i = 0; i < size; i++)
            FUZZ_REQUIRE((once[i] == '\n') == (data[i] == '\n'));
        memcpy(twice, once, size);
        FUZZ_REQUIRE(cb_context_blank(twice, size, &line, why));
        FUZZ_REQUIRE(memcmp(once, twice, size) == 0);
    } else {
        FUZZ_REQUIRE(line >= 1 && why[0] != '\0' && memchr(why, '\0', sizeof(why)) != NULL);
    }
    free(once);
    free(twice);
}

static void require_ranges(const sci_settings *sci)
{
    for (size_t i = 0; i < sci_parameters.count; i++) {
        const cb_parameter *row = &sci_parameters.rows[i];
        uint64_t value = cb_parameter_get(row, sci);

        FUZZ_REQUIRE(value == row->default_value ||
                     (value >= row->minimum && value <= row->maximum &&
                      (row->multiple == 0 || value % row->multiple == 0)));
        FUZZ_REQUIRE(strcmp(row->name, "node_id") != 0 || value != SCI_ALL_NODES);
    }
}

static void require_words(const ofi_settings *ofi)
{
    FUZZ_REQUIRE(ofi->method <= OFI_METHOD_WRITE);
    FUZZ_REQUIRE(ofi->provider == 0 || cb_parameter_text(ofi->provider)[0] != '\0');
    FUZZ_REQUIRE(ofi->domain == 0 || cb_parameter_text(ofi->domain)[0] != '\0');
}

static void require_limits(const cb_settings *settings, size_t rank, const cb_job *job)
{
    const sci_settings *sci = sci_settings_of(settings, rank);
    uint64_t incoming = 0;

    for (size_t peer = 0; peer < job->ranks; peer++)
        incoming += peer != rank ? sci_settings_of(settings, peer)->max_outst_buffers : 0;
    FUZZ_REQUIRE(job->ranks - 1 <= sci->header_area_size / SCI_HEADER_BYTES);
    FUZZ_REQUIRE(incoming + job->held_buffers <= sci->recv_buffer_no);
    FUZZ_REQUIRE(sci->inline_area_size == 0 || incoming <= sci->inline_area_size / SCI_LINE_BYTES);
    FUZZ_REQUIRE(sci->header_area_size + sci->inline_area_size +
                     sci->recv_buffer_no * sci->recv_buffer_size <=
                 sci->recv_seg_size);
}

static void require_groups(const cb_config *config, const cb_settings *settings)
{
    for (size_t i = 0; i < settings->group_count; i++) {
        const cb_group_settings *group = &settings->groups[i];

        FUZZ_REQUIRE(group->count > 0);
        FUZZ_REQUIRE(cb_settings_group(settings, group->name) == group);
        for (size_t k = 0; k < group->count; k++)
            FUZZ_REQUIRE(group->members[k] < config->node_count);
    }
}

static void try_job(const cb_config *config, size_t ranks)
{
    const cb_job job = {.ranks = ranks, .largest_bytes = 1024, .held_buffers = 2};
    cb_settings settings;

    if (cb_config_settings(config, &job, &sci_parameters, NULL, &settings) != CB_OK)
        return;
    FUZZ_REQUIRE(settings.configured && settings.node_count == ranks);
    FUZZ_REQUIRE(ranks <= config->node_count);
    for (size_t rank = 0; rank < ranks; rank++) {
        FUZZ_REQUIRE(settings.nodes[rank].name != NULL);
        require_ranges(sci_settings_of(&settings, rank));
        require_limits(&settings, rank, &job);
    }
    require_groups(config, &settings);
    cb_settings_free(&settings);
    FUZZ_REQUIRE(settings.nodes == NULL && settings.groups == NULL);
}

static void try_words(const cb_config *config)
{
    const cb_job job = {.ranks = 1, .largest_bytes = 1024, .held_buffers = 2};
    cb_settings settings;

    if (cb_config_settings(config, &job, &ofi_parameters, NULL, &settings) != CB_OK)
        return;
    require_words(cb_settings_values(&settings, 0));
    cb_settings_free(&settings);
}

static void try_texts(const cb_config_texts *texts)
{
    cb_config *config;

    if (cb_config_parse("fuzz", texts, known_technologies, KNOWN_TECHNOLOGIES, &config) != CB_OK)
        return;
    FUZZ_REQUIRE(cb_config_technology_name(config) != NULL);
    for (size_t ranks = 1; ranks <= config->node_count + 1; ranks++)
        try_job(config, ranks);
    try_words(config);
    cb_config_free(config);
}

/* Files written from choices */

typedef struct {
    const uint8_t *at, *end;
} choices;

static unsigned choose(choices *from, unsigned count)
{
    return from->at < from->end ? *from->at++ % count : 0;
}

/* Parameters of a Context, small enough that limits are often just met or just missed. */
static void write_context(choices *from, unsigned scope, FILE *stream)
{
    fprintf(stream, "SCI {\n");
    for (size_t i = 0; i < sci_parameters.count; i++) {
        const cb_parameter *row = &sci_parameters.rows[i];
        uint64_t unit = row->multiple > 0      ? row->multiple
                        : row->accepts != NULL ? SCI_NODE_MULTIPLE
                                               : 1;
        uint64_t value;

        value = unit * choose(from, 16) << choose(from, 3);
        if ((row->scopes & scope) != 0 && choose(from, 4) == 1)
            fprintf(stream, "%s = %llu\n", row->name, (unsigned long long)value);
    }
    fprintf(stream, "}\n");
}

/* Words of OFI, in quotes of both kinds and without. */
static void write_words(choices *from, FILE *stream)
{
    static const char *const words[] = {"write", "put", "'tcp;ofi_rxm'", "\"a,b\"", "''", "x"};
    enum { WORDS = sizeof(words) / sizeof(words[0]) };

    if (choose(from, 4) != 1)
        return;
    fprintf(stream, "OFI { method = %s provider = %s }\n", words[choose(from, 2)],
            words[choose(from, WORDS)]);
}

static void write_network(choices *from, FILE *stream)
{
    write_context(from, CB_SCOPE_TOP, stream);
    write_words(from, stream);
    for (unsigned i = choose(from, 3); i > 0; i--) {
        unsigned first = choose(from, 4), second = choose(from, 4);

        fprintf(stream, "group g%u { members = {%u, %u} }\n", i, first, second);
    }
}

static void write_nodes(choices *from, FILE *stream)
{
    for (unsigned i = 0, count = choose(from, 8); i < count; i++) {
        fprintf(stream, "node n%u { id = %u\n", i, i);
        if (choose(from, 2) == 0)
            fprintf(stream, "machine = m%u\n", choose(from, 3));
        if (choose(from, 2) == 0)
            write_context(from, CB_SCOPE_NODE, stream);
        fprintf(stream, "}\n");
    }
}

static void write_machines(choices *from, FILE *stream)
{
    for (unsigned i = 0; i < 3; i++) {
        fprintf(stream, "machine m%u {\n", i);
        write_context(from, CB_SCOPE_MACHINE, stream);
        fprintf(stream, "}\n");
    }
}

static cb_config_texts write_by(choices *from)
{
    static void (*const write[])(choices * from, FILE * stream) = {
        [CB_FILE_NETWORK] = write_network,
        [CB_FILE_NODES] = write_nodes,
        [CB_FILE_MACHINES] = write_machines,
    };
    cb_config_texts texts = {0};

    for (size_t file = 0; file < CB_FILES; file++) {
        FILE *stream = open_memstream(&texts.text[file], &texts.bytes[file]);

        FUZZ_REQUIRE(stream != NULL);
        write[file](from, stream);
        fclose(stream);
    }
    return texts;
}

/* The input as --parameter, and as the value of a text: what is accepted in quotes is kept as it
 * is. */
static void try_list(const uint8_t *data, size_t size)
{
    enum { LONGEST = 300 };
    const int length = size < LONGEST ? (int)size : LONGEST;
    char list[LONGEST + 32];
    cb_override *given = NULL;

    snprintf(list, sizeof(list), "%.*s", length, (const char *)data);
    if (cb_overrides_parse("ofi", &ofi_parameters, list, &given) == CB_OK) {
        ofi_settings ofi = {0};

        for (size_t i = 0; i < ofi_parameters.count; i++)
            cb_parameter_set_value(&ofi_parameters.rows[i], given[i].value, &ofi);
        require_words(&ofi);
        free(given);
    }
    snprintf(list, sizeof(list), "provider='%.*s'", length, (const char *)data);
    if (strchr(list + strlen("provider='"), '\'') == list + strlen(list) - 1 &&
        cb_overrides_parse("ofi", &ofi_parameters, list, &given) == CB_OK) {
        ofi_settings ofi = {0};

        for (size_t i = 0; i < ofi_parameters.count; i++)
            cb_parameter_set_value(&ofi_parameters.rows[i], given[i].value, &ofi);
        list[strlen(list) - 1] = '\0';
        FUZZ_REQUIRE(strcmp(cb_parameter_text(ofi.provider), list + strlen("provider='")) == 0);
        free(given);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices from = {data, data + size};
    cb_config_texts divided = divide(data, size), written = write_by(&from);

    cb_log_silence(1);
    require_blanked(data, size);
    try_texts(&divided);
    try_texts(&written);
    try_list(data, size);
    cb_config_texts_free(&divided);
    cb_config_texts_free(&written);
    return 0;
}
