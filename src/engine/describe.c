/* Definitions, options and technologies as JSON. Formulas are texts of the four operations, in
 * which `count` is what is counted, so that readers in other languages can evaluate them. */
#include "config.h"

#include "engine/describe.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "engine/options.h"
#include "engine/plan.h"
#include "engine/sides.h"

static json_t *text_list(const char *const *texts)
{
    json_t *list = json_array();

    for (; texts != NULL && *texts != NULL; texts++)
        json_array_append_new(list, json_string(*texts));
    return list;
}

/* How many ranks have a role, as a formula; of a farm by its two numbers, and of a topology by the
 * list of its stages. */
static const char *ranks_of_role(const benchmark *definition, size_t role)
{
    static const char *const of_farm[BENCH_ROLES] = {"1", "sources", "destinations"};
    static const char *const of_topology[BENCH_ROLES] = {"first(stages)", "sum(stages between)",
                                                         "last(stages)"};

    if (definition->counted == BENCH_FARM)
        return of_farm[role];
    if (definition->counted == BENCH_TOPOLOGY)
        return of_topology[role];
    switch (definition->roles[role].share) {
    case BENCH_ONE:
        return "1";
    case BENCH_HALF:
        return "count / 2";
    case BENCH_COUNT:
        return "count";
    case BENCH_REST:
        return "count - 2";
    case BENCH_NONE:
        break;
    }
    return "0";
}

static json_t *describe_roles(const benchmark *definition)
{
    json_t *roles = json_array();

    for (size_t i = 0; i < BENCH_ROLES && definition->roles[i].share != BENCH_NONE; i++)
        json_array_append_new(roles, json_pack("{s:s,s:s}", "name", definition->roles[i].name,
                                               "ranks", ranks_of_role(definition, i)));
    return roles;
}

/* All ranks that take part. */
static const char *ranks_formula(const benchmark *definition)
{
    switch (definition->counted) {
    case BENCH_PAIR_ONLY:
        return "2";
    case BENCH_BY_MODE:
    case BENCH_PROCESSORS:
        return "count";
    case BENCH_DESTINATIONS:
    case BENCH_SOURCES:
        return "1 + count";
    case BENCH_FARM:
        return "1 + sources + destinations";
    case BENCH_TOPOLOGY:
        return "sum(stages)";
    }
    return "";
}

/* "8", "4x4" or "4-2-1": a usual count, as plans and options write it. */
static json_t *describe_usual(const benchmark *definition)
{
    const char *separator = definition->counted == BENCH_FARM ? "x" : "-";
    json_t *usual = json_array();

    for (size_t i = 0; i < BENCH_USUAL && definition->usual[i][0] > 0; i++) {
        char text[64] = "";
        size_t used = 0;

        for (size_t k = 0; k < BENCH_STAGES && definition->usual[i][k] > 0; k++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu",
                                     k > 0 ? separator : "", definition->usual[i][k]);
        json_array_append_new(usual, json_string(text));
    }
    return usual;
}

static json_t *describe_count(const benchmark *definition)
{
    static const char *const options[][3] = {
        [BENCH_PAIR_ONLY] = {NULL},
        [BENCH_BY_MODE] = {NULL},
        [BENCH_PROCESSORS] = {"processors", NULL},
        [BENCH_DESTINATIONS] = {"destinations", NULL},
        [BENCH_SOURCES] = {"sources", NULL},
        [BENCH_FARM] = {"sources", "destinations", NULL},
        [BENCH_TOPOLOGY] = {"topology", NULL},
    };

    return json_pack("{s:s,s:o,s:I,s:I,s:o,s:s}", "column", bench_counted_name(definition->counted),
                     "options", text_list(options[definition->counted]), "least",
                     (json_int_t)bench_count_least(definition), "multiple_of",
                     (json_int_t)bench_count_multiple(definition), "usual",
                     describe_usual(definition), "ranks", ranks_formula(definition));
}

