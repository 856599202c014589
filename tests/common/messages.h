/* Capture log messages one by one: stderr is replaced by a datagram socket, which keeps writes
 * apart. */
#ifndef TESTS_COMMON_MESSAGES_H
#define TESTS_COMMON_MESSAGES_H

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/unit.h"

/* The end of the socket to read from. */
static inline int messages_capture(void)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
    close(ends[1]);
    return ends[0];
}

/* Expect that the next message contains this text. */
static inline void messages_expect(int messages, const char *part)
{
    char text[4096];
    ssize_t length = recv(messages, text, sizeof(text) - 1, MSG_DONTWAIT);

    text[length > 0 ? length : 0] = '\0';
    ck_assert_msg(strstr(text, part) != NULL, "no '%s' in the message '%s'", part, text);
}

#endif
