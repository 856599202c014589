/* Names of hosts and switches. */
#include "linkmap/places.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/environment.h"
#include "host/host.h"

_Static_assert(sizeof((link_place){0}.machine) == HOST_TEXT, "a boot id has another length");

static const char switch_prefix[] = "switch";

int places_compare_names(const char *one, const char *other)
{
    while (*one != '\0' && *other != '\0') {
        if (isdigit((unsigned char)*one) && isdigit((unsigned char)*other)) {
            char *one_end, *other_end;
            const unsigned long a = strtoul(one, &one_end, 10), b = strtoul(other, &other_end, 10);

            if (a != b)
                return a < b ? -1 : 1;
            one = one_end;
            other = other_end;
        } else if (*one != *other) {
            break;
        } else {
            one++;
            other++;
        }
    }
    return (unsigned char)*one - (unsigned char)*other;
}

int places_distance(const link_place *one, const link_place *other)
{
    if (strcmp(one->host, other->host) == 0 && strcmp(one->machine, other->machine) == 0)
        return 0;
    return one->at_switch[0] != '\0' && strcmp(one->at_switch, other->at_switch) == 0 ? 1 : 2;
}

/* The group of network.conf that is a switch with this rank. */
static const char *configured_switch(const cb_settings *settings, int rank)
{
    for (size_t i = 0; i < settings->group_count; i++) {
        const cb_group_settings *group = &settings->groups[i];

        if (strncmp(group->name, switch_prefix, sizeof(switch_prefix) - 1) != 0)
            continue;
        for (size_t k = 0; k < group->count; k++)
            if (group->members[k] == (size_t)rank)
                return group->name;
    }
    return NULL;
}

/* SLURM_TOPOLOGY_ADDR is like s0.s2.node1: the switches above a node, and the node. */
static link_place own_place(const cb_settings *settings, int rank)
{
    const char *configured = configured_switch(settings, rank);
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    const char *end = address != NULL ? strrchr(address, '.') : NULL;
    link_place own = {.rank = rank};

    if (cb_virtual != NULL) {
        snprintf(own.host, sizeof(own.host), ENVIRONMENT_MODEL_HOST, (size_t)rank);
        snprintf(own.machine, sizeof(own.machine), ENVIRONMENT_MODEL_HOST, (size_t)rank);
        return own;
    }
    if (gethostname(own.host, sizeof(own.host) - 1) != 0)
        snprintf(own.host, sizeof(own.host), "host of rank %d", rank);
    host_kernel_id(own.machine);
    if (configured != NULL)
        snprintf(own.at_switch, sizeof(own.at_switch), "%s", configured);
    else if (end != NULL)
        snprintf(own.at_switch, sizeof(own.at_switch), "%.*s", (int)(end - address), address);
    return own;
}

static int compare_places(const link_place *one, const link_place *other)
{
    int found = places_compare_names(one->at_switch, other->at_switch);

    if (found == 0)
        found = places_compare_names(one->host, other->host);
    return found != 0 ? found : (one->rank > other->rank) - (one->rank < other->rank);
}

/* By insertion: a map has hundreds of hosts. */
static void sort_places(const link_place *places, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = i;

        for (; k > 0 && compare_places(&places[i], &places[order[k - 1]]) < 0; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

cb_status places_exchange(control_team *team, const cb_settings *settings, int rank,
                          link_place **places, size_t **order)
{
    const size_t count = control_team_size(team);
    const link_place own = own_place(settings, rank);

    *places = cb_allocate(count, sizeof(**places), "the hosts of a map");
    *order = cb_allocate(count, sizeof(**order), "the hosts of a map");
    CB_TRY(control_agree(team, *places != NULL && *order != NULL ? CB_OK : CB_ERROR_MEMORY));
    CB_TRY(control_exchange(team, &own, sizeof(own), *places));
    sort_places(*places, count, *order);
    return CB_OK;
}
