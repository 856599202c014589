/* Acknowledgements of the sharing rule fifo: frames of their own, as stream sockets have, that
 * stand in line like packets and arrive nowhere. Internal to src/model. */
#ifndef MODEL_SHARING_FIFO_ACKNOWLEDGEMENTS_H
#define MODEL_SHARING_FIFO_ACKNOWLEDGEMENTS_H

#include "model/sharing/fifo.h"

/* Acknowledgements: none but where the calibration has them. All that can fail is memory. */
ccmod_status ccmod_fifo_acknowledgements_open(ccmod_traffic *traffic);
void ccmod_fifo_acknowledgements_close(fifo_acknowledgements *acknowledgements);
/* The message starts, and carries what its source has to acknowledge to its destination. */
ccmod_status ccmod_fifo_note_start(ccmod_traffic *traffic, const traffic_message *message);
/* The last of `come` of the `parts` in which the message travels has passed its last link now. */
ccmod_status ccmod_fifo_acknowledge_packets(ccmod_traffic *traffic, const traffic_message *message,
                                            uint32_t come, uint32_t parts, double now_us);
ccmod_status ccmod_fifo_note_arrival(ccmod_traffic *traffic, const traffic_message *message,
                                     double now_us);
/* Before a link is given away: the ends that are acknowledged by now, since nothing carried it. */
ccmod_status ccmod_fifo_acknowledge_ends(ccmod_traffic *traffic, double now_us);
/* Acknowledgements at the head of the line of a cell that is free pass it, and go on. */
ccmod_status ccmod_fifo_pass_acknowledgements(ccmod_traffic *traffic, uint32_t cell, double now_us);

#endif
