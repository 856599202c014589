/* Explicit congestion notification (RFC 3168) in the IP header of an Ethernet frame. */
#ifndef TOOLS_TESTBED_ECN_H
#define TOOLS_TESTBED_ECN_H

#include <stdbool.h>
#include <stddef.h>

/* Set "congestion experienced" in a frame of IPv4 or IPv6 whose sender is capable of ECN, with the
 * header checksum of IPv4. False, and the frame is unchanged, if it is of another kind, is already
 * marked, or is too short to have such a header. */
bool ecn_mark(unsigned char *data, size_t bytes);

#endif
