/* What has arrived of one stream of numbered datagrams: given out in the order of their numbers,
 * each once. The items are the caller's. Pure. Numbers wrap around. */
#ifndef TRANSPORT_UDP_ORDER_H
#define TRANSPORT_UDP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UDP_ORDER_MOST = 1 << 16, /* numbers ahead of the next that are kept */
    UDP_ORDER_PAST = 1024     /* numbers before it of which is known whether they had come */
};

typedef enum {
    UDP_KEPT,
    UDP_OVERTAKEN, /* kept, and others with larger numbers had come before */
    UDP_SEEN,      /* it had come before */
    UDP_SKIPPED,   /* its number was skipped before it came */
    UDP_NO_ROOM    /* too far ahead, or no memory */
} udp_arrival;

typedef struct {
    void **items;                       /* by number modulo `room`, a power of two */
    size_t room;                        /* 0 at the beginning */
    size_t kept;                        /* items in it */
    uint32_t next;                      /* the number that is due */
    uint32_t end;                       /* one more than the largest that has come, or `next` */
    uint64_t past[UDP_ORDER_PAST / 64]; /* by number: whether it came before it was due no more */
} udp_order;

/* Begin, or begin anew, with this number; before it nothing was skipped. Nothing may be kept. */
void udp_order_begin(udp_order *order, uint32_t number);

/* Frees the room; what is kept is taken out before, by udp_order_take_any. */
void udp_order_free(udp_order *order);

/* Hot. `item`, not NULL, is the order's when it is kept or overtaken, else still the caller's. */
udp_arrival udp_order_put(udp_order *order, uint32_t number, void *item);

/* Hot. The item that is due, or NULL when it has not come. */
void *udp_order_take(udp_order *order);

/* The number that is due, and has not come, is waited for no more. */
void udp_order_skip(udp_order *order);

/* Any item that is kept, or NULL. */
void *udp_order_take_any(udp_order *order);

/* How many have come that follow the one that is due and has not. */
static inline size_t udp_order_waiting(const udp_order *order)
{
    return order->kept;
}

#endif
