/* Where the ranks of a map are, and the order of a map: by switch, then by host name. */
#ifndef LINKMAP_PLACES_H
#define LINKMAP_PLACES_H

#include "base/settings.h"
#include "control/control.h"

enum { PLACE_TEXT = 64 };

/* Plain data, which ranks exchange as bytes. */
typedef struct {
    char host[PLACE_TEXT];        /* name */
    char machine[2 * PLACE_TEXT]; /* several may have the same name */
    char at_switch[PLACE_TEXT];   /* name of its switch; empty: not known */
    int rank;
} link_place;

/* The places of all members of a team, and their order: places[order[0]] comes first. A switch is
 * known from a group of network.conf whose name begins with "switch", or from SLURM's topology.
 * Collective over the team. CB_ERROR_MEMORY, logged; the caller frees both. */
cb_status places_exchange(control_team *team, const cb_settings *settings, int rank,
                          link_place **places, size_t **order);

/* Compare names so that host2 comes before host10. */
int places_compare_names(const char *one, const char *other);

/* 0: the same host; 1: the same switch; 2: others, or not known. */
int places_distance(const link_place *one, const link_place *other);

#endif
