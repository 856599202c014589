/* The two rules by which messages share links, each from the present traffic alone. */
#include "model/sharing/shares.h"

#include <stdlib.h>

#include "model/sharing/cells.h"

ccmod_status ccmod_share_by_bottleneck(ccmod_traffic *traffic, const traffic_list *live,
                                       share_scratch *scratch, share_entry *shares)
{
    (void)scratch;
    for (size_t i = 0; i < live->count; i++) {
        const traffic_message *message = &traffic->pool[live->values[i]];
        const traffic_slot *slots = traffic->slots + message->slots;
        uint32_t most = slots[0].cell;

        for (uint32_t k = 1; k < message->slot_count; k++) {
            if (cell_presses_more(traffic, slots[k].cell, most))
                most = slots[k].cell;
        }
        shares[i] = (share_entry){cell_availability(traffic, most), most};
    }
    return CCMOD_OK;
}

/* Scratch */

/* Room for the cells and the slots of all live messages, half as much again as they need. */
static bool make_room(const ccmod_traffic *traffic, const traffic_list *live,
                      share_scratch *scratch)
{
    size_t slots = 0, cells, wider;

    for (size_t i = 0; i < live->count; i++)
        slots += traffic->pool[live->values[i]].slot_count;
    cells = slots < traffic->cell_count ? slots : traffic->cell_count;
    if (scratch->seats == NULL) {
        scratch->seats = malloc(traffic->cell_count * sizeof(*scratch->seats));
        for (size_t i = 0; scratch->seats != NULL && i < traffic->cell_count; i++)
            scratch->seats[i] = TRAFFIC_NONE;
    }
    if (cells > scratch->room) {
        wider = cells + cells / 2;
        free(scratch->cells);
        free(scratch->left);
        free(scratch->users);
        free(scratch->first);
        free(scratch->heap);
        free(scratch->keys);
        scratch->cells = malloc(wider * sizeof(*scratch->cells));
        scratch->left = malloc(wider * sizeof(*scratch->left));
        scratch->users = malloc(wider * sizeof(*scratch->users));
        scratch->first = malloc((wider + 1) * sizeof(*scratch->first));
        scratch->heap = malloc(wider * sizeof(*scratch->heap));
        scratch->keys = malloc(wider * sizeof(*scratch->keys));
        scratch->room = wider;
    }
    if (slots > scratch->member_room) {
        wider = slots + slots / 2;
        free(scratch->members);
        scratch->members = malloc(wider * sizeof(*scratch->members));
        scratch->member_room = scratch->members != NULL ? wider : 0;
    }
    return scratch->seats != NULL && scratch->cells != NULL && scratch->left != NULL &&
           scratch->users != NULL && scratch->first != NULL && scratch->heap != NULL &&
           scratch->keys != NULL && scratch->members != NULL;
}

/* Max-min fairness */

/* Number the cells in use, with their capacity and their users. */
static size_t seat_cells(const ccmod_traffic *traffic, const traffic_list *live,
                         share_scratch *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < live->count; i++) {
        const traffic_message *message = &traffic->pool[live->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t cell = traffic->slots[message->slots + k].cell;

            if (scratch->seats[cell] == TRAFFIC_NONE) {
                scratch->seats[cell] = (uint32_t)count;
                scratch->cells[count] = cell;
                scratch->users[count] = 0;
                scratch->left[count++] = (1 - cell_load(traffic, cell)) * cell_width(traffic, cell);
            }
            scratch->users[scratch->seats[cell]]++;
        }
    }
    return count;
}

/* The messages of each cell, by their number among the live, one cell after the other. */
static void list_members(const ccmod_traffic *traffic, const traffic_list *live,
                         share_scratch *scratch, size_t count)
{
    uint32_t *first = scratch->first;

    first[0] = 0;
    for (size_t c = 0; c < count; c++)
        first[c + 1] = first[c] + scratch->users[c];
    for (size_t i = live->count; i-- > 0;) {
        const traffic_message *message = &traffic->pool[live->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t seat = scratch->seats[traffic->slots[message->slots + k].cell];

            scratch->members[--first[seat + 1]] = (uint32_t)i;
        }
    }
    /* every first[c + 1] went down to the beginning of cell c */
    for (size_t c = 0; c < count; c++)
        first[c] = first[c + 1];
    first[count] = first[count > 0 ? count - 1 : 0] + (count > 0 ? scratch->users[count - 1] : 0);
}

