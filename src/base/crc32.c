/* CRC-32, bit by bit: what it is used for is read or written once. */
#include "base/crc32.h"

uint32_t cb_crc32(uint32_t previous, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint32_t crc = ~previous;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
    }
    return ~crc;
}
