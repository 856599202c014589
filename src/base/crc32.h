/* CRC-32 as in zip and PNG (polynomial 0x04c11db7, reflected). */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `previous` data, whose checksum is given (0 for none), continued by these bytes.
 */
uint32_t cb_crc32(uint32_t previous, const void *data, size_t bytes);

#endif
