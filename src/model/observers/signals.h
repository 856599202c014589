/* Signals on their way to the observers of an evaluation. Internal to src/model. */
#ifndef MODEL_OBSERVERS_SIGNALS_H
#define MODEL_OBSERVERS_SIGNALS_H

#include <ccmod/ccmod.h>

typedef struct {
    const ccmod_observer *observers;
    size_t count;
    uint32_t wanted; /* by any of them */
    ccmod_error *error;
} signal_audience;

signal_audience ccmod_audience(const ccmod_observer *observers, size_t count, ccmod_error *error);

static inline bool audience_wants(const signal_audience *audience, ccmod_signal_kind kind)
{
    return (audience->wanted & CCMOD_WANTS(kind)) != 0;
}

/* To all observers that want it; `kind` and `clock_us` are filled in. */
ccmod_status ccmod_signal_send(const signal_audience *audience, ccmod_signal_kind kind,
                               double clock_us, ccmod_signal *signal);

#endif
