/* What all kinds of networks need: sizes that do not wrap round, and what is said of those that are
 * too large. */
#include "model/networks/networks.h"

#include <inttypes.h>

uint64_t ccmod_network_plus(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

uint64_t ccmod_network_times(uint64_t left, uint64_t right)
{
    return right > 0 && left > UINT64_MAX / right ? UINT64_MAX : left * right;
}

ccmod_status ccmod_network_check_size(uint64_t nodes, uint64_t links, const char *text,
                                      ccmod_error *error)
{
    if (nodes <= NETWORK_LARGEST && links <= NETWORK_LARGEST)
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                      "network '%.100s': it would have more than %" PRIu64 " nodes or links; make "
                      "it smaller",
                      text, NETWORK_LARGEST);
}

ccmod_status ccmod_network_no_memory(const char *text, ccmod_error *error)
{
    return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                      "network '%.100s': no memory left; make it smaller", text);
}
