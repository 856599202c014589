/* Accepting connections from ranks of the job and from anybody else: a guest that is slow or silent
 * keeps nobody else waiting. */
#include "transport/tcp/guests.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

static void remove_guest(tcp_guests *guests, size_t index)
{
    guests->count--;
    memmove(&guests->waiting[index], &guests->waiting[index + 1],
            (guests->count - index) * sizeof(guests->waiting[0]));
}

static void turn_away(tcp_guests *guests, size_t index)
{
    close(guests->waiting[index].fd);
    guests->turned_away++;
    remove_guest(guests, index);
}

/* What the guest has said so far. */
static void listen_to(tcp_guests *guests, size_t index)
{
    tcp_guest *guest = &guests->waiting[index];
    ssize_t now = recv(guest->fd, guest->hello + guest->got, sizeof(guest->hello) - guest->got, 0);

    if (now < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (now > 0)
        guest->got += (size_t)now;
    if (now > 0 && guest->got < sizeof(guest->hello))
        return;
    if (now > 0 && guests->let_in(guests->context, guest))
        remove_guest(guests, index);
    else
        turn_away(guests, index);
}

static cb_status accept_guest(tcp_guests *guests)
{
    int fd = accept4(guests->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        /* The others are guests that went away again. */
        if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS)
            return CB_OK;
        cb_error("cannot accept a connection over tcp: %m; raise the limit of open files");
        return CB_ERROR_SYSTEM;
    }
    if (guests->count == TCP_GUESTS_MOST)
        turn_away(guests, 0);
    guests->waiting[guests->count++] = (tcp_guest){.fd = fd};
    return CB_OK;
}

cb_status tcp_guests_wait(tcp_guests *guests, int wait_ms)
{
    struct pollfd watched[TCP_GUESTS_MOST + 1];
    const size_t count = guests->count;

    for (size_t i = 0; i < count; i++)
        watched[i] = (struct pollfd){.fd = guests->waiting[i].fd, .events = POLLIN};
    watched[count] = (struct pollfd){.fd = guests->listener, .events = POLLIN};
    if (poll(watched, (nfds_t)count + 1, wait_ms) <= 0)
        return CB_OK;
    for (size_t i = count; i-- > 0;)
        if (watched[i].revents != 0)
            listen_to(guests, i);
    return watched[count].revents != 0 ? accept_guest(guests) : CB_OK;
}

size_t tcp_guests_dismiss(tcp_guests *guests)
{
    while (guests->count > 0)
        turn_away(guests, 0);
    return guests->turned_away;
}