static json_t *describe_modes(const benchmark *definition)
{
    json_t *modes = json_array();

    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++) {
        const char *figure = mode->figure == BENCH_LATENCY ? "latency_us" : "round_us";
        json_t *one =
            json_pack("{s:s,s:s,s:b,s:b,s:s,s:s}", "name", mode->name, "summary", mode->summary,
                      "default", !mode->on_request, "stream", bench_is_stream(mode), "packets",
                      bench_packets_formula(mode->packets), "frequency",
                      mode->counts_packets ? "packets" : "steps");

        if (mode->divisor > 0) { /* farms have a figure of their own */
            json_object_set_new(one, "figure", json_string(figure));
            json_object_set_new(one, "divisor", json_integer(mode->divisor));
        }
        if (mode->processors > 0)
            json_object_set_new(one, "processors", json_integer((json_int_t)mode->processors));
        json_array_append_new(modes, one);
    }
    return modes;
}

static json_t *describe_ratio(const benchmark *definition)
{
    static const struct {
        const char *column, *meaning;
    } ratios[] = {
        [BENCH_NO_RATIO] = {NULL, NULL},
        [BENCH_CONGESTION] = {"congestion_ratio",
                              "time per packet of a node / that at the reference"},
        [BENCH_EFFICIENCY] = {"scaling_efficiency", "frequency per pair / that at the reference"},
        [BENCH_LOSS] = {"loss_pct", "per cent of the packet rate at the reference that is missing"},
    };

    if (definition->ratio == BENCH_NO_RATIO)
        return NULL;
    return json_pack("{s:s,s:s,s:I}", "column", ratios[definition->ratio].column, "meaning",
                     ratios[definition->ratio].meaning, "reference",
                     (json_int_t)definition->reference);
}

/* The sizes that are measured without --sizes, beside a computing task or not. */
static json_t *describe_sizes(const benchmark *definition, const char *compute)
{
    static uint64_t sizes[PLAN_SIZES];
    const bench_options options = {.compute = compute};
    size_t count = plan_sizes(definition, &options, sizes);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)sizes[i]));
    return list;
}

/* How many rows a run gives; docs/benchmarks.md says what the names stand for. */
static const char *rows_formula(const benchmark *definition)
{
    if (definition->group == BENCH_GROUP_FARM)
        return "counts * algorithms * sizes";
    return definition->lists ? "modes * counts * multicasts * (sizes + 2 * changing_sizes)"
                             : "modes * counts * sizes";
}

static json_t *describe(const benchmark *definition, const benchmark *const *registry)
{
    json_t *figures = json_array(), *plots = json_array(), *taken = json_array(), *all;
    options_table of;

    for (size_t i = 0; i < BENCH_FORMULAS && definition->figures[i].column != NULL; i++)
        json_array_append_new(figures,
                              json_pack("{s:s,s:s}", "column", definition->figures[i].column,
                                        "formula", definition->figures[i].formula));
    for (size_t i = 0; i < BENCH_PLOTS && definition->plots[i].column != NULL; i++)
        json_array_append_new(plots, json_pack("{s:s,s:s}", "column", definition->plots[i].column,
                                               "against", definition->plots[i].against));
    options_table_make(definition, registry, &of);
    for (size_t i = 0; i < of.table.option_count; i++)
        if (cb_option_applies(&of.table, &of.rows[i]))
            json_array_append_new(taken, json_string(of.rows[i].name));
    all = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o*,s:o,s:s,s:o,s:o,s:o}",
                    "name", definition->name, "program", of.program, "id", definition->id, "title",
                    definition->title, "description", definition->description, "group",
                    bench_group_name(definition->group), "pattern", definition->pattern, "count",
                    describe_count(definition), "roles", describe_roles(definition), "modes",
                    describe_modes(definition), "occupations",
                    text_list(bench_occupations(definition)), "ratio", describe_ratio(definition),
                    "sizes_bytes", describe_sizes(definition, "none"), "rows",
                    rows_formula(definition), "figures", figures, "plots", plots, "options", taken);
    if (definition->fit)
        json_object_set_new(
            all, "fit",
            json_string(definition->group == BENCH_GROUP_PARKBENCH ? "parkbench" : "hockney"));
    if (bench_occupations(definition) != NULL)
        json_object_set_new(all, "sizes_beside_computing_bytes",
                            describe_sizes(definition, "both"));
    if (definition->group == BENCH_GROUP_FARM) {
        json_t *times_us = json_array();

        for (size_t i = 0; i < plan_usual_algorithms_us.count; i++)
            json_array_append_new(times_us,
                                  json_integer((json_int_t)plan_usual_algorithms_us.values[i]));
        json_object_set_new(all, "algorithms_us", times_us);
    }
    if (definition->lists) {
        json_object_set_new(all, "lists", text_list(bench_list_names));
        json_object_set_new(all, "changing_sizes_bytes",
                            json_pack("[i]", PLAN_CHANGING_LIST_BYTES));
    }
    return all;
}

