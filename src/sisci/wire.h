/* Transfers to remote memory, and their faults in lossy mode. A wire leads to one target, or to all
 * members of a group. Data is sent in aligned 64-byte lines; in lossy mode lines arrive in any
 * order, in part, or not at all, as SISCI_SHM_FAULTS says. The caller ensures that only one thread
 * at a time sends over a wire.
 *
 * The session of a connection reports to its sequences what did not arrive. In plain mode the only
 * event of a session is its end; in lossy mode each push may meet faults.
 *
 * A shadow is the remote map in lossy mode: private memory that collects the program's stores until
 * a flush, barrier or check sends them over the shadow's wire. Every word (4 aligned bytes) that is
 * not written holds a secret pattern; any other value was stored and is sent. A store is thus
 * detected whatever the remote memory holds, and a lost store must be repeated by the program. The
 * price: the map cannot be read, and stores are detected in whole words. */
#ifndef SISCI_WIRE_H
#define SISCI_WIRE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sisci/sisci_types.h"

typedef struct {
    bool active; /* the variable is set: stores go through shadows even without faults */
    uint64_t seed;
    double drop;    /* probability that a line does not arrive */
    double tear;    /* probability that it arrives in part */
    double pending; /* probability that a fault is reported as pending */
    double cut;     /* probability that a fault is an outage of some length */
    double lose;    /* probability that a fault ends the connection */
    double reorder; /* 1: lines arrive in a random order; 0: in order */
} sisci_faults;

/* Parse "seed=7,drop=0.01,reorder=1"; NULL or empty: no faults. False: invalid, and `reason` is
 * set. */
bool sisci_faults_parse(const char *text, sisci_faults *faults, char *reason, size_t reason_bytes);

/* A stream of random numbers, derived from a seed. */
typedef struct {
    uint64_t state;
} sisci_dice;

sisci_dice sisci_dice_make(uint64_t seed, uint64_t stream);
uint64_t sisci_dice_next(sisci_dice *dice);
uint64_t sisci_dice_below(sisci_dice *dice, uint64_t bound);
bool sisci_dice_falls(sisci_dice *dice, double probability);

/* The state of transfers over one connection, shared by its maps and sequences. */
typedef struct {
    _Atomic uint32_t faults; /* total; a sequence compares it with the number it has seen */
    _Atomic uint32_t lost;   /* permanently */
    pthread_mutex_t lock;    /* for the following members */
    unsigned pending;        /* SCIStartSequence() calls until the result is known */
    unsigned outage;         /* calls until transfers are possible again */
} sisci_session;

void sisci_session_initialise(sisci_session *session);
void sisci_session_destroy(sisci_session *session);

/* The connection has ended. */
void sisci_session_lose(sisci_session *session);

/* The number of faults that a new sequence has seen: one less if the connection is already lost, so
 * that the sequence reports that. */
uint32_t sisci_session_seen(const sisci_session *session);

/* Whether nothing arrives at present: an outage, or a lost connection. */
bool sisci_session_is_down(sisci_session *session);

/* Something did not arrive: choose how that will be reported. */
void sisci_session_fault(sisci_session *session, const sisci_faults *faults, sisci_dice *dice);

/* The results of SCIStartSequence() and SCICheckSequence() for a sequence that has seen *seen
 * faults. */
sci_sequence_status_t sisci_session_start(sisci_session *session, _Atomic uint32_t *seen);
sci_sequence_status_t sisci_session_check(sisci_session *session, _Atomic uint32_t *seen);

/* Hot: whether no fault occurred since *seen. */
static inline bool sisci_session_is_clean(const sisci_session *session,
                                          const _Atomic uint32_t *seen)
{
    return atomic_load_explicit(&session->faults, memory_order_relaxed) ==
           atomic_load_explicit(seen, memory_order_relaxed);
}

enum { SISCI_LINE_BYTES = 64 };

typedef struct {
    unsigned char **targets; /* each of `size` bytes, at the start of a line */
    size_t count;
    size_t size;
    size_t
        before; /* bytes from the start of each target's mapping, a page boundary, to the target */
    sisci_session *session;
    const sisci_faults *faults;
    sisci_dice dice;
    size_t *order; /* of the lines of one transfer; room for all lines of a target */
} sisci_wire;

/* Initialise a wire for at most `room` targets; `stream` makes its random faults differ from those
 * of other wires. False: out of memory. */
bool sisci_wire_initialise(sisci_wire *wire, size_t room, size_t before, size_t size,
                           sisci_session *session, const sisci_faults *faults, uint64_t stream);

/* Add a target: a mapping of before + size bytes, which the wire then owns. */
void sisci_wire_add(sisci_wire *wire, void *mapping);

/* Unmap the targets and free them; the wire itself belongs to the caller. */
void sisci_wire_destroy(sisci_wire *wire);

/* Put the `count` lines of wire->order into the order in which they are sent. */
void sisci_wire_arrange(sisci_wire *wire, size_t count);

/* Send bytes to an offset; false: some did not arrive, which was reported. */
bool sisci_wire_send(sisci_wire *wire, size_t offset, const void *source, size_t size);

typedef struct sisci_shadow sisci_shadow;

/* Create a shadow for a wire and of its size; the shadow then owns the wire. `mapping_flags` and
 * `where` as in mmap(2). NULL: see errno; the wire still belongs to the caller. */
sisci_shadow *sisci_shadow_create(const sisci_wire *wire, int mapping_flags, void *where);
void sisci_shadow_destroy(sisci_shadow *shadow);

/* The memory that the program stores to. */
void *sisci_shadow_memory(sisci_shadow *shadow);

/* Send all stored words. Thread-safe. */
void sisci_shadow_push(sisci_shadow *shadow);

/* Send bytes at once, without storing them in the shadow; false: some did not arrive. */
bool sisci_shadow_send(sisci_shadow *shadow, size_t offset, const void *source, size_t size);

/* Read the remote memory, of the first target. */
void sisci_shadow_read(sisci_shadow *shadow, size_t offset, void *destination, size_t size);

#endif
