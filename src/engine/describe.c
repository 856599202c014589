/* Definitions, options and technologies as JSON. Formulas use the four operations and `count`, so
 * that readers in other languages can evaluate them. */
#include "config.h"

#include "engine/describe.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/definition.h"
#include "engine/options.h"
#include "engine/plan.h"
#include "engine/traffic.h"
#include "host/counters.h"
#include "report/columns.h"
#include "report/marks.h"
#include "report/stream.h"

static void put_texts(report_stream *out, const char *key, const char *const *texts)
{
    report_stream_array(out, key);
    for (; texts != NULL && *texts != NULL; texts++)
        report_stream_text(out, NULL, *texts);
    report_stream_end(out);
}

static void put_count(report_stream *out, const char *key, size_t count)
{
    report_stream_number(out, key, (double)count);
}

static void put_numbers(report_stream *out, const char *key, const uint64_t *values, size_t count)
{
    report_stream_array(out, key);
    for (size_t i = 0; i < count; i++)
        report_stream_number(out, NULL, (double)values[i]);
    report_stream_end(out);
}

/* Number of ranks in a role as a formula, or in words. */
static const char *ranks_of_role(const benchmark *definition, size_t role)
{
    static const char *const of_count[] = {
        [BENCH_NONE] = "0",      [BENCH_ONE] = "1",          [BENCH_HALF] = "count / 2",
        [BENCH_COUNT] = "count", [BENCH_REST] = "count - 2",
    };

    return definition->counted->choose != NULL ? definition->counted->of_roles[role]
                                               : of_count[definition->roles[role].share];
}

/* What is counted, which options give it, and the valid and default counts. */
static void put_counts(report_stream *out, const benchmark *definition)
{
    const bench_counting *counted = definition->counted;

    report_stream_object(out, "count");
    report_stream_text(out, "column", counted->column);
    put_texts(out, "options", counted->options);
    put_count(out, "least", bench_count_least(definition));
    put_count(out, "multiple_of", bench_count_multiple(definition));
    report_stream_array(out, "usual"); /* "8", "4x4" or "4-2-1", as in plans and options */
    for (size_t i = 0; i < BENCH_USUAL && definition->usual[i][0] > 0; i++) {
        char text[64] = "";
        size_t used = 0;

        for (size_t k = 0; k < BENCH_STAGES && definition->usual[i][k] > 0; k++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu",
                                     k > 0 ? counted->separator : "", definition->usual[i][k]);
        report_stream_text(out, NULL, text);
    }
    report_stream_end(out);
    report_stream_text(out, "ranks", counted->ranks);
    if (definition->lists) /* as many destinations again, which lists change to */
        report_stream_text(out, "spare_ranks", "count");
    report_stream_end(out);
}

