/* Standard streams: closed ones are held, and what stands in a pipe is waited for. Linux tells at
 * either end of a pipe how many bytes nobody has read yet. */
#include "base/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

/* open gives the lowest number that is free: those below are taken by then. */
void cb_streams_hold_closed(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static bool has_reader(int descriptor)
{
    struct pollfd end = {.fd = descriptor};

    return poll(&end, 1, 0) == 0 || (end.revents & POLLERR) == 0;
}

static bool has_unread(int descriptor)
{
    int unread = 0;

    return ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0;
}

bool cb_streams_await_reader(int descriptor, uint64_t patience_ns)
{
    const uint64_t pause_ns = 1000000;
    const uint64_t begin_ns = cb_now_ns();
    struct stat status;

    if (fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode))
        return true;
    while (has_unread(descriptor) && has_reader(descriptor)) {
        if (cb_now_ns() - begin_ns >= patience_ns)
            return false;
        cb_sleep_ns(pause_ns);
    }
    return true;
}
