/* The receiver of one direction of a TCP connection: what it acknowledges, and when. Left out: the
 * compression of acknowledgements. Internal to src/model. */
#ifndef MODEL_SHARING_TCP_RECEIVER_H
#define MODEL_SHARING_TCP_RECEIVER_H

#include <stddef.h>

#include "model/sharing/tcp.h"

typedef struct {
    uint64_t start, end;
} tcp_range;

typedef struct {
    uint64_t next;     /* all before it has arrived */
    tcp_range *ranges; /* what has arrived beyond, in order */
    size_t range_count, range_room;
    uint64_t announced; /* the last acknowledgement */
    double delayed_us;  /* when a delayed acknowledgement is due; infinite: none */
    double received_us, echo_us;
    bool answers; /* this end usually answers what it receives, and its data carries the
                     acknowledgement */
} tcp_receiver;

void tcp_receiver_open(tcp_receiver *receiver);
void tcp_receiver_close(tcp_receiver *receiver);

typedef enum { TCP_LATER, TCP_NOW, TCP_NO_MEMORY } tcp_answer;

/* Data arrives; *out is what to acknowledge if the answer is TCP_NOW. */
tcp_answer tcp_receiver_take(tcp_receiver *receiver, const tcp_data *data, uint64_t segment_bytes,
                             double now_us, tcp_acknowledgement *out);

/* The application has read all of a message. Whether to acknowledge now. */
bool tcp_receiver_read(const tcp_receiver *receiver);

/* The delayed acknowledgement is due. */
void tcp_receiver_expire(tcp_receiver *receiver);

/* This end sends data, or an acknowledgement; it acknowledges all that has arrived. */
tcp_acknowledgement tcp_receiver_acknowledge(tcp_receiver *receiver);
void tcp_receiver_note_sent_data(tcp_receiver *receiver, double now_us);

#endif
