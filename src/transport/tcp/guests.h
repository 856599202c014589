/* Connections that have come in and have not said yet who they are. */
#ifndef TRANSPORT_TCP_GUESTS_H
#define TRANSPORT_TCP_GUESTS_H

#include "transport/tcp/wire.h"

/* More at a time are kept only in the place of the first that came. */
enum { TCP_GUESTS_MOST = 256 };

typedef struct {
    int fd;
    size_t got;
    unsigned char hello[TCP_HELLO_BYTES];
} tcp_guest;

typedef struct {
    int listener;
    /* Whether a guest that has said its hello stays; its socket is then the caller's. */
    bool (*let_in)(void *context, const tcp_guest *guest);
    void *context;
    tcp_guest waiting[TCP_GUESTS_MOST];
    size_t count;
    size_t turned_away;
} tcp_guests;

/* Wait, for `wait_ms` at most, until something comes, and look at it. CB_ERROR_SYSTEM, logged, when
 * no connection can be accepted. */
cb_status tcp_guests_wait(tcp_guests *guests, int wait_ms);

/* Close what still waits; gives how many were turned away in all. */
size_t tcp_guests_dismiss(tcp_guests *guests);

#endif