static void put_modes(report_stream *out, const benchmark *definition)
{
    report_stream_array(out, "modes");
    for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++) {
        report_stream_object(out, NULL);
        report_stream_text(out, "name", mode->name);
        report_stream_text(out, "summary", mode->summary);
        report_stream_flag(out, "default", !mode->on_request);
        report_stream_flag(out, "stream", traffic_is_stream(mode));
        if (bench_is_led_in(mode))
            report_stream_flag(out, "led_in", true);
        if (definition->units != NULL) {
            report_stream_text(out, "packets", definition->units->packets);
            report_stream_text(out, "events", definition->units->events);
            report_stream_text(out, "frequency", "events");
        } else {
            report_stream_text(out, "packets", mode->packets);
            report_stream_text(out, "frequency", mode->counts_packets ? "packets" : "steps");
        }
        if (mode->divisor > 0) { /* farms have other figures */
            report_stream_text(out, "figure",
                               mode->figure == BENCH_LATENCY ? "latency_us" : "round_us");
            put_count(out, "divisor", mode->divisor);
        }
        if (mode->processors > 0)
            put_count(out, "processors", mode->processors);
        report_stream_text(out, "tells", mode->tells);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_ratio(report_stream *out, const benchmark *definition)
{
    const bench_ratio *ratio = &definition->ratio;

    if (ratio->reference == 0)
        return;
    report_stream_object(out, "ratio");
    report_stream_text(out, "column", report_columns[ratio->column].key);
    report_stream_text(out, "meaning", ratio->meaning);
    report_stream_text(out, "formula", ratio->formula);
    report_stream_text(out, "title", ratio->title);
    report_stream_text(out, "caption", ratio->caption);
    put_count(out, "reference", ratio->reference);
    report_stream_end(out);
}

/* The sizes that these options measure. */
static cb_status put_sizes(report_stream *out, const char *key, const benchmark *definition,
                           const bench_options *options)
{
    uint64_t *sizes = cb_allocate(PLAN_SIZES, sizeof(*sizes), "the sizes of a benchmark");

    if (sizes == NULL)
        return CB_ERROR_MEMORY;
    put_numbers(out, key, sizes, plan_sizes(definition, options, sizes));
    free(sizes);
    return CB_OK;
}

/* What a run measures by default, and the number of rows as a formula;
 * docs/reference/benchmarks-json.md explains the names. */
static cb_status put_rows(report_stream *out, const benchmark *definition)
{
    const char *const *occupations = bench_occupations(definition);
    const char *rows = "modes * counts * sizes";

    put_texts(out, "occupations", occupations);
    CB_TRY(put_sizes(out, "sizes_bytes", definition, &(bench_options){.compute = "none"}));
    if (occupations != NULL)
        CB_TRY(put_sizes(out, "sizes_beside_computing_bytes", definition,
                         &(bench_options){.compute = "both"}));
    if (definition->counted->choose != NULL) {
        rows = "counts * algorithms * sizes";
        put_numbers(out, "algorithms_us", plan_usual_algorithms_us, PLAN_USUAL_ALGORITHMS);
    }
    if (definition->lists) {
        rows = "modes * counts * multicasts * lists * sizes";
        put_texts(out, "lists", bench_list_names);
    }
    report_stream_text(out, "rows", rows);
    return CB_OK;
}

/* What reports and comparisons show. */
static void put_shown(report_stream *out, const benchmark *definition)
{
    const bench_counterpart *counterpart = &definition->counterpart;

    report_stream_array(out, "plots");
    for (size_t i = 0; i < BENCH_PLOTS && definition->plots[i].column != NULL; i++) {
        report_stream_object(out, NULL);
        report_stream_text(out, "column", definition->plots[i].column);
        report_stream_text(out, "against", definition->plots[i].against);
        report_stream_end(out);
    }
    report_stream_end(out);
    if (definition->table[0] != NULL) {
        report_stream_array(out, "table");
        for (size_t i = 0; i < BENCH_TABLE && definition->table[i] != NULL; i++)
            report_stream_text(out, NULL, definition->table[i]);
        report_stream_end(out);
    }
    if (definition->bounds[0].benchmark != NULL) {
        report_stream_array(out, "bounds");
        for (size_t i = 0; i < BENCH_BOUNDS && definition->bounds[i].benchmark != NULL; i++) {
            const bench_bound *bound = &definition->bounds[i];

            report_stream_object(out, NULL);
            report_stream_text(out, "benchmark", bound->benchmark);
            report_stream_text(out, "mode", bound->mode);
            report_stream_text(out, "what", bound->what);
            report_stream_text(out, "count", bound->count);
            report_stream_text(out, "times", bound->times);
            report_stream_flag(out, "control", bound->control);
            report_stream_end(out);
        }
        report_stream_end(out);
    }
    if (counterpart->benchmark != NULL) {
        report_stream_object(out, "counterpart");
        report_stream_text(out, "benchmark", counterpart->benchmark);
        report_stream_text(out, "mode", counterpart->mode);
        report_stream_text(out, "rate", counterpart->rate);
        report_stream_text(out, "relation", counterpart->relation);
        report_stream_end(out);
    }
}

static cb_status put_benchmark(report_stream *out, const benchmark *definition,
                               const benchmark *const *registry)
{
    options_table of;

    options_table_make(definition, registry, &of);
    report_stream_object(out, NULL);
    report_stream_text(out, "name", definition->name);
    report_stream_text(out, "program", of.program);
    report_stream_text(out, "id", definition->id);
    report_stream_text(out, "label",
                       definition->label != NULL ? definition->label : definition->name);
    report_stream_text(out, "title", definition->title);
    report_stream_text(out, "description", definition->description);
    report_stream_text(out, "group", definition->group);
    report_stream_text(out, "pattern", definition->pattern);
    put_counts(out, definition);
    report_stream_array(out, "roles");
    for (size_t i = 0; i < BENCH_ROLES && definition->roles[i].share != BENCH_NONE; i++) {
        report_stream_object(out, NULL);
        report_stream_text(out, "name", definition->roles[i].name);
        report_stream_text(out, "ranks", ranks_of_role(definition, i));
        report_stream_end(out);
    }
    report_stream_end(out);
    put_modes(out, definition);
    put_ratio(out, definition);
    CB_TRY(put_rows(out, definition));
    if (definition->fit != NULL)
        report_stream_text(out, "fit", definition->fit->name);
    report_stream_array(out, "figures");
    for (size_t i = 0; i < BENCH_FORMULAS && definition->figures[i].column != NULL; i++) {
        report_stream_object(out, NULL);
        report_stream_text(out, "column", definition->figures[i].column);
        report_stream_text(out, "formula", definition->figures[i].formula);
        report_stream_end(out);
    }
    report_stream_end(out);
    put_shown(out, definition);
    report_stream_array(out, "options");
    for (size_t i = 0; i < of.table.option_count; i++)
        if (cb_option_applies(&of.table, &of.rows[i]))
            report_stream_text(out, NULL, of.rows[i].name);
    report_stream_end(out);
    report_stream_end(out);
    return CB_OK;
}

static void put_option(report_stream *out, const cb_option *row)
{
    static const char *const types[] = {
        [CB_OPTION_FLAG] = "flag",           [CB_OPTION_COUNT] = "count",
        [CB_OPTION_SIZE] = "size",           [CB_OPTION_REAL] = "real",
        [CB_OPTION_TEXT] = "text",           [CB_OPTION_CHOICE] = "choice",
        [CB_OPTION_SIZE_LIST] = "size list", [CB_OPTION_COUNT_LIST] = "count list",
        [CB_OPTION_OPERAND] = "operand",     [CB_OPTION_ACTION] = "action",
    };

    report_stream_text(out, "name", row->name);
    report_stream_text(out, "type", types[row->type]);
    report_stream_text(out, "argument", row->argument);
    report_stream_text(out, "default", row->default_text);
    if (row->maximum > row->minimum) {
        report_stream_number(out, "minimum", row->minimum);
        if (row->maximum < 0x1p64) /* larger: no limit */
            report_stream_number(out, "maximum", row->maximum);
    }
    report_stream_text(out, "unit", row->unit);
    if (row->choices != NULL)
        put_texts(out, "choices", row->choices);
    report_stream_text(out, "key", row->key);
    report_stream_text(out, "help", row->help);
    report_stream_text(out, "more", row->more);
}

/* Each option row with the programs that take it. All tables have their rows in the same places.
 * Rows of the same name have different meanings. */
static void put_options(report_stream *out, const benchmark *const *registry)
{
    options_table of;

    options_table_make(registry[0], registry, &of);
    report_stream_array(out, "options");
    for (size_t i = 0; i < of.table.option_count; i++) {
        report_stream_object(out, NULL);
        put_option(out, &of.rows[i]);
        report_stream_array(out, "programs");
        for (const benchmark *const *taker = registry; *taker != NULL; taker++) {
            options_table_make(*taker, registry, &of);
            if (cb_option_applies(&of.table, &of.rows[i]))
                report_stream_text(out, NULL, of.program);
        }
        report_stream_end(out);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_parameter(report_stream *out, const cb_parameter *row)
{
    static const char *const kinds[] = {[CB_PARAMETER_COUNT] = "count",
                                        [CB_PARAMETER_SIZE] = "size",
                                        [CB_PARAMETER_FLAG] = "flag",
                                        [CB_PARAMETER_CHOICE] = "choice",
                                        [CB_PARAMETER_TEXT] = "text"};
    const bool is_number = row->kind == CB_PARAMETER_COUNT || row->kind == CB_PARAMETER_SIZE;

    report_stream_object(out, NULL);
    report_stream_text(out, "name", row->name);
    report_stream_text(out, "type", kinds[row->kind]);
    if (row->kind == CB_PARAMETER_CHOICE) {
        report_stream_text(out, "default", cb_parameter_word(row, row->default_value));
        report_stream_array(out, "choices");
        for (size_t i = 0; row->choices[i] != NULL; i++)
            report_stream_text(out, NULL, row->choices[i]);
        report_stream_end(out);
    } else if (row->kind != CB_PARAMETER_TEXT && row->default_value != CB_PARAMETER_ABSENT) {
        report_stream_number(out, "default", (double)row->default_value);
    }
    if (is_number) {
        report_stream_number(out, "minimum", (double)row->minimum);
        report_stream_number(out, "maximum", (double)row->maximum);
    }
    report_stream_text(out, "unit", row->unit);
    report_stream_text(out, "help", row->help);
    report_stream_end(out);
}

/* How a technology's multicast reaches the members of a group. */
static const char *multicast_of(const transport_technology *technology)
{
    if ((technology->capabilities & TRANSPORT_MULTICAST) == 0)
        return "none";
    return (technology->capabilities & TRANSPORT_MULTICAST_RELAYED) != 0 ? "relayed" : "network";
}

static void put_counters(report_stream *out, const char *key, const cb_counter_set *counters)
{
    report_stream_array(out, key);
    for (size_t i = 0; counters != NULL && i < counters->count; i++) {
        report_stream_object(out, NULL);
        report_stream_text(out, "group", counters->group);
        report_stream_text(out, "key", counters->rows[i].key);
        report_stream_text(out, "unit", counters->rows[i].unit);
        report_stream_text(out, "meaning", counters->rows[i].meaning);
        report_stream_flag(out, "marked", counters->rows[i].is_marked);
        report_stream_end(out);
    }
    report_stream_end(out);
}

static void put_technologies(report_stream *out)
{
    report_stream_array(out, "technologies");
    for (const transport_technology *const *one = transport_technologies; *one != NULL; one++) {
        const cb_parameter_set *parameters = (*one)->parameters;
        const cb_counter_set *counters = (*one)->counters;

        report_stream_object(out, NULL);
        report_stream_text(out, "name", (*one)->name);
        report_stream_text(out, "summary", (*one)->summary);
        report_stream_flag(out, "built_in", transport_is_built_in(*one));
        report_stream_text(out, "multicast", multicast_of(*one));
        if ((*one)->losses != NULL)
            report_stream_text(out, "losses", (*one)->losses);
        report_stream_array(out, "parameters");
        for (size_t i = 0; parameters != NULL && i < parameters->count; i++)
            put_parameter(out, &parameters->rows[i]);
        report_stream_end(out);
        put_counters(out, "counters", counters);
        report_stream_end(out);
    }
    report_stream_end(out);
}

void describe_counters(void)
{
    enum { SETS_MOST = 32 };
    const cb_counter_set *sets[SETS_MOST];

    report_use_counters(sets, transport_counter_sets(sets, SETS_MOST));
}

void describe_technologies(FILE *stream)
{
    for (const transport_technology *const *one = transport_technologies; *one != NULL; one++) {
        const transport_technology *technology = *one;
        const char *state = "not built", *detail = technology->needs;
        char text[512] = "";
        cb_status status = CB_OK;

        if (transport_is_built_in(technology)) {
            /* The reason stands in the line, so it is not logged as well. */
            cb_log_silence(true);
            if (technology->probe != NULL)
                status = technology->probe(text, sizeof(text));
            cb_log_silence(false);
            state = status == CB_OK ? "runs" : "fails";
            detail = status == CB_OK ? text : cb_last_error();
        }
        fprintf(stream, "%-5s %-9s  %s%s%s\n", technology->name, state, technology->summary,
                detail != NULL && detail[0] != '\0' ? ": " : "", detail != NULL ? detail : "");
    }
}

cb_status describe_benchmark(const benchmark *definition, const benchmark *const *registry,
                             FILE *stream)
{
    report_stream out = report_stream_begin(stream);

    report_stream_text(&out, "schema", "combench-benchmarks/1");
    report_stream_array(&out, "benchmarks");
    CB_TRY(put_benchmark(&out, definition, registry));
    report_stream_end(&out);
    report_stream_end(&out);
    return CB_OK;
}

cb_status describe_all(const benchmark *const *registry, FILE *stream)
{
    report_stream out = report_stream_begin(stream);

    report_stream_text(&out, "schema", "combench-benchmarks/1");
    report_stream_text(&out, "combench", CB_VERSION);
    report_stream_array(&out, "benchmarks");
    for (const benchmark *const *one = registry; *one != NULL; one++)
        CB_TRY(put_benchmark(&out, *one, registry));
    report_stream_end(&out);
    /* --sizes and --sweep measure the same sizes in all programs. With --compute only note 48's
     * sizes are measured. */
    CB_TRY(put_sizes(&out, "note_sizes_bytes", registry[0], &(bench_options){.compute = "both"}));
    CB_TRY(put_sizes(&out, "sweep_sizes_bytes", registry[0], &(bench_options){.sweep = true}));
    put_options(&out, registry);
    describe_counters();
    report_describe_columns(&out, "columns");
    report_describe_marks(&out, "marks");
    put_technologies(&out);
    put_counters(&out, "host_counters", &host_counter_set);
    report_stream_end(&out);
    return CB_OK;
}
