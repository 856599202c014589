/* Delivery of signals to the observers of an evaluation. Internal to src/model. */
#ifndef MODEL_OBSERVERS_SIGNALS_H
#define MODEL_OBSERVERS_SIGNALS_H

#include <ccmod/ccmod.h>

typedef struct {
    const ccmod_observer *observers;
    size_t count;
    uint32_t wanted; /* the union of all observers' masks */
    ccmod_error *error;
} signal_audience;

signal_audience ccmod_audience(const ccmod_observer *observers, size_t count, ccmod_error *error);

static inline bool audience_expects(const signal_audience *audience, ccmod_signal_kind kind)
{
    return (audience->wanted & CCMOD_WANTS(kind)) != 0;
}

/* Send to all observers that request it; `kind` and `clock_us` are set here. */
ccmod_status ccmod_signal_send(const signal_audience *audience, ccmod_signal_kind kind,
                               double clock_us, ccmod_signal *signal);

#endif
