/* State machines as tables: each row is a state with the result of every call in it. Every cell
 * is tested on newly created objects, with the library restarted. */
#ifndef TESTS_SISCI_STATES_H
#define TESTS_SISCI_STATES_H

#include "tests/sisci/fixture.h"

enum { CALLS_MOST = 8 };

/* All objects that a state may consist of. */
typedef struct {
    sci_desc_t sd;
    sci_local_segment_t local;
    sci_remote_segment_t remote;
    sci_map_t map;
    sci_sequence_t sequence;
    sci_local_interrupt_t interrupt;
    sci_remote_interrupt_t trigger;
    sci_local_data_interrupt_t data_interrupt;
    sci_remote_data_interrupt_t data_trigger;
    sci_dma_queue_t queue;
} world;

typedef struct {
    const char *name;
    sci_error_t (*make)(world *here);
} call;

typedef struct {
    const char *name;
    void (*enter)(world *here);
    sci_error_t expected[CALLS_MOST]; /* expected results, in the order of the calls */
} state;

/* Enter the state, make the call, and fail unless it returns the expected result. */
void try_cell(const state *before, const call *tried, sci_error_t expected);

/* Run all cells of two arrays. */
#define try_all(states, calls)                                                                     \
    for (size_t i = 0; i < sizeof(states) / sizeof((states)[0]); i++)                              \
        for (size_t j = 0; j < sizeof(calls) / sizeof((calls)[0]); j++)                            \
    try_cell(&(states)[i], &(calls)[j], (states)[i].expected[j])

/* A call for any table: SCIClose of the device that owns all objects. */
sci_error_t close_device(world *here);

#endif