static double share_of(const ccmod_traffic *traffic, const share_scratch *scratch, uint32_t seat)
{
    double alone = 1 - cell_load(traffic, scratch->cells[seat]);

    return fmin(scratch->left[seat] / scratch->users[seat], alone);
}

static bool comes_first(const share_scratch *scratch, uint32_t left, uint32_t right)
{
    double a = scratch->keys[left], b = scratch->keys[right];

    return a < b || (!(a > b) && left < right);
}

static void sift_down(share_scratch *scratch, size_t count, size_t at)
{
    uint32_t *heap = scratch->heap, moved = heap[at];
    size_t below;

    while ((below = 2 * at + 1) < count) {
        if (below + 1 < count && comes_first(scratch, heap[below + 1], heap[below]))
            below++;
        if (!comes_first(scratch, heap[below], moved))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
}

/* All messages of the cell that have no rate yet get `rate`, which their other cells lose. */
static void settle_cell(const ccmod_traffic *traffic, const traffic_list *live,
                        share_scratch *scratch, uint32_t seat, share_entry *shares)
{
    share_entry entry = {share_of(traffic, scratch, seat), scratch->cells[seat]};

    for (uint32_t at = scratch->first[seat]; at < scratch->first[seat + 1]; at++) {
        uint32_t number = scratch->members[at];
        const traffic_message *message = &traffic->pool[live->values[number]];

        if (shares[number].rate >= 0)
            continue;
        shares[number] = entry;
        for (uint32_t k = 0; k < message->slot_count; k++) {
            uint32_t other = scratch->seats[traffic->slots[message->slots + k].cell];

            scratch->left[other] = fmax(0, scratch->left[other] - entry.rate);
            scratch->users[other]--;
        }
    }
}

ccmod_status ccmod_share_max_min(ccmod_traffic *traffic, const traffic_list *live,
                                 share_scratch *scratch, share_entry *shares)
{
    size_t count, open;

    if (!make_room(traffic, live, scratch))
        return ccmod_traffic_no_memory(traffic);
    count = open = seat_cells(traffic, live, scratch);
    list_members(traffic, live, scratch, count);
    for (uint32_t seat = 0; seat < count; seat++) {
        scratch->heap[seat] = seat;
        scratch->keys[seat] = share_of(traffic, scratch, seat);
    }
    for (size_t at = count / 2; at-- > 0;)
        sift_down(scratch, count, at);
    for (size_t i = 0; i < live->count; i++)
        shares[i].rate = -1;
    while (open > 0) {
        uint32_t seat = scratch->heap[0];
        double share = scratch->users[seat] > 0 ? share_of(traffic, scratch, seat) : HUGE_VAL;

        /* shares only grow: a key that is too low goes where it belongs */
        if (scratch->users[seat] > 0 && share > scratch->keys[seat]) {
            scratch->keys[seat] = share;
            sift_down(scratch, open, 0);
            continue;
        }
        if (scratch->users[seat] > 0)
            settle_cell(traffic, live, scratch, seat, shares);
        scratch->heap[0] = scratch->heap[--open];
        sift_down(scratch, open, 0);
    }
    for (size_t i = 0; i < count; i++)
        scratch->seats[scratch->cells[i]] = TRAFFIC_NONE;
    return CCMOD_OK;
}

void ccmod_share_free(share_scratch *scratch)
{
    free(scratch->seats);
    free(scratch->cells);
    free(scratch->left);
    free(scratch->users);
    free(scratch->first);
    free(scratch->heap);
    free(scratch->keys);
    free(scratch->members);
}
