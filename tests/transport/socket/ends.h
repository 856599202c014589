/* Two processes with a factory of a technology each, without a launcher: what the tests of tcp,
 * udp, ofi and ucx share. Each end is a child; one that fails says why on stderr. */
#ifndef TESTS_TRANSPORT_SOCKET_ENDS_H
#define TESTS_TRANSPORT_SOCKET_ENDS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "transport/tcp/internal.h"
#include "transport/transport.h"
#include "transport/udp/internal.h"

enum { ENDS_WRONG = 1, ENDS_STUCK = 2, ENDS_REFUSED = 3, ENDS_KILLED = 4, ENDS_LOG_BYTES = 4096 };

typedef struct {
    transport_factory *factory;
    transport_node *node; /* the other end */
    int rank;
    int line; /* a socket to the other end, for synchronisation in tests */
} ends_end;

/* End this process unless `condition` holds. */
#define ENDS_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(ENDS_WRONG);                                                                     \
        }                                                                                          \
    } while (0)

typedef struct {
    const char *technology;
    const char *interface; /* or NULL */
    const char *faults;    /* COMBENCH_UDP_FAULTS, or NULL */
    tcp_settings tcp;      /* zeros: the defaults */
    udp_settings udp;
    const char *parameters; /* NAME=VALUE,... of the technology, or NULL */
    size_t message_bytes;
    transport_wait wait;
    bool many_senders; /* several threads of an end will send */
    /* Called in end 1 when it knows the address of end 0 and before it uses it; or NULL. */
    void (*meanwhile)(const struct sockaddr_in *address);
    void (*bodies[2])(ends_end *end);
} ends_plan;

/* Run both bodies between open and close. outcomes[rank] is 0, or the ENDS_ value of the end:
 * ENDS_REFUSED when its technology could not be opened, ENDS_STUCK after a minute. */
void ends_run(const ends_plan *plan, int outcomes[2]);

/* The same; `log` is the beginning of what both ends wrote to stderr. */
void ends_run_logged(const ends_plan *plan, int outcomes[2], char log[ENDS_LOG_BYTES]);

/* Message `number` of `source`, of 8 bytes or more: its bytes follow from both. */
void ends_send(ends_end *end, uint64_t number, size_t bytes);
void ends_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes);
void ends_receive(ends_end *end, uint64_t number, size_t bytes);

/* Send a signal to the other end, and wait for one. */
void ends_tell(const ends_end *end);
void ends_hear(const ends_end *end);

#endif
