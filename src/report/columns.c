/* The one table of columns, the row made from it, and the walk over its single values. */
#include "report/columns.h"

#include "report/path.h"
#include "report/value.h"

#define AT(name) offsetof(report_row, name)

/* clang-format off */
const report_column report_columns[] = {
    /* key, type, field, place, {head, unit, width, rank, whole} */
    {"size_bytes", COLUMN_NUMBER, AT(size_bytes), COLUMN_CELL, {"size", "bytes", 8, 0, true}},
    {"processors", COLUMN_NUMBER, AT(processors), COLUMN_CELL, {"procs", "", 5, 3, true}},
    {"sources", COLUMN_NUMBER, AT(sources), COLUMN_CELL, {"sources", "", 7, 1, true}},
    {"destinations", COLUMN_NUMBER, AT(destinations), COLUMN_CELL, {"dests", "", 5, 1, true}},
    {"topology", COLUMN_TEXT, AT(topology), COLUMN_TITLE, {.head = "topology"}},
    {"mode", COLUMN_TEXT, AT(mode), COLUMN_TITLE, {.head = "mode"}},
    {"occupation", COLUMN_TEXT, AT(occupation), COLUMN_TITLE, {.head = "occupation"}},
    {"touch", COLUMN_TEXT, AT(touch), COLUMN_TITLE, {.head = "touch"}},
    {"buffers", COLUMN_TEXT, AT(buffers), COLUMN_TITLE, {.head = "buffers"}},
    {"list", COLUMN_TEXT, AT(list), COLUMN_TITLE, {.head = "list"}},
    {"multicast", COLUMN_TEXT, AT(multicast), COLUMN_TITLE, {.head = "multicast"}},
    {"arrivals", COLUMN_TEXT, AT(arrivals), COLUMN_TITLE, {.head = "arrivals"}},
    {"wait", COLUMN_WAIT, 0, COLUMN_TITLE, {.head = "wait"}},
    {"oversubscribed", COLUMN_FLAG, AT(oversubscribed), COLUMN_HIDDEN, {.head = NULL}},
    {"placement", COLUMN_ROLES, AT(roles), COLUMN_HIDDEN, {.head = NULL}},
    {"piece_bytes", COLUMN_COUNT, AT(piece_bytes), COLUMN_HIDDEN, {.head = NULL}},
    {"algorithm_us", COLUMN_NUMBER, AT(algorithm_us), COLUMN_CELL, {"algorithm", "us", 9, 0, true}},
    {"algorithm_true_us", COLUMN_NUMBER, AT(algorithm_true_us), COLUMN_CELL, {"true", "us", 5, 22, false}},
    {"in_flight_limit", COLUMN_NUMBER, AT(in_flight_limit), COLUMN_CELL, {"in flight", "", 9, 4, true}},
    {"offered_Hz", COLUMN_NUMBER, AT(offered_Hz), COLUMN_CELL, {"offered", "Hz", 7, 0, false}},
    {"latency_us", COLUMN_SUMMARY, AT(latency_us), COLUMN_CELL, {"latency", "us", 7, 0, false}},
    {"round_us", COLUMN_SUMMARY, AT(round_us), COLUMN_CELL, {"round", "us", 7, 0, false}},
    {"blocks_us", COLUMN_BLOCKS, AT(blocks_us), COLUMN_HIDDEN, {.head = NULL}},
    {"step_us", COLUMN_STEPS, AT(steps), COLUMN_CELL, {"p50", "us", 7, 60, false}},
    {"throughput_MBps", COLUMN_NUMBER, AT(throughput_MBps), COLUMN_CELL, {"payload", "MB/s", 7, 0, false}},
    {"per_node_MBps", COLUMN_NUMBER, AT(per_node_MBps), COLUMN_CELL, {"a node", "MB/s", 7, 4, false}},
    {"frequency_Hz", COLUMN_NUMBER, AT(frequency_Hz), COLUMN_CELL, {"frequency", "Hz", 9, 1, false}},
    {"event_latency_us", COLUMN_EVENTS, AT(event_latency), COLUMN_CELL, {"latency", "p50 us", 7, 0, false}},
    {"saturated", COLUMN_ANSWER, AT(saturated), COLUMN_HIDDEN, {.head = NULL}},
    {"limited_by", COLUMN_TEXT, AT(limited_by), COLUMN_HIDDEN, {.head = NULL}},
    {"generator_error_pct", COLUMN_NUMBER, AT(generator_error_pct), COLUMN_CELL, {"generator", "error %", 9, 23, false}},
    {"found_Hz", COLUMN_FOUND, AT(found), COLUMN_CELL, {"found", "Hz", 7, 0, false}},
    {"per_destination", COLUMN_DESTINATIONS, AT(per_destination), COLUMN_CELL, {"slowest", "p50 us", 7, 5, false}},
    {"due", COLUMN_NUMBER, AT(due), COLUMN_HIDDEN, {.head = NULL}},
    {"not_issued", COLUMN_NUMBER, AT(not_issued), COLUMN_HIDDEN, {.head = NULL}},
    {"issued", COLUMN_NUMBER, AT(issued), COLUMN_CELL, {"issued", "events", 7, 30, true}},
    {"decided", COLUMN_NUMBER, AT(decided), COLUMN_HIDDEN, {.head = NULL}},
    {"lost", COLUMN_NUMBER, AT(lost), COLUMN_CELL, {"lost", "events", 6, 2, true}},
    {"in_flight", COLUMN_NUMBER, AT(in_flight), COLUMN_HIDDEN, {.head = NULL}},
    {"errors", COLUMN_NUMBER, AT(errors), COLUMN_CELL, {"errors", "", 6, 2, true}},
    {"scaling_efficiency", COLUMN_NUMBER, AT(scaling_efficiency), COLUMN_CELL, {"scaling", "ratio", 7, 4, false}},
    {"congestion_ratio", COLUMN_NUMBER, AT(congestion_ratio), COLUMN_CELL, {"congestion", "ratio", 10, 4, false}},
    {"loss_pct", COLUMN_NUMBER, AT(loss_pct), COLUMN_CELL, {"loss", "%", 6, 4, false}},
    {"shares", COLUMN_SHARES, AT(shares), COLUMN_CELL, {"share", "min", 6, 6, false}},
    {"group_create_us", COLUMN_NUMBER, AT(group_create_us), COLUMN_CELL, {"new group", "us", 9, 7, false}},
    {"slowdown_communication", COLUMN_NUMBER, AT(slowdown_communication), COLUMN_CELL, {"slowdown", "comm.", 8, 1, false}},
    {"slowdown_computing", COLUMN_SLOWDOWNS, AT(slowdown_computing), COLUMN_CELL, {"slowdown", "source", 8, 1, false}},
    {"slowdown_computing_at_least", COLUMN_FLAGS, AT(slowdown_computing_at_least), COLUMN_HIDDEN, {.head = NULL}},
    {"computing_left_pct", COLUMN_LEFT, AT(computing_left_pct), COLUMN_CELL, {"left, %", "source", 7, 4, false}},
    {"computing_alone_pct", COLUMN_LEFT, AT(computing_alone_pct), COLUMN_HIDDEN, {.head = NULL}},
    {"touch_us", COLUMN_NUMBER, AT(touch_us), COLUMN_CELL, {"touch", "us", 7, 15, false}},
    {"harness_us", COLUMN_NUMBER, AT(harness_us), COLUMN_CELL, {"harness", "us", 7, 16, false}},
    {"skew_us", COLUMN_NUMBER, AT(skew_us), COLUMN_CELL, {"skew", "us", 6, 51, false}},
    {"steps", COLUMN_NUMBER, AT(step_count), COLUMN_CELL, {"steps", "", 9, 50, true}},
    {"window", COLUMN_NUMBER, AT(window), COLUMN_HIDDEN, {.head = NULL}},
    {"blocks", COLUMN_COUNT, AT(block_count), COLUMN_HIDDEN, {.head = NULL}},
    {"stopped_by", COLUMN_TEXT, AT(stopped_by), COLUMN_HIDDEN, {.head = NULL}},
    {"datagrams", COLUMN_DATAGRAMS, AT(datagrams), COLUMN_CELL, {"given up", "messages", 8, 2, true}},
    {"verify", COLUMN_VERIFY, AT(verification), COLUMN_CELL, {"verified", "messages", 8, 8, true}},
};
/* clang-format on */

