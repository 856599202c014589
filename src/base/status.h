/* The status type of the project. The function that detects an error logs it (log.h) and returns a
 * status; callers pass it on. Only main and the engine convert a status to an exit status.
 * Functions that allocate may also return CB_ERROR_MEMORY, logged, where their comment does not
 * name it. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

typedef enum {
    CB_OK = 0,
    CB_EMPTY,             /* a non-blocking receive found no message; not an error */
    CB_LOST,              /* a message of an unreliable technology did not arrive; not an error */
    CB_ERROR_USAGE,       /* wrong before the first measurement: option, ranks, output */
    CB_ERROR_UNSUPPORTED, /* a declared capability, or a library at run time, is missing */
    CB_ERROR_MEMORY,      /* out of memory */
    CB_ERROR_SYSTEM,      /* a system call failed: files, processes, signals */
    CB_ERROR_CONTROL,     /* the control plane failed */
    CB_ERROR_TRANSPORT,   /* the data plane failed */
    CB_ERROR_DATA,        /* a message was lost, duplicated, reordered or corrupted */
    CB_ERROR_DEADLINE,    /* no rate meets the requested deadline */
    CB_ERROR_INTERRUPTED  /* SIGINT or SIGTERM */
} cb_status;

/* Whether the status is an error: CB_EMPTY and CB_LOST are none. */
static inline int cb_is_error(cb_status status)
{
    return status > CB_LOST;
}

/* A short English text for a status; static storage, never NULL. */
const char *cb_status_text(cb_status status);

/* The exit status of a program that ends with `status`: 0 measured, 2 wrong before the first
 * measurement, 77 unsupported, 1 anything else. */
int cb_status_exit(cb_status status);

/* Return from the calling function unless `call` returns CB_OK. */
#define CB_TRY(call)                                                                               \
    do {                                                                                           \
        cb_status cb_try_status = (call);                                                          \
        if (cb_try_status != CB_OK)                                                                \
            return cb_try_status;                                                                  \
    } while (0)

/* The same where something has to be undone: CB_TRY_TO(done, status = function()). */
#define CB_TRY_TO(label, assignment)                                                               \
    do {                                                                                           \
        if ((assignment) != CB_OK)                                                                 \
            goto label;                                                                            \
    } while (0)

#endif
