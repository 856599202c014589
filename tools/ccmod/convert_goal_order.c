/* Turn a GOAL schedule, operations with requirements, into the sequence of a trace. A rank of a
 * trace does one thing after the other and waits for everything that it has started, so only
 * schedules whose requirements say exactly that are accepted: requirements are followed in order of
 * the file, and an operation that would start later, or wait for more, than required is an error.
 *
 * Operations since the last wait are `started`. An operation that requires all of them implies a
 * wait; if there was only one, it was blocking, unless an empty calculation represents the wait.
 * Everything after a wait must require it: all operations of the wait (the gate), or something
 * after it. */
#include "tools/ccmod/convert_goal_order.h"

#include <stdlib.h>

typedef struct {
    convert_program *program;
    goal_rank *rank;
    const convert_text *text;
    size_t started;       /* number of pending operations */
    size_t first_started; /* no earlier operation is pending */
    size_t last_started;  /* no later operation has been started */
    size_t first_open;    /* first operation that is not yet in the program, by number */
    size_t stage;         /* incremented by everything that later operations must follow */
    size_t gate_count;    /* number of operations of the last wait, all of which must be required */
    size_t gate_stage;    /* their stage */
} goal_order;

static ccmod_status report_operation(const goal_order *order, const goal_operation *operation,
                                     const char *problem)
{
    return ccmod_fail(order->text->error, CCMOD_ERROR_USAGE, order->text->name,
                      operation->record.line, "'%s': %s", operation->label, problem);
}

static ccmod_status add_record(const goal_order *order, const convert_record *record)
{
    return convert_program_add(order->program, order->rank->number, record, order->text->error);
}

static ccmod_record_kind started_kind(ccmod_record_kind kind)
{
    return kind == CCMOD_SEND ? CCMOD_START_SEND : CCMOD_START_RECEIVE;
}

/* Add the operations that are not yet in the program, as started ones. */
static ccmod_status add_open(const goal_order *order, size_t until)
{
    const goal_rank *rank = order->rank;

    for (size_t i = order->first_open; i < until; i++) {
        convert_record record = rank->operations[i].record;

        if (rank->operations[i].state != STARTED)
            continue;
        record.kind = started_kind(record.kind);
        CCMOD_TRY(add_record(order, &record));
    }
    return CCMOD_OK;
}

/* Everything started is complete; it becomes the gate for what follows. */
static void close_gate(goal_order *order, size_t until)
{
    goal_operation *operations = order->rank->operations;

    order->gate_count = order->started;
    order->gate_stage = ++order->stage;
    for (size_t i = order->first_started; i < until; i++) {
        if (operations[i].state != STARTED)
            continue;
        operations[i].state = DONE;
        operations[i].stage = order->gate_stage;
    }
    order->started = 0;
    order->first_started = until;
    order->stage++;
}

static bool is_join(const goal_operation *operation)
{
    return operation->record.kind == CCMOD_COMPUTE && !(operation->record.time_us > 0);
}

/* Add a wait before operation `until`, or at the end; `join`: an empty calculation represents it.
 */
static ccmod_status add_wait(goal_order *order, size_t until, bool join)
{
    const goal_rank *rank = order->rank;
    const convert_record wait = {
        .kind = CCMOD_WAIT,
        .line = rank->operations[until < rank->count ? until : until - 1].record.line};
    size_t last = until;

    while (last > order->first_open && rank->operations[last - 1].state != STARTED)
        last--;
    if (!join && order->started == 1 && last > order->first_open) {
        CCMOD_TRY(add_record(order, &rank->operations[last - 1].record));
    } else {
        CCMOD_TRY(add_open(order, until));
        CCMOD_TRY(add_record(order, &wait));
    }
    close_gate(order, until);
    order->first_open = until;
    return CCMOD_OK;
}

/* The requirements of an operation. */
typedef struct {
    size_t unfinished; /* number of required pending operations */
    size_t last;       /* last of these */
    size_t of_gate;    /* number of required operations of the last wait */
    bool after_gate;   /* something after the gate is required */
} goal_needs;