_Static_assert(sizeof(report_columns) / sizeof(report_columns[0]) <= 64,
               "a block of the text form keeps its columns as bits of an uint64_t");

const size_t report_column_count = sizeof(report_columns) / sizeof(report_columns[0]);

/* How many numbers a column's field holds. */
static size_t numbers_of(const report_column *column)
{
    switch (column->type) {
    case COLUMN_NUMBER:
        return 1;
    case COLUMN_SLOWDOWNS:
    case COLUMN_LEFT:
        return REPORT_SIDES;
    default:
        return 0;
    }
}

report_row report_row_initial(void)
{
    report_row row = {.step_divisor = 1.0};

    for (size_t i = 0; i < report_column_count; i++) {
        double *numbers = (double *)((char *)&row + report_columns[i].offset);

        for (size_t k = 0; k < numbers_of(&report_columns[i]); k++)
            numbers[k] = REPORT_ABSENT;
    }
    return row;
}

json_t *report_row_json(const report_row *row)
{
    json_t *object = json_object();

    for (size_t i = 0; i < report_column_count; i++) {
        const report_column *column = &report_columns[i];

        json_t *value = report_type_of(column)->value(row, column->offset);

        if (value != NULL)
            json_object_set_new(object, column->key, value);
    }
    return object;
}

/* A column without single values is passed over. */
static void settle(report_leaf *leaf)
{
    while (report_leaf_valid(leaf) &&
           leaf->part >= report_type_of(report_leaf_column(leaf))->part_count) {
        leaf->column++;
        leaf->part = 0;
    }
}

report_leaf report_leaf_first(void)
{
    report_leaf leaf = {0, 0};

    settle(&leaf);
    return leaf;
}

bool report_leaf_valid(const report_leaf *leaf)
{
    return leaf->column < report_column_count;
}

void report_leaf_next(report_leaf *leaf)
{
    leaf->part++;
    settle(leaf);
}

const report_column *report_leaf_column(const report_leaf *leaf)
{
    return &report_columns[leaf->column];
}

const report_part *report_leaf_part(const report_leaf *leaf)
{
    return &report_type_of(report_leaf_column(leaf))->parts[leaf->part];
}

const report_face *report_leaf_face(const report_leaf *leaf)
{
    return leaf->part == 0 ? &report_leaf_column(leaf)->face : &report_leaf_part(leaf)->face;
}

json_t *report_leaf_value(const report_leaf *leaf, const json_t *row)
{
    const report_part *part = report_leaf_part(leaf);
    json_t *value = json_object_get(row, report_leaf_column(leaf)->key);

    if (value == NULL)
        return NULL;
    if (part->derive != NULL)
        return report_value_number(part->derive(value));
    return json_incref(part->path[0] == '\0' ? value : report_path_get(value, part->path));
}
