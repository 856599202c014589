/* A part of what an installation of Dolphin's has: names as there, text of our own. */
#ifndef MOCK_SISCI_TYPES_H
#define MOCK_SISCI_TYPES_H

#include <stddef.h>

#include "sisci_error.h"

typedef struct sci_desc *sci_desc_t;
typedef struct sci_local_segment *sci_local_segment_t;
typedef struct sci_remote_segment *sci_remote_segment_t;
typedef struct sci_map *sci_map_t;
typedef struct sci_sequence *sci_sequence_t;

typedef enum {
    SCI_SEQ_OK,
    SCI_SEQ_RETRIABLE,
    SCI_SEQ_NOT_RETRIABLE,
    SCI_SEQ_PENDING
} sci_sequence_status_t;

typedef void (*sci_cb_local_segment_t)(void);
typedef void (*sci_cb_remote_segment_t)(void);

#endif
