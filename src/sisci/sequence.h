/* Sequences as the other files see them. */
#ifndef SISCI_SEQUENCE_H
#define SISCI_SEQUENCE_H

#include "sisci/map.h"

struct sci_sequence {
    sisci_resource resource;
    sci_map_t map;
    sisci_shadow *shadow; /* the map's */
    sisci_session *session;
    _Atomic uint32_t seen; /* faults of the session that this sequence knows of */
};

#endif
