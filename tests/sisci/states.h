/* State machines as tables: a row is a state with what each call says in it. Every cell is tried on
 * objects that were brought into the state again, with the library started again. */
#ifndef TESTS_SISCI_STATES_H
#define TESTS_SISCI_STATES_H

#include "tests/sisci/fixture.h"

enum { CALLS_MOST = 8 };

/* All that a state may consist of. */
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
    sci_error_t expected[CALLS_MOST]; /* in the order of the calls */
} state;

/* Enter the state, make the call, and fail unless it says what is expected. */
void try_cell(const state *before, const call *tried, sci_error_t expected);

/* All cells of two arrays. */
#define try_all(states, calls)                                                                     \
    for (size_t i = 0; i < sizeof(states) / sizeof((states)[0]); i++)                              \
        for (size_t j = 0; j < sizeof(calls) / sizeof((calls)[0]); j++)                            \
    try_cell(&(states)[i], &(calls)[j], (states)[i].expected[j])

/* A call for any table: SCIClose of the device that all belongs to. */
sci_error_t close_device(world *here);

#endif
