/* Puts the numbered datagrams of one stream in order and drops duplicates. The items belong to the
 * caller. Pure. Numbers wrap around. */
#ifndef TRANSPORT_UDP_ORDER_H
#define TRANSPORT_UDP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UDP_ORDER_MOST = 1 << 16, /* maximum distance of a kept number from the next */
    UDP_ORDER_PAST = 1024     /* for this many past numbers it is known whether they arrived */
};

typedef enum {
    UDP_KEPT,
    UDP_OVERTAKEN, /* kept, and overtaken by larger numbers */
    UDP_SEEN,      /* a duplicate */
    UDP_SKIPPED,   /* it arrived after its number was skipped */
    UDP_NO_ROOM    /* too far ahead, or out of memory */
} udp_arrival;

typedef struct {
    void **items;  /* by number modulo `room`, a power of two */
    size_t room;   /* 0 initially */
    size_t kept;   /* number of items in it */
    uint32_t next; /* the next number to give out */
    uint32_t end;  /* one more than the largest number that has arrived, or `next` */
    uint64_t past[UDP_ORDER_PAST / 64]; /* by number: whether it arrived before it was skipped */
} udp_order;

/* Start, or restart, with this number; no earlier number was skipped. The order must be empty. */
void udp_order_begin(udp_order *order, uint32_t number);

/* Free the memory; remove kept items before, by udp_order_take_any. */
void udp_order_free(udp_order *order);

/* Hot. `item`, not NULL, belongs to the order if it is kept or overtaken, otherwise still to the
 * caller. */
udp_arrival udp_order_put(udp_order *order, uint32_t number, void *item);

/* Hot. The next item, or NULL if it has not arrived. */
void *udp_order_take(udp_order *order);

/* Skip the next number, which has not arrived. */
void udp_order_skip(udp_order *order);

/* Any kept item, or NULL. */
void *udp_order_take_any(udp_order *order);

/* Number of items that have arrived after the missing next one. */
static inline size_t udp_order_waiting(const udp_order *order)
{
    return order->kept;
}

#endif
