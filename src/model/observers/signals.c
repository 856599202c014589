/* Names of signals, and their delivery to observers. */
#include "model/observers/signals.h"

static const char *const signal_names[] = {
    [CCMOD_SIGNAL_CONFIG] = "CONFIG",
    [CCMOD_SIGNAL_GO_INIT] = "GO_INIT",
    [CCMOD_SIGNAL_GO_STARTEVENT] = "GO_STARTEVENT",
    [CCMOD_SIGNAL_GO_END] = "GO_END",
    [CCMOD_SIGNAL_CREATEEVENT] = "CREATEEVENT",
    [CCMOD_SIGNAL_NEWSCOM] = "NEWSCOM",
    [CCMOD_SIGNAL_NEWPROC] = "NEWPROC",
    [CCMOD_SIGNAL_SYSCONT] = "SYSCONT",
    [CCMOD_SIGNAL_MSGCONT] = "MSGCONT",
    [CCMOD_SIGNAL_COMMCOST] = "COMMCOST",
    [CCMOD_SIGNAL_EVENTHORIZON] = "EVENTHORIZON",
    [CCMOD_SIGNAL_UPPR_PROC] = "UPPR_PROC",
    [CCMOD_SIGNAL_UPPR_SCOM] = "UPPR_SCOM",
    [CCMOD_SIGNAL_UPPR_PCNS] = "UPPR_PCNS",
    [CCMOD_SIGNAL_UPPR_END] = "UPPR_END",
};

static const char *const activity_names[] = {
    [CCMOD_COMPUTING] = "compute",
    [CCMOD_SENDING] = "send",
    [CCMOD_RECEIVING] = "receive",
    [CCMOD_WAITING] = "wait",
};

const char *ccmod_signal_name(ccmod_signal_kind kind)
{
    return signal_names[kind];
}

const char *ccmod_activity_name(ccmod_activity activity)
{
    return activity_names[activity];
}

signal_audience ccmod_audience(const ccmod_observer *observers, size_t count, ccmod_error *error)
{
    signal_audience audience = {.observers = observers, .count = count, .error = error};

    for (size_t i = 0; i < count; i++)
        audience.wanted |= observers[i].wanted;
    return audience;
}

ccmod_status ccmod_signal_send(const signal_audience *audience, ccmod_signal_kind kind,
                               double clock_us, ccmod_signal *signal)
{
    signal->kind = kind;
    signal->clock_us = clock_us;
    for (size_t i = 0; i < audience->count; i++) {
        const ccmod_observer *observer = &audience->observers[i];

        if ((observer->wanted & CCMOD_WANTS(kind)) != 0)
            CCMOD_TRY(observer->signal(observer->self, signal, audience->error));
    }
    return CCMOD_OK;
}
