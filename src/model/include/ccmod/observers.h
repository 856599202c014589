/* Observers of the library: a printer of signals, and the space-time diagram. */
#ifndef CCMOD_OBSERVERS_H
#define CCMOD_OBSERVERS_H

#include <stdint.h>
#include <stdio.h>

#include <ccmod/base.h>
#include <ccmod/network.h>
#include <ccmod/signals.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints signals, one per line: clock, name, contents. A failing stream ends the evaluation with
 * CCMOD_ERROR_SYSTEM. Set `stream` and zero the rest; it must outlive the evaluation. */
typedef struct {
    FILE *stream;
    const ccmod_network *network; /* private: of the running evaluation */
    uint32_t wanted;              /* private */
} ccmod_printer;

/* `wanted` as in ccmod_observer; CCMOD_WANTS_ALL prints all fifteen, 0 none. */
CCMOD_API ccmod_observer ccmod_printer_observer(ccmod_printer *printer, uint32_t wanted);

/* The space-time diagram: the activity of each processor from the start to the end of the last one,
 * and when each message was in transit. In memory, about 32 bytes per interval, and 56 per message
 * and receiver.
 */
typedef struct ccmod_timeline ccmod_timeline;

/* Record from `from_us` to `to_us` (HUGE_VAL: the end). Messages that begin or end outside are left
 * out, intervals are clipped. The caller frees it with ccmod_timeline_free, which accepts NULL. */
CCMOD_API ccmod_status ccmod_timeline_create(double from_us, double to_us, ccmod_timeline **out,
                                             ccmod_error *error);
CCMOD_API void ccmod_timeline_free(ccmod_timeline *timeline);

/* For one evaluation; the timeline is complete after that has succeeded. */
CCMOD_API ccmod_observer ccmod_timeline_observer(ccmod_timeline *timeline);

/* An output format. */
typedef struct {
    const char *name; /* perfetto */
    const char *help; /* one phrase */
    /* The caller checks the stream for errors; the only other error is CCMOD_ERROR_MEMORY. */
    ccmod_status (*write)(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error);
} ccmod_timeline_form;

/* Terminated by NULL: perfetto, paje, svg. */
extern CCMOD_API const ccmod_timeline_form *const ccmod_timeline_forms[];

#ifdef __cplusplus
}
#endif

#endif
