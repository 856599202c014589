/* What a control plane is made of: a table of operations, and what all planes have. control.h
 * documents each operation under its name there. */
#ifndef CONTROL_OPERATIONS_H
#define CONTROL_OPERATIONS_H

#include "control/control.h"

/* Kinds of collective calls. Arguments: what this rank gives, its size in bytes, what it gets. */
typedef enum {
    CONTROL_BARRIER,
    CONTROL_BROADCAST, /* gets `bytes`; index 0 gives them there */
    CONTROL_GATHER,    /* gets the members' bytes at index 0, NULL elsewhere */
    CONTROL_EXCHANGE,  /* gets the members' bytes */
    CONTROL_SUM,       /* gives and, at index 0, gets numbers of type uint64_t in the same memory */
    CONTROL_MAXIMUM    /* gives and gets numbers of type double in the same memory */
} control_meeting;

typedef struct {
    void (*close)(control *plane);
    const char *(*library)(const control *plane);
    void (*settings)(const control *plane,
                     void (*visit)(const char *name, const char *value, void *context),
                     void *context);
    cb_status (*team_create)(control *plane, const int *ranks, size_t count, control_team **out);
    void (*team_free)(control_team *team);
    cb_status (*part_create)(control *plane, const int *ranks, size_t count, control **out);
    void (*part_free)(control *part);
    cb_status (*tell)(control *plane, int rank, const void *note, size_t bytes);
    cb_status (*hear)(control *plane, void *note, size_t bytes);
    cb_status (*await)(control *plane, void *note, size_t bytes);
    cb_status (*meet)(control_team *team, control_meeting what, const void *mine, size_t bytes,
                      void *all);
    cb_status (*maximum_begin)(control_team *team, double *values, size_t count);
    cb_status (*maximum_advance)(control_team *team);
    cb_status (*maximum_end)(control_team *team);
    cb_status (*synchronise)(control *plane, control_clock *clock);
} control_operations;

/* Planes and teams begin with these. */
struct control_team {
    const control_operations *operations;
    size_t size, index;
};

struct control {
    const control_operations *operations;
    control_team *everyone;
    void (*look)(void *context); /* called while waiting, or NULL */
    void *look_context;
};

static inline void control_look(const control *plane)
{
    if (plane->look != NULL)
        plane->look(plane->look_context);
}

#endif