static void add_bounds(const cb_option *row, json_t *one)
{
    switch (row->type) {
    case CB_OPTION_COUNT:
    case CB_OPTION_SIZE:
    case CB_OPTION_REAL:
    case CB_OPTION_SIZE_LIST:
    case CB_OPTION_COUNT_LIST:
        json_object_set_new(one, "minimum", json_real(row->minimum));
        if (isfinite(row->maximum) && row->maximum < 0x1p64)
            json_object_set_new(one, "maximum", json_real(row->maximum));
        break;
    case CB_OPTION_CHOICE:
        json_object_set_new(one, "choices", text_list(row->choices));
        break;
    case CB_OPTION_FLAG:
    case CB_OPTION_TEXT:
    case CB_OPTION_OPERAND:
    case CB_OPTION_ACTION:
        break;
    }
}

/* Every row, with the programs that take it. Rows of one name differ in what they mean. */
static json_t *describe_options(const benchmark *const *registry)
{
    static const char *const types[] = {
        [CB_OPTION_FLAG] = "flag",           [CB_OPTION_COUNT] = "count",
        [CB_OPTION_SIZE] = "size",           [CB_OPTION_REAL] = "real",
        [CB_OPTION_TEXT] = "text",           [CB_OPTION_CHOICE] = "choice",
        [CB_OPTION_SIZE_LIST] = "size list", [CB_OPTION_COUNT_LIST] = "count list",
        [CB_OPTION_OPERAND] = "operand",     [CB_OPTION_ACTION] = "action",
    };
    json_t *options = json_array();
    options_table of;

    options_table_make(registry[0], registry, &of);
    for (size_t i = 0; i < of.table.option_count; i++) {
        const cb_option *row = &of.rows[i];
        json_t *one =
            json_pack("{s:s,s:s,s:s*,s:s*,s:s*,s:s*,s:s}", "name", row->name, "type",
                      types[row->type], "argument", row->argument, "default", row->default_text,
                      "unit", row->unit, "key", row->key, "help", row->help);

        add_bounds(row, one);
        json_object_set_new(one, "programs", json_array());
        json_array_append_new(options, one);
    }
    /* Rows have the same places in the tables of all programs. */
    for (const benchmark *const *taker = registry; *taker != NULL; taker++) {
        options_table_make(*taker, registry, &of);
        for (size_t i = 0; i < of.table.option_count; i++)
            if (cb_option_applies(&of.table, &of.rows[i]))
                json_array_append_new(json_object_get(json_array_get(options, i), "programs"),
                                      json_string(of.program));
    }
    return options;
}

static json_t *describe_technologies(void)
{
    json_t *technologies = json_array();

    for (const transport_technology *const *one = transport_technologies; *one != NULL; one++)
        json_array_append_new(
            technologies, json_pack("{s:s,s:s}", "name", (*one)->name, "summary", (*one)->summary));
    return technologies;
}

static cb_status write_document(json_t *document, FILE *stream)
{
    if (document == NULL || json_dumpf(document, stream, JSON_INDENT(2)) != 0) {
        json_decref(document);
        cb_error("cannot describe the benchmark as JSON: out of memory, or nowhere to write it to");
        return CB_ERROR_MEMORY;
    }
    json_decref(document);
    fputc('\n', stream);
    return CB_OK;
}

cb_status describe_benchmark(const benchmark *definition, const benchmark *const *registry,
                             FILE *stream)
{
    return write_document(json_pack("{s:s,s:[o]}", "schema", "combench-benchmarks/1", "benchmarks",
                                    describe(definition, registry)),
                          stream);
}

cb_status describe_all(const benchmark *const *registry, FILE *stream)
{
    json_t *benchmarks = json_array();

    for (const benchmark *const *one = registry; *one != NULL; one++)
        json_array_append_new(benchmarks, describe(*one, registry));
    return write_document(json_pack("{s:s,s:s,s:o,s:o,s:o}", "schema", "combench-benchmarks/1",
                                    "combench", CB_VERSION, "benchmarks", benchmarks, "options",
                                    describe_options(registry), "technologies",
                                    describe_technologies()),
                          stream);
}
