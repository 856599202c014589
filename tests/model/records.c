/* Tables of records as workloads, and random ones. */
#include "tests/model/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

typedef struct {
    ccmod_workload workload;
    const record_table *table;
    size_t *at;
} table_player;

record_table records_make(size_t processors)
{
    record_table table = {processors, calloc(processors, sizeof(record_row))};

    ck_assert_ptr_nonnull(table.rows);
    return table;
}

void records_free(record_table *table)
{
    for (size_t i = 0; i < table->processors; i++) {
        for (size_t k = 0; k < table->rows[i].count; k++)
            free((void *)(uintptr_t)table->rows[i].records[k].list);
        free(table->rows[i].records);
    }
    free(table->rows);
}

void records_add(record_table *table, size_t processor, ccmod_record record)
{
    record_row *row = &table->rows[processor];
    uint32_t *list = NULL;

    row->records = realloc(row->records, (row->count + 1) * sizeof(*row->records));
    UNIT_REQUIRE(row->records != NULL, "no memory");
    if (record.list_count > 0) {
        list = malloc(record.list_count * sizeof(*list));
        UNIT_REQUIRE(list != NULL, "no memory");
        memcpy(list, record.list, record.list_count * sizeof(*list));
    }
    record.list = list;
    record.measured_us = -1;
    record.line = (uint32_t)row->count + 1;
    row->records[row->count++] = record;
}

static ccmod_status next(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                         ccmod_error *error)
{
    table_player *player = workload->self;
    const record_row *row = &player->table->rows[processor];

    (void)error;
    *record = (ccmod_record){.kind = CCMOD_END, .measured_us = -1};
    if (player->at[processor] < row->count)
        *record = row->records[player->at[processor]++];
    return CCMOD_OK;
}

static void release(ccmod_workload *workload)
{
    table_player *player = workload->self;

    free(player->at);
    free(player);
}

ccmod_workload *records_workload(const record_table *table)
{
    table_player *player = calloc(1, sizeof(*player));

    ck_assert_ptr_nonnull(player);
    *player = (table_player){.workload = {.name = "table",
                                          .processors = table->processors,
                                          .next = next,
                                          .release = release,
                                          .self = player},
                             .table = table,
                             .at = calloc(table->processors, sizeof(size_t))};
    ck_assert_ptr_nonnull(player->at);
    return &player->workload;
}

/* Random workloads */

typedef struct {
    const random_shape *shape;
    cb_random random;
    record_table table;
} random_maker;

static uint32_t pick(random_maker *maker, uint32_t other_than)
{
    uint32_t found;

    do
        found = (uint32_t)cb_random_below(&maker->random, maker->shape->processors);
    while (found == other_than);
    return found;
}

static uint64_t pick_size(random_maker *maker)
{
    /* half of them small, so that short and long messages interact */
    uint64_t bound = cb_random_below(&maker->random, 2) == 0 ? 64 : maker->shape->largest_bytes;

    return cb_random_below(&maker->random, bound + 1);
}

/* Some receives take any size. */
static uint64_t received_size(random_maker *maker, uint64_t sent_bytes)
{
    bool any = maker->shape->extended && cb_random_below(&maker->random, 4) == 0;

    return any ? CCMOD_ANY_SIZE : sent_bytes;
}

static void add(random_maker *maker, uint32_t processor, ccmod_record record)
{
    records_add(&maker->table, processor, record);
}

static void add_compute(random_maker *maker)
{
    double time_us = cb_random_unit(&maker->random) * maker->shape->longest_us;

    add(maker, pick(maker, CCMOD_ANY), (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = time_us});
}

static void add_message(random_maker *maker)
{
    uint32_t source = pick(maker, CCMOD_ANY), destination = pick(maker, source);
    uint64_t size = pick_size(maker);
    bool started = maker->shape->extended && cb_random_below(&maker->random, 3) == 0;
    bool awaited = maker->shape->extended && cb_random_below(&maker->random, 3) == 0;

    add(maker, source,
        (ccmod_record){.kind = started ? CCMOD_START_SEND : CCMOD_SEND,
                       .peer = destination,
                       .size_bytes = size});
    add(maker, destination,
        (ccmod_record){.kind = awaited ? CCMOD_START_RECEIVE : CCMOD_RECEIVE,
                       .peer = source,
                       .size_bytes = received_size(maker, size)});
}

static void add_wait(random_maker *maker)
{
    add(maker, pick(maker, CCMOD_ANY), (ccmod_record){.kind = CCMOD_WAIT});
}

static void add_multicast(random_maker *maker)
{
    uint32_t source = pick(maker, CCMOD_ANY), list[64];
    uint64_t size = pick_size(maker);
    size_t count = 0;

    for (uint32_t i = 0; i < maker->shape->processors && count < 64; i++) {
        if (i != source && cb_random_below(&maker->random, 2) == 0)
            list[count++] = i;
    }
    add(maker, source,
        (ccmod_record){
            .kind = CCMOD_MULTICAST, .size_bytes = size, .list = list, .list_count = count});
    for (size_t i = 0; i < count; i++)
        add(maker, list[i],
            (ccmod_record){
                .kind = CCMOD_RECEIVE, .peer = source, .size_bytes = received_size(maker, size)});
}

static void add_for_all(random_maker *maker, ccmod_record_kind kind)
{
    for (uint32_t i = 0; i < maker->shape->processors; i++)
        add(maker, i, (ccmod_record){.kind = kind});
}

/* All ranks send to one, which receives from any. Between barriers, so that no other messages
 * match. */
static void add_funnel(random_maker *maker)
{
    uint32_t receiver = pick(maker, CCMOD_ANY);
    uint64_t size = pick_size(maker);

    add_for_all(maker, CCMOD_WAIT);
    add_for_all(maker, CCMOD_BARRIER);
    for (uint32_t i = 0; i < maker->shape->processors; i++) {
        if (i == receiver)
            continue;
        add(maker, i,
            (ccmod_record){.kind = CCMOD_COMPUTE,
                           .time_us = cb_random_unit(&maker->random) * maker->shape->longest_us});
        add(maker, i, (ccmod_record){.kind = CCMOD_SEND, .peer = receiver, .size_bytes = size});
        add(maker, receiver,
            (ccmod_record){.kind = i % 2 == 0 ? CCMOD_RECEIVE : CCMOD_START_RECEIVE,
                           .peer = CCMOD_ANY,
                           .size_bytes = received_size(maker, size)});
    }
    add_for_all(maker, CCMOD_WAIT);
    add_for_all(maker, CCMOD_BARRIER);
}

static void add_something(random_maker *maker)
{
    uint64_t chance = cb_random_below(&maker->random, 100);

    if (chance < 20)
        add_compute(maker);
    else if (!maker->shape->extended || chance < 85)
        add_message(maker);
    else if (chance < 92)
        add_wait(maker);
    else if (chance < 98)
        add_multicast(maker);
    else
        add_funnel(maker);
}

record_table records_random(const random_shape *shape, uint64_t seed)
{
    random_maker maker = {shape, cb_random_seed(seed), records_make(shape->processors)};
    size_t activities = shape->messages * shape->processors / 2;

    for (size_t i = 0; i < activities; i++)
        add_something(&maker);
    add_for_all(&maker, CCMOD_WAIT);
    return maker.table;
}
