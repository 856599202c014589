/* The lines before the cells of the share rule fifo: runs of packets that stand one behind the
 * other, linked, in one array for all cells. */
#include "model/sharing/fifo.h"

#include "base/grow.h"

void ccmod_fifo_lines_open(fifo_flow *flow, size_t cell_count)
{
    flow->free_run = TRAFFIC_NONE;
    for (size_t i = 0; i < cell_count; i++)
        flow->cells[i].first = TRAFFIC_NONE;
}

static ccmod_status take_place(ccmod_traffic *traffic, uint32_t *out)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_run *runs;

    if (flow->free_run != TRAFFIC_NONE) {
        *out = flow->free_run;
        flow->free_run = flow->runs[*out].next;
        return CCMOD_OK;
    }
    if (flow->run_count >= TRAFFIC_NONE)
        return ccmod_traffic_no_memory(traffic);
    runs = cb_grow(flow->runs, flow->run_count, &flow->run_room, sizeof(*runs));
    if (runs == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->runs = runs;
    *out = (uint32_t)flow->run_count++;
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_line_up(ccmod_traffic *traffic, uint32_t cell, fifo_run run)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_cell *line = &flow->cells[cell];
    bool empty = line->first == TRAFFIC_NONE;
    uint32_t place = TRAFFIC_NONE;

    if (!empty && run.slot != TRAFFIC_NONE && flow->runs[line->last].slot == run.slot) {
        flow->runs[line->last].packets += run.packets;
        return CCMOD_OK;
    }
    CCMOD_TRY(take_place(traffic, &place));
    run.next = TRAFFIC_NONE;
    flow->runs[place] = run;
    if (empty)
        line->first = place;
    else
        flow->runs[line->last].next = place;
    line->last = place;
    return CCMOD_OK;
}

fifo_run ccmod_fifo_take_first(fifo_flow *flow, uint32_t cell)
{
    fifo_cell *line = &flow->cells[cell];
    uint32_t place = line->first;
    fifo_run *run = &flow->runs[place];
    fifo_run taken = *run;

    if (run->slot != TRAFFIC_NONE && --run->packets > 0)
        return taken;
    line->first = run->next;
    run->next = flow->free_run;
    flow->free_run = place;
    return taken;
}