static ccmod_status look_at(goal_order *order, const goal_operation *operation,
                            const goal_requirement *requirement, goal_needs *needs)
{
    goal_operation *target = &order->rank->operations[requirement->target];

    if (target->state == NOT_YET)
        return report_operation(order, operation,
                                "it requires a later operation; write operations in an order in "
                                "which they can run");
    needs->after_gate |= target->stage > order->gate_stage;
    if (requirement->start || target->counted_for == operation->number + 1)
        return CCMOD_OK;
    target->counted_for = operation->number + 1;
    if (target->state == STARTED) {
        needs->unfinished++;
        needs->last = target->number;
    }
    needs->of_gate += target->state == DONE && target->stage == order->gate_stage;
    return CCMOD_OK;
}

/* Whether only the previous operation is waited for, and nothing has followed it. */
static bool is_blocking(const goal_order *order, const goal_needs *needs)
{
    return needs->unfinished == 1 && needs->unfinished < order->started &&
           needs->last == order->last_started && needs->last >= order->first_open;
}

static ccmod_status check_needs(const goal_order *order, const goal_operation *operation,
                                const goal_needs *needs)
{
    if (needs->unfinished > 0 && needs->unfinished < order->started && !is_blocking(order, needs))
        return report_operation(
            order, operation,
            "it requires neither all pending operations nor only the last one, "
            "but a rank of a trace waits for all that it has started; require all of "
            "them");
    if (!needs->after_gate && needs->of_gate < order->gate_count)
        return report_operation(
            order, operation,
            "it requires less than earlier operations wait for, and "
            "could run before them, but a rank of a trace has one order; let it "
            "require the same, or move it up");
    return CCMOD_OK;
}

/* Everything that follows comes after this complete operation. */
static void make_gate(goal_order *order, goal_operation *operation)
{
    operation->state = DONE;
    order->gate_stage = ++order->stage;
    operation->stage = order->gate_stage;
    order->gate_count = 1;
    order->stage++;
}

/* Add a blocking operation while earlier ones are pending. */
static ccmod_status add_blocking(goal_order *order, goal_operation *operation)
{
    CCMOD_TRY(add_open(order, operation->number));
    CCMOD_TRY(add_record(order, &operation->record));
    order->first_open = operation->number + 1;
    order->started--;
    make_gate(order, operation);
    return CCMOD_OK;
}

static ccmod_status follow(goal_order *order, size_t number, const goal_requirement *requirements,
                           size_t count)
{
    goal_operation *operation = &order->rank->operations[number];
    goal_needs needs = {0};

    for (size_t i = 0; i < count; i++)
        CCMOD_TRY(look_at(order, operation, &requirements[i], &needs));
    CCMOD_TRY(check_needs(order, operation, &needs));
    if (is_blocking(order, &needs))
        CCMOD_TRY(add_blocking(order, &order->rank->operations[needs.last]));
    else if (needs.unfinished > 0)
        CCMOD_TRY(add_wait(order, number, is_join(operation)));
    if (operation->record.kind != CCMOD_COMPUTE) {
        operation->state = STARTED;
        operation->stage = order->stage;
        order->started++;
        order->last_started = number;
        return CCMOD_OK;
    }
    CCMOD_TRY(add_open(order, number));
    order->first_open = number + 1;
    if (!is_join(operation))
        CCMOD_TRY(add_record(order, &operation->record));
    make_gate(order, operation);
    return CCMOD_OK;
}

static int by_operation(const void *left, const void *right)
{
    const goal_requirement *a = left, *b = right;

    return (a->operation > b->operation) - (a->operation < b->operation);
}

ccmod_status convert_goal_order(convert_program *program, goal_rank *rank, const convert_text *text)
{
    goal_order order = {.program = program, .rank = rank, .text = text, .stage = 1};
    size_t at = 0;

    if (rank->requirement_count > 0)
        qsort(rank->requirements, rank->requirement_count, sizeof(*rank->requirements),
              by_operation);
    for (size_t i = 0; i < rank->count; i++) {
        size_t first = at;

        while (at < rank->requirement_count && rank->requirements[at].operation == i)
            at++;
        CCMOD_TRY(follow(&order, i, at > first ? &rank->requirements[first] : NULL, at - first));
    }
    return order.started > 0 ? add_wait(&order, rank->count, false) : CCMOD_OK;
}
