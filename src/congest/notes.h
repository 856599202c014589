/* Notes between rank 0, which leads the victims, and the first aggressor. They are sent outside of
 * the victims' timed sections. */
#ifndef CONGEST_NOTES_H
#define CONGEST_NOTES_H

typedef enum {
    CONGEST_BEGIN,   /* to the first aggressor: start the load */
    CONGEST_STOP,    /* end it */
    CONGEST_DONE,    /* no further load */
    CONGEST_RUNNING, /* to rank 0: turns have their length */
    CONGEST_TALLY,   /* the load has ended */
    CONGEST_FAILED   /* an aggressor cannot go on */
} congest_event;

/* A note. The numbers are those of a tally: of the turns since RUNNING; a farm has no steps. */
typedef struct {
    congest_event event;
    int rank; /* that sent it */
    double turns, steps, packets, busy_ns, elapsed_ns;
} congest_note;

#endif
