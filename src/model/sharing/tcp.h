/* What the ends of a TCP connection exchange (tcp_sender.h, tcp_receiver.h). Positions are bytes
 * from the start of the connection. Internal to src/model. */
#ifndef MODEL_SHARING_TCP_H
#define MODEL_SHARING_TCP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t start, end;
    double sent_us;
    bool again; /* it was sent before */
} tcp_data;

typedef struct {
    uint64_t acked;                /* all before it has arrived */
    uint64_t sack_start, sack_end; /* a block that has arrived beyond; empty: none */
    double echo_us;                /* when the data that it answers was sent */
    bool duplicate;                /* it answers data that had arrived before */
} tcp_acknowledgement;

#endif
