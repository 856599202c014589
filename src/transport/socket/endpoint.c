/* A socket bound to the address of an interface; its port and buffers. */
#include "transport/socket/socket.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { LARGEST_PORT = 65535 };

const char *socket_text(const struct sockaddr_in *address, char text[SOCKET_TEXT_BYTES])
{
    char host[INET_ADDRSTRLEN] = "?";

    inet_ntop(AF_INET, &address->sin_addr, host, sizeof(host));
    snprintf(text, SOCKET_TEXT_BYTES, "%s:%u", host, (unsigned)ntohs(address->sin_port));
    return text;
}

void socket_describe(const socket_interface *interface, char *text, size_t bytes)
{
    char host[INET_ADDRSTRLEN] = "?";

    inet_ntop(AF_INET, &interface->address, host, sizeof(host));
    snprintf(text, bytes, "%s %s", interface->name, host);
}

cb_status socket_port(const char *technology, uint64_t first, unsigned local_rank, unsigned *out)
{
    *out = first == 0 ? 0 : (unsigned)first + local_rank;
    if (*out <= LARGEST_PORT)
        return CB_OK;
    cb_error("cannot use port %u for %s: it is process %u of its host and ports end at %d; "
             "configure a lower port",
             *out, technology, local_rank + 1, LARGEST_PORT);
    return CB_ERROR_USAGE;
}

static cb_status report_socket_error(const char *technology, const char *attempt,
                                     const struct sockaddr_in *address)
{
    char text[SOCKET_TEXT_BYTES];

    cb_error("cannot %s for %s at %s: %m; configure another port, or 0 for any, or choose another "
             "--interface",
             attempt, technology, socket_text(address, text));
    return CB_ERROR_SYSTEM;
}

cb_status socket_bind(const char *technology, int type, const socket_interface *interface,
                      unsigned port, int *out, struct sockaddr_in *bound)
{
    const int on = 1, fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t bytes = sizeof(*bound);

    *bound = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_addr = interface->address, .sin_port = htons((uint16_t)port)};
    if (fd < 0)
        return report_socket_error(technology, "make a socket", bound);
    /* Closed connections of an earlier job must not block a port of this one. */
    if (type == SOCK_STREAM)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)bound, sizeof(*bound)) != 0 ||
        getsockname(fd, (struct sockaddr *)bound, &bytes) != 0) {
        cb_status status = report_socket_error(technology, "bind an address", bound);

        close(fd);
        return status;
    }
    *out = fd;
    return CB_OK;
}

static void set_buffer(int fd, int plain, int privileged, int bytes)
{
    if (setsockopt(fd, SOL_SOCKET, privileged, &bytes, sizeof(bytes)) != 0)
        setsockopt(fd, SOL_SOCKET, plain, &bytes, sizeof(bytes));
}

void socket_set_buffers(int fd, uint64_t bytes)
{
    const int most = INT_MAX / 2, wanted = bytes < (uint64_t)most ? (int)bytes : most;

    if (bytes == 0)
        return;
    set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, wanted);
    set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, wanted);
}
