/* Signals, activities and ends by name. */
#include <ccmod/ccmod.h>

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

static const char *const share_names[] = {
    [CCMOD_BOTTLENECK] = "bottleneck",
    [CCMOD_MAXMIN] = "maxmin",
    [CCMOD_FIFO] = "fifo",
};

const char *ccmod_share_name(ccmod_share share)
{
    return share_names[share];
}

static const char *const stop_names[] = {
    [CCMOD_STOPPED_BY_TRACE] = "trace",
    [CCMOD_STOPPED_BY_TIME] = "time",
    [CCMOD_STOPPED_BY_PRECISION] = "precision",
};

const char *ccmod_signal_name(ccmod_signal_kind kind)
{
    return signal_names[kind];
}

const char *ccmod_activity_name(ccmod_activity activity)
{
    return activity_names[activity];
}

const char *ccmod_stop_name(ccmod_stop stop)
{
    return stop_names[stop];
}
