/* The two bits are the lowest of IPv4's second byte, and bits 4 and 5 of IPv6's second byte, whose
 * header has no checksum. */
#include "tools/testbed/ecn.h"

#include <stdint.h>

#include "tools/testbed/switch.h"

enum {
    TYPE_OFFSET = 12,
    TYPE_IPV4 = 0x0800,
    TYPE_IPV6 = 0x86dd,
    IPV4_BYTES = 20,
    IPV4_CHECKSUM = 10,
    IPV6_BYTES = 40,
    IPV6_SHIFT = 4,
    NOT_CAPABLE = 0,
    EXPERIENCED = 3,
};

static uint32_t read_16(const unsigned char *from)
{
    return (uint32_t)from[0] << 8 | from[1];
}

/* The checksum is the complement of a sum in ones' complement, and is changed as the second byte is
 * (RFC 1624). */
static void correct_checksum(unsigned char *header, uint32_t added)
{
    uint32_t sum = (~read_16(header + IPV4_CHECKSUM) & 0xffffu) + added;

    sum = ~((sum & 0xffffu) + (sum >> 16)) & 0xffffu;
    header[IPV4_CHECKSUM] = (unsigned char)(sum >> 8);
    header[IPV4_CHECKSUM + 1] = (unsigned char)sum;
}

bool ecn_mark(unsigned char *data, size_t bytes)
{
    unsigned char *header = data + SWITCH_HEAD_BYTES;
    uint32_t type = bytes >= SWITCH_HEAD_BYTES ? read_16(data + TYPE_OFFSET) : 0;
    bool is_ipv4 = type == TYPE_IPV4 && bytes >= SWITCH_HEAD_BYTES + IPV4_BYTES;
    unsigned shift = is_ipv4 ? 0 : IPV6_SHIFT, codepoint;

    if (!is_ipv4 && (type != TYPE_IPV6 || bytes < SWITCH_HEAD_BYTES + IPV6_BYTES))
        return false;
    codepoint = (unsigned)header[1] >> shift & EXPERIENCED;
    if (codepoint == NOT_CAPABLE || codepoint == EXPERIENCED)
        return false;
    header[1] |= (unsigned char)(EXPERIENCED << shift);
    if (is_ipv4)
        correct_checksum(header, EXPERIENCED - codepoint);
    return true;
}
