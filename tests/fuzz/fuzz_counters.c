/* Fuzz target for the texts of /proc/net from which counters of a host come. Names of interfaces
 * end within their field, and two readings of the same text are equal. */
#include <string.h>

#include "host/counters.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static host_counts found, again;
    uint64_t increases[HOST_COUNTERS];
    char *text = malloc(size + 1), interface[HOST_INTERFACE_BYTES];

    FUZZ_REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t turn = 0; turn < 2; turn++) {
        host_counts *out = turn == 0 ? &found : &again;

        host_counts_clear(out);
        host_take_groups(false, text, out);
        host_take_groups(true, text, out);
        host_take_interfaces(text, out);
    }
    FUZZ_REQUIRE(found.interfaces <= HOST_INTERFACES);
    for (size_t i = 0; i < found.interfaces; i++)
        FUZZ_REQUIRE(memchr(found.names[i], '\0', HOST_INTERFACE_BYTES) != NULL &&
                     found.names[i][0] != '\0');
    FUZZ_REQUIRE(memcmp(&found, &again, sizeof(found)) == 0);
    host_increases(&found, &again, increases, interface);
    FUZZ_REQUIRE(memchr(interface, '\0', sizeof(interface)) != NULL);
    for (size_t i = 0; i < HOST_COUNTERS; i++)
        FUZZ_REQUIRE(increases[i] == 0 || increases[i] == CB_COUNTER_ABSENT);
    free(text);
    return 0;
}
