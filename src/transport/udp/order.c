/* A ring of items by number, and a ring of bits for past numbers. */
#include "transport/udp/order.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static bool had_come(const udp_order *order, uint32_t number)
{
    return (order->past[number % UDP_ORDER_PAST / 64] >> (number % 64) & 1) != 0;
}

static void note_past(udp_order *order, uint32_t number, bool came)
{
    uint64_t *word = &order->past[number % UDP_ORDER_PAST / 64];

    *word = (*word & ~(UINT64_C(1) << (number % 64))) | (uint64_t)came << (number % 64);
}

void udp_order_begin(udp_order *order, uint32_t number)
{
    order->next = order->end = number;
    memset(order->past, 0xff, sizeof(order->past));
}

void udp_order_free(udp_order *order)
{
    free(order->items);
    *order = (udp_order){0};
}

/* Make room for the number that is `ahead` of the next. */
static bool make_room(udp_order *order, uint32_t ahead)
{
    size_t room = order->room > 0 ? order->room : FIRST_ROOM;
    void **items;

    while (room <= ahead)
        room *= 2;
    if (room == order->room)
        return true;
    items = calloc(room, sizeof(*items));
    if (items == NULL)
        return false;
    for (uint32_t number = order->next; number != order->end; number++)
        items[number % room] = order->items[number % order->room];
    free(order->items);
    order->items = items;
    order->room = room;
    return true;
}

udp_arrival udp_order_put(udp_order *order, uint32_t number, void *item)
{
    const int32_t ahead = (int32_t)(number - order->next);
    void **place;
    bool overtaken;

    if (ahead < 0)
        return ahead >= -UDP_ORDER_PAST && !had_come(order, number) ? UDP_SKIPPED : UDP_SEEN;
    if (ahead >= UDP_ORDER_MOST || !make_room(order, (uint32_t)ahead))
        return UDP_NO_ROOM;
    place = &order->items[number % order->room];
    if (*place != NULL)
        return UDP_SEEN;
    *place = item;
    order->kept++;
    overtaken = (int32_t)(number - order->end) < 0;
    if (!overtaken)
        order->end = number + 1;
    return overtaken ? UDP_OVERTAKEN : UDP_KEPT;
}

static void move_on(udp_order *order, bool came)
{
    note_past(order, order->next, came);
    if (order->end == order->next)
        order->end++;
    order->next++;
}

void *udp_order_take(udp_order *order)
{
    void **place, *item;

    if (order->kept == 0)
        return NULL;
    place = &order->items[order->next % order->room];
    item = *place;
    if (item == NULL)
        return NULL;
    *place = NULL;
    order->kept--;
    move_on(order, true);
    return item;
}

void udp_order_skip(udp_order *order)
{
    move_on(order, false);
}

void *udp_order_take_any(udp_order *order)
{
    while (order->kept > 0) {
        void *item = udp_order_take(order);

        if (item != NULL)
            return item;
        udp_order_skip(order);
    }
    return NULL;
}
