/* The table of columns, cells of columns with several values, and the table as JSON. */
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

static const report_cell no_cells[] = {{.path = NULL}};

static const report_cell plain_cells[] = {{.path = "", .name = ""}, {.path = NULL}};

static const report_cell summary_cells[] = {
    {.path = "", .shows = REPORT_FIGURE},
    {.path = "median", .name = "median"},
    {.path = "", .shows = REPORT_HALF_WIDTH_PCT, .heading = {"+-", "%", 5, 2, false}},
    {.path = "ci95.0", .name = "ci95_low"},
    {.path = "ci95.1", .name = "ci95_high"},
    {.path = "min", .name = "min"},
    {.path = "max", .name = "max"},
    {.path = "mean", .name = "mean"},
    {.path = NULL},
};

static const report_cell step_cells[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99", .heading = {"p99", "us", 7, 5, false}},
    {.path = "p99_9", .name = "p99_9", .heading = {"p99.9", "us", 7, 20, false}},
    {.path = "max", .name = "max", .heading = {"max", "us", 7, 21, false}},
    {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"},
    {.path = NULL},
};

static const report_cell event_cells[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99", .heading = {"latency", "p99 us", 7, 2, false}},
    {.path = "p99_9", .name = "p99_9"},
    {.path = "max", .name = "max", .heading = {"latency", "max us", 7, 21, false}},
    {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"},
    {.path = NULL},
};

static const report_cell part_cells[] = {
    {.path = "p50", .name = "p50"},         {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99"},         {.path = "p99_9", .name = "p99_9"},
    {.path = "max", .name = "max"},         {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"}, {.path = NULL},
};

static const report_cell share_cells[] = {
    {.path = "", .name = "min", .shows = REPORT_LEAST},
    {.path = "", .name = "max", .shows = REPORT_MOST, .heading = {"share", "max", 6, 6, false}},
    {.path = NULL},
};

static const report_cell thread_cells[] = {
    {.path = "", .name = "min", .shows = REPORT_LEAST},
    {.path = "", .name = "max", .shows = REPORT_MOST, .heading = {"thread", "max", 6, 6, false}},
    {.path = NULL},
};

static const report_cell wait_cells[] = {
    {.path = "requested", .name = "requested"},
    {.path = "effective", .name = "effective", .heading = {.head = "in effect"}},
    {.path = NULL},
};

static const report_cell replay_cells[] = {
    {.path = "plays", .name = "plays"},
    {.path = "quartiles_us.0", .name = "quartile1_us"},
    {.path = "quartiles_us.1", .name = "quartile3_us"},
    {.path = "records", .name = "records"},
    {.path = "memory_bytes", .name = "memory_bytes"},
    {.path = "messages", .name = "messages", .heading = {"messages", "", 9, 2, true}},
    {.path = "bytes", .name = "bytes", .heading = {"bytes", "", 11, 5, true}},
    {.path = NULL},
};

static const report_cell message_cells[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p90", .name = "p90"},
    {.path = "p99", .name = "p99", .heading = {"message", "p99 us", 7, 2, false}},
    {.path = "p99_9", .name = "p99_9"},
    {.path = "max", .name = "max", .heading = {"message", "max us", 7, 6, false}},
    {.path = "samples", .name = "samples"},
    {.path = "dropped", .name = "dropped"},
    {.path = NULL},
};

static const report_cell slowdowns_cells[] = {
    {.path = "p50", .name = "p50"},
    {.path = "p99", .name = "p99", .heading = {"slowdown", "p99", 8, 2, false}},
    {.path = "worst", .name = "worst", .heading = {"slowdown", "worst", 8, 4, false}},
    {.path = "messages", .name = "messages"},
    {.path = NULL},
};

static const report_cell recorded_cells[] = {
    {.path = "records", .name = "records"},         {.path = "recorded_us", .name = "recorded_us"},
    {.path = "replayed_us", .name = "replayed_us"}, {.path = "worst_error", .name = "worst_error"},
    {.path = "worst_line", .name = "worst_line"},   {.path = NULL},
};

static const report_cell rank_cells[] = {
    {.path = "time_us", .name = "least_us", .shows = REPORT_LEAST},
    {.path = "time_us", .name = "most_us", .shows = REPORT_MOST},
    {.path = NULL},
};

static const report_cell found_cells[] = {
    {.path = "value", .name = "value"},
    {.path = "interval.0", .name = "low", .heading = {"holds", "Hz", 7, 3, false}},
    {.path = "interval.1", .name = "high", .heading = {"fails", "Hz", 7, 3, false}},
    {.path = "held", .name = "held"},
    {.path = "repeats", .name = "repeats"},
    {.path = NULL},
};

static const report_cell impact_cells[] = {
    {.path = "value", .name = "value"},
    {.path = "interval.0", .name = "low", .heading = {"", "from", 6, 8, false}},
    {.path = "interval.1", .name = "high", .heading = {"", "to", 6, 8, false}},
    {.path = NULL},
};

static const report_cell phase_cells[] = {
    {.path = "p50", .name = "p50_us"},
    {.path = "mean", .name = "mean_us"},
    {.path = "p99", .name = "p99_us"},
    {.path = "p99_9", .name = "p99_9_us"},
    {.path = NULL},
};

static const report_cell drift_cells[] = {
    {.path = "mean", .name = "mean_pct"},
    {.path = "p50", .name = "p50_pct"},
    {.path = NULL},
};

static const report_cell victim_cells[] = {
    {.path = "beside", .name = "beside"},
    {.path = "alone", .name = "alone", .heading = {"victim", "alone", 7, 7, false}},
    {.path = NULL},
};

static const report_cell destination_cells[] = {
    /* of the destination with the longest median latency */
    {.path = "latency_us.p50", .name = "slowest_p50_us", .shows = REPORT_MOST},
    {.path = "in_flight_most", .name = "in_flight_most", .shows = REPORT_MOST},
    {.path = NULL},
};

static const report_cell slowdown_cells[] = {
    {.path = "source", .name = "source", .optional = true},
    {.path = "destination",
     .name = "destination",
     .heading = {"slowdown", "dest.", 8, 1, false},
     .optional = true},
    {.path = "node",
     .name = "node",
     .heading = {"slowdown", "comp.", 8, 1, false},
     .optional = true},
    {.path = NULL},
};

static const report_cell left_cells[] = {
    {.path = "source", .name = "source", .optional = true},
    {.path = "destination",
     .name = "destination",
     .heading = {"left, %", "dest.", 7, 4, false},
     .optional = true},
    {.path = "node",
     .name = "node",
     .heading = {"left, %", "comp.", 7, 4, false},
     .optional = true},
    {.path = NULL},
};

static const report_cell side_cells[] = {
    {.path = "source", .name = "source"},
    {.path = "destination", .name = "destination"},
    {.path = "node", .name = "node"},
    {.path = NULL},
};

static const report_cell verify_cells[] = {
    {.path = "messages", .name = "messages"},
    {.path = "messages",
     .shows = REPORT_SUM_OF_OTHERS,
     .heading = {"faulty", "messages", 8, 3, true}},
    {.path = "lost", .name = "lost"},
    {.path = "doubled", .name = "doubled"},
    {.path = "reordered", .name = "reordered"},
    {.path = "corrupted", .name = "corrupted"},
    {.path = NULL},
};

static const report_cell pair_latency_cells[] = {
    {.path = "median", .name = "median"},
    {.path = "lowest", .name = "lowest"},
    {.path = "highest", .name = "highest", .heading = {"latency", "worst", 7, 1, false}},
    {.path = NULL},
};

static const report_cell one_way_cells[] = {
    {.path = "median", .name = "median"},
    {.path = "lowest", .name = "lowest", .heading = {"one way", "worst", 8, 1, false}},
    {.path = "highest", .name = "highest"},
    {.path = NULL},
};

static const report_cell both_ways_cells[] = {
    {.path = "median", .name = "median"},
    {.path = "lowest", .name = "lowest", .heading = {"both ways", "worst", 9, 2, false}},
    {.path = "highest", .name = "highest"},
    {.path = NULL},
};

static const report_cell bisection_cells[] = {
    {.path = "median", .name = "median"},
    {.path = "lowest", .name = "lowest", .heading = {"bisection", "worst", 9, 1, false}},
    {.path = "highest", .name = "highest"},
    {.path = NULL},
};

static const report_cell one_to_all_cells[] = {
    {.path = "median", .name = "median"},
    {.path = "lowest", .name = "lowest", .heading = {"to all", "worst", 8, 1, false}},
    {.path = "highest", .name = "highest"},
    {.path = NULL},
};

static const report_cell linkmap_cells[] = {
    {.path = "cycles", .name = "cycles"},
    {.path = "faults", .name = "faults", .heading = {"faults", "links", 6, 1, true}},
    {.path = "packets", .name = "packets"},
    {.path = NULL},
};

/* Cells of all declared counters, with paths such as "datagrams.lost", and their names in CSV. */
enum { COUNTER_CELLS = 128, COUNTER_TEXT = 64 };

static report_cell counter_cells[COUNTER_CELLS + 1];
static char counter_texts[COUNTER_CELLS][2][COUNTER_TEXT];

void report_use_counters(const cb_counter_set *const *sets, size_t count)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i]->count && used < COUNTER_CELLS; k++, used++) {
            const cb_counter *row = &sets[i]->rows[k];
            char *path = counter_texts[used][0], *name = counter_texts[used][1];

            snprintf(path, COUNTER_TEXT, "%s.%s", sets[i]->group, row->key);
            snprintf(name, COUNTER_TEXT, "%s_%s", sets[i]->group, row->key);
            counter_cells[used] = (report_cell){.path = path,
                                                .name = name,
                                                .heading = {row->heading, row->unit, 8, 2, true},
                                                .optional = true,
                                                .marked = row->is_marked};
        }
    counter_cells[used] = (report_cell){.path = NULL};
}

const report_column_info report_columns[REPORT_COLUMNS] = {
#define COLUMN(identifier, name, kind, ...)                                                        \
    [REPORT_##identifier] = {.key = name, .type = REPORT_TYPE_##kind, __VA_ARGS__},
#include "report/columns.def"
#undef COLUMN
};

const report_cell *report_cells_of(report_column column)
{
    const report_column_info *info = &report_columns[column];

    if (info->cells != NULL)
        return info->cells;
    if (info->type == REPORT_TYPE_COUNTERS)
        return counter_cells;
    return info->type <= REPORT_TYPE_FLAG ? plain_cells : no_cells;
}

const report_heading *report_heading_of(report_column column, const report_cell *cell)
{
    return cell == report_cells_of(column) && cell != counter_cells
               ? &report_columns[column].heading
               : &cell->heading;
}

bool report_csv_name(report_column column, const report_cell *cell,
                     char name[REPORT_CSV_NAME_BYTES])
{
    if (cell->name == NULL)
        return false;
    if (report_columns[column].type == REPORT_TYPE_COUNTERS)
        snprintf(name, REPORT_CSV_NAME_BYTES, "%s", cell->name);
    else
        snprintf(name, REPORT_CSV_NAME_BYTES, "%s%s%s", report_columns[column].key,
                 cell->name[0] == '\0' ? "" : "_", cell->name);
    return true;
}

/* The words of a text as an array. */
static void put_words(report_stream *out, const char *key, const char *text)
{
    report_stream_array(out, key);
    while (text != NULL && *text != '\0') {
        char word[64];
        size_t length = strcspn(text, " ");

        snprintf(word, sizeof(word), "%.*s", (int)length, text);
        report_stream_text(out, NULL, word);
        text += length + (text[length] == ' ');
    }
    report_stream_end(out);
}

/* What a comparison of two runs reads of a column: the value, or members of it. */
static void put_compared(report_stream *out, const report_column_info *info)
{
    static const char *const of_type[REPORT_TYPES] = {
        [REPORT_TYPE_SUMMARY] = "median",
        [REPORT_TYPE_DISTRIBUTION] = "p50 p99",
    };
    const bool is_compared = info->better != REPORT_NEITHER && !info->uncompared;

    if (is_compared && info->type == REPORT_TYPE_NUMBER) {
        report_stream_array(out, "compared");
        report_stream_text(out, NULL, "");
        report_stream_end(out);
    } else {
        const char *members = info->members != NULL ? info->members : of_type[info->type];

        put_words(out, "compared", is_compared ? members : NULL);
    }
    put_words(out, "follows", info->follows);
}

void report_describe_columns(report_stream *out, const char *key)
{
    static const char *const types[REPORT_TYPES] = {
        [REPORT_TYPE_NUMBER] = "number",
        [REPORT_TYPE_TEXT] = "text",
        [REPORT_TYPE_FLAG] = "flag",
        [REPORT_TYPE_SUMMARY] = "summary",
        [REPORT_TYPE_DISTRIBUTION] = "distribution",
        [REPORT_TYPE_NUMBERS] = "numbers",
        [REPORT_TYPE_MEMBERS] = "members",
        [REPORT_TYPE_LIST] = "list",
        [REPORT_TYPE_COUNTERS] = "counters",
    };
    static const char *const better[] = {"neither", "lower", "higher"};
    static const char *const places[] = {"hidden", "title", "cell"};
    static const char *const tabled[] = {"always", "beside computing", "by benchmark"};

    report_stream_array(out, key);
    for (report_column i = 0; i < REPORT_COLUMNS; i++) {
        const report_column_info *info = &report_columns[i];

        report_stream_object(out, NULL);
        report_stream_text(out, "key", info->key);
        report_stream_text(out, "type", types[info->type]);
        report_stream_text(out, "unit", info->unit);
        report_stream_text(out, "heading", info->heading.head);
        report_stream_text(out, "schema", info->schema);
        report_stream_text(out, "values", info->values);
        report_stream_flag(out, "required", info->required);
        report_stream_flag(out, "condition", info->condition);
        report_stream_flag(out, "identifies", info->identifies);
        report_stream_text(out, "identity", info->identity);
        report_stream_text(out, "better", better[info->better]);
        report_stream_text(out, "place", places[info->place]);
        report_stream_text(out, "label", info->label);
        report_stream_text(out, "phrase", info->phrase);
        if (info->better != REPORT_NEITHER && info->heading.head != NULL)
            report_stream_text(out, "tabled", tabled[info->tabled]);
        put_words(out, "members", info->members);
        put_compared(out, info);
        report_stream_text(out, "meaning", info->meaning);
        report_stream_array(out, "csv");
        for (const report_cell *cell = report_cells_of(i); cell->path != NULL; cell++) {
            char name[REPORT_CSV_NAME_BYTES];

            if (report_csv_name(i, cell, name))
                report_stream_text(out, NULL, name);
        }
        report_stream_end(out);
        report_stream_end(out);
    }
    report_stream_end(out);
}
