/* The state of the traffic: made, extended and released. */
#include "model/sharing/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

ccmod_status ccmod_traffic_no_memory(const ccmod_traffic *traffic)
{
    return ccmod_fail(traffic->audience.error, CCMOD_ERROR_MEMORY, traffic->name, 0,
                      "cannot evaluate %zu ranks with %zu messages at once: no memory left; "
                      "evaluate fewer ranks",
                      traffic->processors, traffic->live);
}

ccmod_status ccmod_traffic_append_slowly(ccmod_traffic *traffic, traffic_list *list, uint32_t value)
{
    uint32_t *values = cb_grow(list->values, list->count, &list->room, sizeof(*values));

    if (values == NULL)
        return ccmod_traffic_no_memory(traffic);
    list->values = values;
    values[list->count++] = value;
    return CCMOD_OK;
}

ccmod_status ccmod_traffic_open(ccmod_traffic *traffic)
{
    traffic->free_message = traffic->free_fan = TRAFFIC_NONE;
    memset(traffic->free_slots, 0xff, sizeof(traffic->free_slots));
    traffic->route_room = traffic->network->longest_route;
    traffic->route = malloc(traffic->route_room * sizeof(*traffic->route));
    traffic->cell_count = 2 * traffic->network->links;
    traffic->cells = malloc(traffic->cell_count * sizeof(*traffic->cells));
    if (traffic->route == NULL || traffic->cells == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        traffic->cells[i] = (traffic_cell){.heap = TRAFFIC_NONE,
                                           .guests = TRAFFIC_NONE,
                                           .asking = TRAFFIC_NONE,
                                           .place = TRAFFIC_NONE};
    return CCMOD_OK;
}

void ccmod_traffic_close(ccmod_traffic *traffic)
{
    for (size_t i = 0; i < traffic->fan_count; i++) {
        free(traffic->fans[i].destinations);
        free(traffic->fans[i].flags);
    }
    free(traffic->fans);
    free(traffic->pool);
    free(traffic->ids);
    free(traffic->slots);
    free(traffic->route);
    free(traffic->ended.values);
    free(traffic->loads);
    free(traffic->drawn);
}
